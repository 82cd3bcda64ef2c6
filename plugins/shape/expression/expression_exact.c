/* expression_exact.c -- whole numbers of at least 2^53, which doubles share. */
#include "expression_build.h"

#include <math.h>

#include "kernels/text/decimal.h"

static const double INTEGERS_END = 0x1p63;

/* True if several whole numbers are rounded to the double x. */
static bool exact_is_shared(double x) { return fabs(x) >= EXPRESSION_WHOLE; }

void exact_fail(struct building *b, uint32_t at)
{
    build_fail(b, at,
               "beyond 2^53 different whole numbers count as equal: read the column as text, or as "
               "integers (parse.json, parse.avro)");
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

/* True for a constant number. */
static bool exact_is_number(const struct value *v)
{
    return v->type == EXPRESSION_NUMBERS && v->constant >= 0;
}

static double exact_number_of(const struct building *b, const struct value *v)
{
    return b->e->constant[v->constant].number;
}

void exact_check_sides(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, 1 - i);
        if (exact_is_number(v) && exact_is_shared(exact_number_of(b, v))) exact_fail(b, v->at);
    }
}

bool exact_is_text(const struct value *v) { return v->type == EXPRESSION_TEXTS && v->constant < 0; }

/* True if `text` must be read exactly when it is compared with `other`: it is exact already, or
 * `other` is not a constant below 2^53. */
static bool exact_is_met(const struct building *b, const struct value *text,
                         const struct value *other)
{
    if (text->type == EXPRESSION_EXACT) return true;
    return exact_is_text(text) &&
           !(exact_is_number(other) && !exact_is_shared(exact_number_of(b, other)));
}

bool exact_is_needed(struct building *b)
{
    const struct value *x = build_below(b, 1), *y = build_below(b, 0);
    return exact_is_met(b, x, y) || exact_is_met(b, y, x);
}

static void exact_fail_beyond(struct building *b, uint32_t at, double x)
{
    build_fail(b, at,
               "a text is a whole number only up to 2^63: compare texts, as in id == "
               "'%s9223372036854775808', or the order, as in id > 1e20",
               x < 0 ? "-" : "");
}

void exact_want(struct building *b, uint32_t depth, bool order)
{
    const struct value *v = build_below(b, depth);
    if (!exact_is_number(v)) return;
    const struct expression_constant *k = &b->e->constant[v->constant];
    if (fabs(k->number) >= INTEGERS_END && (k->is_rounded || !order))
        exact_fail_beyond(b, v->at, k->number);
}

bool exact_wants_members(struct building *b, uint32_t first, uint32_t at)
{
    const struct expression_constant *beyond = NULL;
    bool shared = false;
    for (uint32_t i = first; i < b->e->n_constants; i++) {
        const struct expression_constant *k = &b->e->constant[i];
        shared |= exact_is_shared(k->number);
        if (k->integer == LEAT_NO_INT64 && (k->is_rounded || fabs(k->number) >= INTEGERS_END))
            beyond = k;
    }
    bool exact = build_below(b, 0)->type == EXPRESSION_EXACT;
    if (!shared) return exact;
    if (!exact && !exact_is_text(build_below(b, 0)))
        exact_fail(b, at);
    else if (beyond)
        exact_fail_beyond(b, at, beyond->number);
    return true;
}

bool exact_is_large_text(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return false;
    const struct expression_constant *k = &b->e->constant[v->constant];
    const char *text = b->e->text + k->text.off;
    return decimal_whole(text, text + k->text.len, &x) == DECIMAL_OK &&
           (exact_is_shared(x) || lexer_is_rounded(text, k->text.len, x));
}
