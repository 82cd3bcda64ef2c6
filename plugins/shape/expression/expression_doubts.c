/* expression_doubts.c -- comparisons that are right and hardly meant: the order of texts by their
 * bytes, where all texts of the column are numbers.
 *
 * Years and postal codes of one length have the same order either way, and are not told. */
#include "expression_inside.h"

#include <string.h>

#include "kernels/text/decimal.h"
#include "common/cells/cell.h"

enum { FEWEST = 10, LOOKED_AT = 64, SHOWN = 40 };

/* `column < 'constant'` or the other way round, as the steps have it. */
struct comparison {
    uint32_t column;
    const char *text; /* of the constant */
    uint32_t len;
    double number; /* NaN: the constant is none */
};

static bool is_order(const struct expression_step *s)
{
    const struct expression_function *const f[] = {&operator_less, &operator_at_most,
                                                   &operator_greater, &operator_at_least};
    bool order = false;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        order = order || s->function == f[i];
    return s->kind == STEP_CALL && s->type == EXPRESSION_TEXTS && order;
}

static bool read_whole(const struct leat_column *column, const char *s, uint32_t n, double *x)
{
    return cell_decimal(column, s, s + n, x) == DECIMAL_OK;
}

/* The comparison of three steps. false: it is none of these. */
static bool is_comparison(const struct expression *e, const struct expression_step *step,
                          struct comparison *c)
{
    const struct expression_step *a = &step[0], *b = &step[1];
    if (!is_order(&step[2])) return false;
    const struct expression_step *column = a->kind == STEP_COLUMN ? a : b;
    const struct expression_step *constant = a->kind == STEP_COLUMN ? b : a;
    if (column->kind != STEP_COLUMN || constant->kind != STEP_CONSTANT) return false;
    struct leat_str s = e->constant[constant->arg].text;
    *c = (struct comparison){column->arg, e->text + s.off, s.len, (double)NAN};
    double x;
    if (decimal_whole(c->text, c->text + c->len, &x) == DECIMAL_OK) c->number = x;
    return column->arg < LEAT_MAX_COLUMNS;
}

static bool is_less(const char *a, uint32_t n_a, const struct comparison *c)
{
    uint32_t n = n_a < c->len ? n_a : c->len;
    int order = memcmp(a, c->text, n);
    return order ? order < 0 : n_a < c->len;
}

/* Are all texts of the column numbers, some of which compare otherwise? *shown: such a row. */
static bool is_doubtful(const struct comparison *c, const struct leat_column *column,
                        const struct leat_batch *b, const uint32_t *row, uint32_t n,
                        uint32_t *shown)
{
    uint32_t numbers = 0, others = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct leat_str s = b->column[c->column].text[row[i]];
        double x;
        if (s.len == LEAT_NULL) continue;
        if (!read_whole(column, leat_text(b, s), s.len, &x)) return false;
        if (isnan(c->number) || (x < c->number) != is_less(leat_text(b, s), s.len, c)) {
            *shown = row[i];
            others++;
        }
        numbers++;
    }
    return numbers >= FEWEST && others;
}

void expression_warn_of_texts(struct leat_ctx *ctx, const struct expression *e,
                              const struct leat_batch *b, const uint32_t *row, uint32_t n,
                              const char *source)
{
    struct comparison c;
    uint32_t r = 0;
    for (uint32_t k = 0; k + 2 < e->n_steps; k++) {
        if (!is_comparison(e, &e->step[k], &c) ||
            !is_doubtful(&c, &ctx->in->column[c.column], b, row, n < LOOKED_AT ? n : LOOKED_AT, &r))
            continue;
        struct leat_str s = b->column[c.column].text[r];
        ctx->host->log(
            ctx, LEAT_WARN,
            "'%s' compares texts, by their bytes: those of column '%s' are numbers, such "
            "as %.*s, and '%.*s' is a text: %s",
            source, ctx->in->column[c.column].name, (int)(s.len < SHOWN ? s.len : SHOWN),
            leat_text(b, s), (int)(c.len < SHOWN ? c.len : SHOWN), c.text,
            isnan(c.number) ? "compare with a number" : "write it without quotes");
    }
}
