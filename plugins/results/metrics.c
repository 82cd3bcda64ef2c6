/* metrics.c -- result.metrics: makes records of a learner's figures, periodically. */
#include <math.h>

#include "results/docs.h"
#include "rows.h"
#include "common/answers/asked.h"

static const struct leat_param params[] = {
    ASKED_OF_PARAM(struct asked, LEAT_POSITIONAL),
    ASKED_EVERY_PARAM(struct asked, "1s", ASKED_ALSO_AT_END),
    ASKED_CLOCK_PARAM,
};

/* Adds a column for each figure of the learner, except the first figure (the number of examples),
 * which all records have in the column `examples`. */
static int result_metrics_negotiate(const void *config, struct leat_negotiation *n)
{
    const char *const *figure;
    uint32_t all;
    int status = rows_worse(rows_negotiate(n), n->answer(n, &figure, &all));
    for (uint32_t i = 1; i < all; i++)
        status = rows_worse(status, rows_column(n, figure[i], LEAT_NUMBER));
    return status;
}

/* Writes the figures to record r. A figure that does not exist yet is missing. */
static void write_figures(struct leat_ctx *ctx, const struct leat_table *t, struct leat_batch *out,
                          uint32_t r)
{
    uint32_t column = rows_first(ctx);
    for (uint32_t i = 1; column < out->n_columns; i++)
        out->column[column++].number[r] = i < t->n_columns ? t->values[i] : (double)NAN;
}

static int result_metrics_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                                 struct leat_batch *out)
{
    struct rows *rows = self;
    int r = rows->t ? rows_add(ctx, rows->t, out) : -1;
    if (r >= 0) write_figures(ctx, rows->t, out, (uint32_t)r);
    rows->t = NULL;
    return LEAT_OK;
}

const struct leat_stage result_metrics = {
    .name = "result.metrics",
    .summary = "makes records of a learner's figures while it learns",
    .doc = metrics_doc,
    .example =
        "leat.result.metrics { every = 100000 }, leat.shape.where { \"error_rate_last > 0.1\" }",
    .kind = LEAT_TRANSFORM,
    .makes = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct asked),
    LEAT_INSTANCE(struct rows, NULL, NULL),
    .validate = asked_check,
    .negotiate = result_metrics_negotiate,
    .expand = result_metrics_expand,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_figures, .show = rows_show),
};
