/* expression_missing.c -- the columns that are without a value where an expression has none. */
#include "expression_inside.h"

#include <string.h>

#include "core/text/number_text.h"

/* Blanks are no number, and a text elsewhere: they are taken for no value here. */
static bool is_blank(const struct leat_batch *b, struct leat_str s)
{
    double x;
    return number_text_double(leat_text(b, s), leat_text(b, s) + s.len, &x) == 0;
}

static bool is_missing(const struct expression_step *s, const struct leat_batch *b, uint32_t r)
{
    union leat_cells cells = b->column[s->arg];
    if (s->type == EXPRESSION_INTEGERS) return cells.int64[r] == LEAT_NO_INT64;
    if (s->type == EXPRESSION_NUMBERS) return !isfinite(cells.number[r]);
    return cells.text[r].len == LEAT_NULL || is_blank(b, cells.text[r]);
}

static bool is_asked(const struct expression *e, uint32_t step)
{
    return step < e->n_steps && e->step[step].kind == STEP_CALL &&
           e->step[step].function->run == run_is_missing;
}

void expression_missing(const struct leat_ctx *ctx, const struct expression *e,
                        const struct leat_batch *b, uint32_t r, struct lacking *to)
{
    for (uint32_t i = 0; i < e->n_steps; i++) {
        const struct expression_step *s = &e->step[i];
        if (s->kind != STEP_COLUMN || s->arg >= ctx->in->n_columns || is_asked(e, i + 1)) continue;
        const char *name = ctx->in->column[s->arg].name;
        if (!lacking_has(to, name, strlen(name)) && is_missing(s, b, r))
            lacking_add(to, name, strlen(name));
    }
}
