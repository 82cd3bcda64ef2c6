/* top.c -- result.top: makes a record of each of a learner's heaviest features. */
#include "core/report/answer_report.h"
#include "results/docs.h"
#include "rows.h"
#include "common/answers/asked.h"

enum { MAX_COLUMNS = 64 }; /* largest number of columns of an answer */

struct result_top_cfg {
    struct asked asked;
    struct leat_strings columns;
};

struct result_top {
    struct rows rows;
    bool told; /* true after the warning about a condition that no feature meets */
};

static const struct leat_param params[] = {
    ASKED_PARAMS(LEAT_QUESTION, 1e6, "how many features to give, heaviest first", NULL,
                 ASKED_ONLY_AT_END),
    LEAT_PARAM(struct result_top_cfg, columns, LEAT_STRINGS,
               .doc = "which of the learner's columns are given; by default all"),
};

static int result_top_validate(const void *config, struct leat_diag *d)
{
    const struct result_top_cfg *cfg = config;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (strchr(cfg->columns.v[i], '='))
            d->error(d, "columns",
                     "'%s' has a heading, but records have the learner's own names: write the name "
                     "alone, and rename it by shape.set",
                     cfg->columns.v[i]);
    return asked_check(config, d);
}

static int result_top_ask(const void *config, struct leat_ask *a)
{
    a->columns = ((const struct result_top_cfg *)config)->columns;
    return asked_top(config, a);
}

/* ---- columns: rank, feature, twins (if the learner has them), other columns of the learner
 * ---- */

static bool has_twins(const char *const *column, uint32_t n)
{
    while (n && strcmp(column[n - 1], "twins"))
        n--;
    return n;
}

static int result_top_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct result_top_cfg *cfg = config;
    const char *const *column;
    uint32_t all, at[MAX_COLUMNS];
    int status = rows_worse(rows_negotiate(n), n->answer(n, &column, &all));
    status = rows_worse(status, rows_column(n, "rank", LEAT_NUMBER));
    status = rows_worse(status, rows_column(n, "feature", LEAT_TEXT));
    if (has_twins(column, all)) status = rows_worse(status, rows_column(n, "also", LEAT_TEXT));
    const struct answer_columns shown = {cfg->columns.v, cfg->columns.n};
    uint32_t chosen = answer_report_chosen(column, all, shown, at, MAX_COLUMNS);
    for (uint32_t i = 0; i < chosen; i++)
        status = rows_worse(status, rows_column(n, column[at[i]], LEAT_NUMBER));
    return status;
}

/* ---- records ---- */

static int result_top_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct result_top *st = self;
    asked_tell_unmet(ctx, t, &st->told);
    return rows_show(ctx, self, t);
}

static void write_values(struct leat_ctx *ctx, const struct rows *rows, struct leat_batch *out,
                         uint32_t r, uint32_t column)
{
    const struct result_top_cfg *cfg = ctx->cfg;
    const struct leat_table *t = rows->t;
    const struct answer_columns shown = {cfg->columns.v, cfg->columns.n};
    uint32_t at[MAX_COLUMNS];
    uint32_t n = answer_report_chosen(t->columns, t->n_columns, shown, at, MAX_COLUMNS);
    const double *value = t->values + (size_t)rows->row * t->n_columns;
    for (uint32_t i = 0; i < n && column < out->n_columns; i++)
        out->column[column++].number[r] = value[at[i]];
}

/* Adds the record for the next row of rows->t to `out`. Returns false if `out` is full. */
static bool result_top_give(struct leat_ctx *ctx, struct rows *rows, struct leat_batch *out)
{
    const struct leat_table *t = rows->t;
    uint32_t column = rows_first(ctx);
    int added = rows_add(ctx, t, out);
    if (added < 0) return false;
    uint32_t r = (uint32_t)added;
    out->column[column++].number[r] = rows->row + 1.0;
    out->column[column++].text[r] = rows_text(out, t->names[rows->row], t->name_len[rows->row]);
    if (has_twins(t->columns, t->n_columns)) {
        const char *also = t->also ? t->also[rows->row] : "";
        out->column[column++].text[r] = rows_text(out, also, strlen(also));
    }
    write_values(ctx, rows, out, r, column);
    rows->row++;
    return true;
}

static int result_top_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                             struct leat_batch *out)
{
    struct rows *rows = self;
    while (rows->t && rows->row < rows->t->n_rows)
        if (!result_top_give(ctx, rows, out)) return LEAT_AGAIN;
    rows->t = NULL;
    return LEAT_OK;
}

const struct leat_stage result_top = {
    .name = "result.top",
    .summary = "makes records of the heaviest features of a learner",
    .doc = top_doc,
    .example = "leat.result.top { k = 20, every = \"10min\", clock = \"event\" }",
    .kind = LEAT_TRANSFORM,
    .makes = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct result_top_cfg),
    LEAT_INSTANCE(struct result_top, NULL, NULL),
    .validate = result_top_validate,
    .negotiate = result_top_negotiate,
    .expand = result_top_expand,
    .asker = LEAT_ROLE(leat_asker, .ask = result_top_ask, .show = result_top_show),
};
