/* broken_numbers.c -- transforms that sum a column of numbers; each breaks a law of `leat plugin
 * test`.
 *
 * whole.sum breaks none. tests/system/plugin_test.sh names each law. */
#include <math.h>

#include <leat/plugin.h>

#define MOST 1e100 /* larger numbers are rejected */

struct cfg {
    const char *column;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .def = "beta", .doc = "whose sum it is"),
};

struct sum {
    double sum;
    uint32_t column;
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    uint32_t index;
    int status =
        n->column(n, "column", ((const struct cfg *)cfg)->column, LEAT_TAKES_NUMBER, &index);
    return status < 0 ? status : n->add_column(n, "sum", 3, LEAT_NUMBER, NULL);
}

static int open(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    return ctx->host->column(ctx, c->column, LEAT_TAKES_NUMBER, &((struct sum *)self)->column);
}

/* Sums all records, without exception. */
static int sums(struct leat_ctx *ctx, struct sum *st, struct leat_batch *b, double most)
{
    for (LEAT_EACH_RECORD(b, r)) {
        const double x = b->column[st->column].number[r];
        b->column[ctx->in->n_columns].number[r] = st->sum;
        if (fabs(x) > most)
            ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "%g is too large", x);
        else if (!isnan(x))
            st->sum += x;
    }
    return LEAT_OK;
}

static int sum(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return sums(ctx, self, b, MOST);
}

static int takes_infinity(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return sums(ctx, self, b, (double)INFINITY);
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->f64(w, "sum", ((struct sum *)self)->sum);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    double sum;
    if (r->f64(r, "sum", &sum)) return LEAT_EDATA;
    if (!isfinite(sum)) return r->refuse(r, "sum is not finite");
    ((struct sum *)self)->sum = sum;
    return LEAT_OK;
}

#define STAGE_OF(ID, NAME)                                                                         \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a transform for tests",                                                        \
        .doc = "It adds the sum of the records before.",                                           \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_TRANSFORM,                                                                    \
        .caps = LEAT_STATEFUL,                                                                     \
        LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),                                             \
        LEAT_PARAMS(params, struct cfg),                                                           \
        LEAT_INSTANCE(struct sum, open, NULL),                                                     \
        .negotiate = negotiate,                                                                    \
        .process = ID,                                                                             \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),    \
    }
STAGE_OF(sum, "whole.sum");
STAGE_OF(takes_infinity, "broken.takes_infinity");

LEAT_PLUGIN("broken_numbers", "1.0", "Apache-2.0", "transforms of numbers that break laws", &s_sum,
            &s_takes_infinity);
