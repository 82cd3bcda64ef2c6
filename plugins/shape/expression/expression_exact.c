/* expression_exact.c -- see expression_exact.h. */
#include "expression_exact.h"

#include <math.h>

#include "kernels/text/decimal.h"

static const double INTEGERS_END = 0x1p63;

/* Do several whole numbers read as this double? */
static bool is_shared(double x) { return fabs(x) >= EXPRESSION_WHOLE; }

void exact_fail(struct building *b, uint32_t at)
{
    build_fail(b, at,
               "beyond 2^53 several whole numbers are one number: compare texts, as in id == "
               "'9007199254740993', or read the column as integers (parse.json, parse.avro)");
}

void exact_check(struct building *b)
{
    const struct expression *e = b->e;
    for (uint32_t i = 0; i < e->n_steps && !b->failed; i++) {
        const struct expression_step *s = &e->step[i];
        bool number = s->kind == STEP_CONSTANT && s->type == EXPRESSION_NUMBERS;
        if (number && e->constant[s->arg].is_rounded) exact_fail(b, s->at);
    }
}

/* A number that stands there. */
static bool is_number(const struct value *v)
{
    return v->type == EXPRESSION_NUMBERS && v->constant >= 0;
}

static double number_of(const struct building *b, const struct value *v)
{
    return b->e->constant[v->constant].number;
}

void exact_check_sides(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, 1 - i);
        if (is_number(v) && is_shared(number_of(b, v))) exact_fail(b, v->at);
    }
}

bool exact_is_text(const struct value *v) { return v->type == EXPRESSION_TEXTS && v->constant < 0; }

/* Does a text meet something else than a number below 2^53? */
static bool is_met(const struct building *b, const struct value *text, const struct value *other)
{
    return exact_is_text(text) && !(is_number(other) && !is_shared(number_of(b, other)));
}

bool exact_is_needed(struct building *b)
{
    const struct value *x = build_below(b, 1), *y = build_below(b, 0);
    return is_met(b, x, y) || is_met(b, y, x);
}

static void fail_beyond(struct building *b, uint32_t at)
{
    build_fail(b, at,
               "texts are whole numbers up to 2^63 here: compare texts, as in id == "
               "'9223372036854775808', or doubles, as in number(id) > 1e20");
}

void exact_want(struct building *b, uint32_t depth)
{
    const struct value *v = build_below(b, depth);
    if (is_number(v) && fabs(number_of(b, v)) >= INTEGERS_END) fail_beyond(b, v->at);
}

bool exact_wants_members(struct building *b, uint32_t first, uint32_t at)
{
    bool shared = false, beyond = false;
    for (uint32_t i = first; i < b->e->n_constants; i++) {
        const struct expression_constant *k = &b->e->constant[i];
        shared |= is_shared(k->number);
        beyond |= k->integer == LEAT_NO_INT64 && fabs(k->number) >= INTEGERS_END;
    }
    if (!shared) return false;
    if (!exact_is_text(build_below(b, 0)))
        exact_fail(b, at);
    else if (beyond)
        fail_beyond(b, at);
    return true;
}

bool exact_is_large_text(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return false;
    const struct expression_constant *k = &b->e->constant[v->constant];
    const char *text = b->e->text + k->text.off;
    return decimal_whole(text, text + k->text.len, &x) == DECIMAL_OK &&
           (is_shared(x) || lexer_is_rounded(text, k->text.len, x));
}
