/* expression_types.c -- types of operands, and the conversions to them (expression_build.h). */
#include "expression_build.h"

#include <math.h>
#include <string.h>

#include "kernels/text/decimal.h"

static const char *types_type_text(enum expression_type type)
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

/* True unless v is a constant text that does not contain a number. */
static bool types_is_number(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return true;
    const char *s = b->e->text + b->e->constant[v->constant].text.off;
    return decimal_whole(s, s + b->e->constant[v->constant].text.len, &x) == DECIMAL_OK;
}

/* Returns a remedy for using `and`, `or` or `not` with values, as in Lua. */
static const char *types_cure(const char *who)
{
    if (!strcmp(who, "not")) return ": is_missing(x) is true if x has no value";
    if (strcmp(who, "and") != 0 && strcmp(who, "or") != 0) return "";
    return ": to choose one of two values write if(condition, a, b), or coalesce(x, 0), which is 0 "
           "if x has no value";
}

void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who)
{
    if (b->failed) return;
    struct value *v = build_below(b, depth);
    if (v->type == type || v->type == EXPRESSION_ANY || type == EXPRESSION_ANY) return;
    if (type == EXPRESSION_INTEGERS && build_integer(b, depth)) return;
    if (type == EXPRESSION_CONDITIONS)
        build_fail(b, v->at, "%s wants a condition, such as x > 0, and this is %s%s", who,
                   types_type_text(v->type), types_cure(who));
    else if (v->type == EXPRESSION_CONDITIONS && type != EXPRESSION_TEXTS)
        build_fail(b, v->at, "%s wants %s, and this is a condition: write if(condition, 1, 0)", who,
                   types_type_text(type));
    else if (type == EXPRESSION_INTEGERS)
        build_fail(b, v->at, "%s wants a whole number of 64 bits, and this is %s", who,
                   v->type == EXPRESSION_TEXTS ? "a text" : "a double");
    else if (type == EXPRESSION_NUMBERS && !types_is_number(b, v))
        build_fail(b, v->at, "%s wants a number, and this text is not one", who);
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

static bool types_is_whole(struct building *b, uint32_t depth)
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
        whole = whole && types_is_whole(b, i);
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (whole)
            build_integer(b, i);
        else if (build_below(b, i)->type == EXPRESSION_INTEGERS)
            types_want(b, i, EXPRESSION_NUMBERS, who);
}

void types_settle_exact(struct building *b, uint32_t n, const struct expression_function *f)
{
    const struct expression_function *to = f->run == run_is_missing ? &to_double : &to_number;
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (build_below(b, i)->type == EXPRESSION_EXACT) build_conversion(b, i, to);
}

void types_want_operand(struct building *b, char letter, const char *who)
{
    const struct value *v = build_below(b, 0);
    bool integer = v->type == EXPRESSION_INTEGERS;
    if (letter == 'a' || (letter == 'i' && integer)) return;
    if ((letter == 'i' || letter == 'e') && exact_is_text(v))
        build_conversion(b, 0, &to_same);
    else if (letter == 'i' || letter == 'e')
        types_want(b, 0, EXPRESSION_NUMBERS, who);
    else if (letter == 'n' && integer)
        build_conversion(b, 0, &to_double);
    else
        types_want(b, 0, types_given(letter, EXPRESSION_ANY), who);
}

/* Prepares one side of an exact comparison: makes it an exact value, an integer or a number.
 * Returns its kind (SIDE_). A constant below 2^53 becomes an integer only if `integers`. */
static uint32_t types_exact_side(struct building *b, uint32_t depth, bool integers, const char *who)
{
    const struct value *v = build_below(b, depth);
    if (b->failed) return 0;
    if (exact_is_text(v)) build_conversion(b, depth, &to_exact);
    if (v->type == EXPRESSION_EXACT) return SIDE_EXACT;
    bool small = v->constant >= 0 && fabs(b->e->constant[v->constant].number) < EXPRESSION_WHOLE;
    if ((integers || !small) && build_integer(b, depth)) return SIDE_INTEGERS;
    types_want(b, depth, EXPRESSION_NUMBERS, who);
    return 0;
}

uint32_t types_exact_sides(struct building *b, const char *who, bool order)
{
    uint32_t left = types_exact_side(b, 1, true, who), right = types_exact_side(b, 0, true, who);
    if (!b->failed && left & SIDE_EXACT) exact_want(b, 0, order);
    if (!b->failed && right & SIDE_EXACT) exact_want(b, 1, order);
    return left | right << 1;
}

/* True if the value may be a whole number that no double represents. */
static bool types_is_exact(const struct value *v)
{
    return v->type == EXPRESSION_INTEGERS || v->type == EXPRESSION_EXACT || exact_is_text(v);
}

void types_calculate(struct building *b, const struct expression_function *f, uint32_t n,
                     uint32_t at)
{
    uint32_t sides = 0, integers = 0;
    bool exact = false;
    for (uint32_t i = 0; i < n && !b->failed; i++)
        exact = exact || types_is_exact(build_below(b, i));
    bool has_integers = types_have_integers(b, n);
    for (uint32_t i = n; i-- > 0 && !b->failed;)
        if (exact && f->run_of_integers)
            sides |= types_exact_side(b, i, has_integers, f->name) << (n - 1 - i);
        else if (build_below(b, i)->type == EXPRESSION_EXACT ||
                 build_below(b, i)->type == EXPRESSION_INTEGERS)
            build_conversion(b, i, &to_double);
        else
            types_want(b, i, EXPRESSION_NUMBERS, f->name);
    for (uint32_t i = 0; i < n; i++)
        integers += (sides >> i & SIDE_INTEGERS) != 0;
    enum expression_type type = !(exact && f->run_of_integers) ? EXPRESSION_NUMBERS
                                : integers == n                ? EXPRESSION_INTEGERS
                                                               : EXPRESSION_EXACT;
    build_call(b, f, n, type, sides, 0, at);
}

/* Replaces the constant true or false (or 'true' or 'false') by the same truth value of another
 * type. */
static void types_respell(struct building *b, uint32_t depth, bool holds, enum expression_type type)
{
    struct value *v = build_below(b, depth);
    const char *text = type == EXPRESSION_TEXTS ? holds ? "true" : "false" : NULL;
    struct literal x = {holds, LEAT_NO_INT64, false};
    uint32_t k = build_constant(b, x, text, text ? strlen(text) : 0, v->at);
    for (uint32_t i = 0; i < b->e->n_steps && !b->failed; i++) {
        struct expression_step *s = &b->e->step[i];
        if (s->kind != STEP_CONSTANT || s->arg != (uint32_t)v->constant) continue;
        s->arg = k;
        s->type = text ? EXPRESSION_TEXTS : EXPRESSION_NUMBERS;
    }
    v->constant = (int32_t)k;
    v->type = type;
}

/* Returns 1 for the constant text 'true', 0 for 'false', and -1 for others. */
static int types_truth(const struct building *b, const struct value *v)
{
    if (v->type != EXPRESSION_TEXTS || v->constant < 0) return -1;
    struct leat_str s = b->e->constant[v->constant].text;
    const char *text = b->e->text + s.off;
    if (s.len == 4 && !memcmp(text, "true", 4)) return 1;
    return s.len == 5 && !memcmp(text, "false", 5) ? 0 : -1;
}

void types_join_truth(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, i), *other = build_below(b, 1 - i);
        int truth = types_truth(b, v);
        if (other->type == EXPRESSION_CONDITIONS && truth >= 0)
            types_respell(b, i, truth, EXPRESSION_CONDITIONS);
        else if (other->type == EXPRESSION_TEXTS && other->constant < 0 && v->constant >= 0 &&
                 v->type == EXPRESSION_CONDITIONS)
            types_respell(b, i, b->e->constant[v->constant].number == 1, EXPRESSION_TEXTS);
    }
}

void types_check_quoted(struct building *b, const char *who)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *text = build_below(b, i), *number = build_below(b, 1 - i);
        bool is_number = number->type == EXPRESSION_NUMBERS || number->type == EXPRESSION_INTEGERS;
        if (text->type != EXPRESSION_TEXTS || text->constant < 0) continue;
        if (!is_number && number->type != EXPRESSION_EXACT) continue;
        const struct expression_constant *k = &b->e->constant[text->constant];
        build_fail(b, text->at,
                   "%s stands between a number and the text '%.*s': write a number without quotes",
                   who, (int)k->text.len, b->e->text + k->text.off);
    }
}

enum expression_type types_same(struct building *b, uint32_t n, const char *who)
{
    enum expression_type type = EXPRESSION_ANY;
    for (uint32_t i = n; i-- > 0 && !b->failed;) {
        const struct value *v = build_below(b, i);
        if (type == EXPRESSION_ANY) type = v->type;
        if (v->type != type && v->type != EXPRESSION_ANY)
            build_fail(b, v->at, "%s wants values of one type, and this is %s after %s: write %s",
                       who, types_type_text(v->type), types_type_text(type),
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
    /* a constant text and a value of unknown type are compared as texts, because the text may be no
     * number */
    if (unknown && text && !order) return EXPRESSION_TEXTS;
    if (x->type != EXPRESSION_TEXTS || y->type != EXPRESSION_TEXTS) return EXPRESSION_NUMBERS;
    return order && !x->is_made && !y->is_made ? EXPRESSION_NUMBERS : EXPRESSION_TEXTS;
}
