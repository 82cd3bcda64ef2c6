/* bias.c -- learn.bias: the mean and a bias for every feature, as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/bias.c.
 */
#include "kernels/fm/bias.h"

#include <float.h>

#include "factored.h"
#include "learners/fm/docs.h"

struct cfg {
    struct factored_cfg common;
};

struct stage {
    struct factored common;
    struct bias model;
};

static const struct leat_param params[] = {FACTORED_PARAMS("4194304")};

static uint32_t stride(const void *cfg) { return 1 + BIAS_STRIDE; }

static int open_model(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    ((struct stage *)self)->model = (struct bias){(enum fm_loss)c->common.loss, 1, 0, 0};
    return LEAT_OK;
}

static double predict(void *self, const struct fm_example *e)
{
    struct stage *st = self;
    return bias_predict(&st->model, &st->common.g.table, e);
}

static double learn(void *self, const struct fm_example *e)
{
    struct stage *st = self;
    double z = predict(self, e);
    bias_learn(&st->model, &st->common.g.table, e, z);
    return z;
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return bias_weight(&st->model, &st->common.g.table, feature);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    factored_report_bytes(ctx, &st->common, 0);
    ctx->host->metric(ctx, "centre", bias_centre(&st->model));
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct stage, model.member)
static const struct state_field fields[] = {
    {"mass", STATE_VALUE, .at = AT(mass), .max = DBL_MAX},
    {"sum", STATE_VALUE, .at = AT(sum)},
};
#undef AT

static const char *check(const void *self)
{
    const struct stage *st = self;
    return bias_check(&st->model, &st->common.g.table);
}

static int merge_models(struct leat_ctx *ctx, void *self, const struct factored_merger *merger)
{
    struct stage *st = self, *a = merger->a, *b = merger->b;
    const struct feature_table *t = &st->common.g.table;
    bias_merge_features(&st->model, t, &a->common.g.table, NULL, 1);
    bias_merge_features(&st->model, t, &b->common.g.table, merger->number, merger->count);
    bias_merge_centre(&st->model, &a->model, 1);
    bias_merge_centre(&st->model, &b->model, merger->count);
    return LEAT_OK;
}

/* ---- the stage ---- */

static const struct factored_method method = {
    FACTORED_METHOD, .stride = stride,      .open = open_model, .fields = {STATE_TABLE(fields)},
    .check = check,  .merge = merge_models,
};

LEARNER_CALLS(bias, factored, &method)

static const struct leat_figure bias_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"centre", "1", "the label of an example without features", LEAT_GAUGE},
};

const struct leat_stage learn_bias = {
    FACTORED_STAGE(bias),
    .summary = "the mean label and a bias for every feature: what pairs have to improve on",
    .example = "leat.learn.bias { min = 1, max = 5 }",
};
