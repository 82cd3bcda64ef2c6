/* expression_types.c -- see expression_types.h. */
#include "expression_types.h"

#include "expression_exact.h"
#include "kernels/text/decimal.h"

static const char *type_text(enum expression_type type)
{
    return type == EXPRESSION_TEXTS        ? "a text"
           : type == EXPRESSION_CONDITIONS ? "a condition"
                                           : "a number";
}

enum expression_type types_given(char letter, enum expression_type of)
{
    return letter == 't'   ? EXPRESSION_TEXTS
           : letter == 'n' ? EXPRESSION_NUMBERS
           : letter == 'c' ? EXPRESSION_CONDITIONS
                           : of;
}

/* A text that stands in the expression must be a number where one is needed. */
static bool is_number(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return true;
    const char *s = b->e->text + b->e->constant[v->constant].text.off;
    return decimal_whole(s, s + b->e->constant[v->constant].text.len, &x) == DECIMAL_OK;
}

void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who)
{
    if (b->failed) return;
    struct value *v = build_below(b, depth);
    if (v->type == type || v->type == EXPRESSION_ANY || type == EXPRESSION_ANY) return;
    if (type == EXPRESSION_INTEGERS && build_integer(b, depth)) return;
    if (type == EXPRESSION_CONDITIONS)
        build_fail(b, v->at, "%s wants a condition, such as x > 0, and this is %s", who,
                   type_text(v->type));
    else if (v->type == EXPRESSION_CONDITIONS)
        build_fail(b, v->at, "%s wants %s, and this is a condition: write if(condition, 1, 0)", who,
                   type_text(type));
    else if (type == EXPRESSION_INTEGERS)
        build_fail(b, v->at, "%s wants a whole number of 64 bits, and this is %s", who,
                   v->type == EXPRESSION_TEXTS ? "a text" : "a double");
    else if (type == EXPRESSION_NUMBERS && !is_number(b, v))
        build_fail(b, v->at, "%s wants a number, and this text is none", who);
    else if (type == EXPRESSION_NUMBERS && exact_is_large_text(b, v))
        exact_fail(b, v->at);
    else
        build_conversion(b, depth, type == EXPRESSION_NUMBERS ? &to_number : &to_text);
}

bool types_have_integers(struct building *b, uint32_t n)
{
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (build_below(b, i)->type == EXPRESSION_INTEGERS) return true;
    return false;
}

static bool is_whole(struct building *b, uint32_t depth)
{
    const struct value *v = build_below(b, depth);
    return v->type == EXPRESSION_INTEGERS || (v->type == EXPRESSION_NUMBERS && v->constant >= 0 &&
                                              b->e->constant[v->constant].integer != LEAT_NO_INT64);
}

void types_join_integers(struct building *b, uint32_t n, const char *who)
{
    bool whole = true;
    if (!types_have_integers(b, n)) return;
    for (uint32_t i = 0; i < n; i++)
        whole = whole && is_whole(b, i);
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (whole)
            build_integer(b, i);
        else if (build_below(b, i)->type == EXPRESSION_INTEGERS)
            types_want(b, i, EXPRESSION_NUMBERS, who);
}

uint32_t types_exact_sides(struct building *b, const char *who)
{
    uint32_t sides = 0;
    for (uint32_t i = 0; i < 2 && !b->failed; i++) { /* the left side is the deeper one */
        if (exact_is_text(build_below(b, 1 - i))) {
            build_conversion(b, 1 - i, &to_exact);
            sides |= (uint32_t)SIDE_EXACT << i;
        } else if (build_integer(b, 1 - i)) {
            sides |= (uint32_t)SIDE_INTEGERS << i;
        } else {
            types_want(b, 1 - i, EXPRESSION_NUMBERS, who);
        }
    }
    for (uint32_t i = 0; i < 2 && !b->failed; i++)
        if (sides & (uint32_t)SIDE_EXACT << i) exact_want(b, i); /* the other side */
    return sides;
}

enum expression_type types_same(struct building *b, uint32_t n, const char *who)
{
    enum expression_type type = EXPRESSION_ANY;
    for (uint32_t i = n; i-- > 0 && !b->failed;) {
        const struct value *v = build_below(b, i);
        if (type == EXPRESSION_ANY) type = v->type;
        if (v->type != type && v->type != EXPRESSION_ANY)
            build_fail(b, v->at, "%s wants values of one type, and this is %s beside %s: write %s",
                       who, type_text(v->type), type_text(type),
                       type == EXPRESSION_TEXTS ? "text(…)" : "number(…)");
    }
    return type;
}

enum expression_type types_compared(struct building *b, bool order)
{
    const struct value *x = build_below(b, 1), *y = build_below(b, 0);
    bool conditions = x->type == EXPRESSION_CONDITIONS || y->type == EXPRESSION_CONDITIONS;
    if (conditions && !order) return EXPRESSION_CONDITIONS;
    bool unknown = x->type == EXPRESSION_ANY || y->type == EXPRESSION_ANY;
    bool text = x->type == EXPRESSION_TEXTS || y->type == EXPRESSION_TEXTS;
    if (unknown && text && !order) return EXPRESSION_TEXTS; /* a text need not be a number */
    if (x->type != EXPRESSION_TEXTS || y->type != EXPRESSION_TEXTS) return EXPRESSION_NUMBERS;
    return order && !x->is_made && !y->is_made ? EXPRESSION_NUMBERS : EXPRESSION_TEXTS;
}
