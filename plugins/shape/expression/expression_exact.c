/* expression_exact.c -- see expression_exact.h. */
#include "expression_exact.h"

#include <math.h>

#include "kernels/text/decimal.h"

static const double EXACT = 0x1p53; /* doubles have all whole numbers below */

/* Do several whole numbers read as this double? */
static bool is_shared(double x) { return fabs(x) >= EXACT; }

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

void exact_check_members(struct building *b, uint32_t first, uint32_t at)
{
    for (uint32_t i = first; i < b->e->n_constants; i++)
        if (b->e->constant[i].is_rounded || is_shared(b->e->constant[i].number)) exact_fail(b, at);
}

void exact_check_sides(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, 1 - i);
        if (v->type != EXPRESSION_NUMBERS || v->constant < 0) continue;
        if (is_shared(b->e->constant[v->constant].number)) exact_fail(b, v->at);
    }
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
