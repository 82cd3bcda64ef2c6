/* bias.c -- stage learn.bias: predicts by the mean label and a bias for every feature.
 *
 * The algorithm is in plugins/kernels/fm/bias.c. */
#include "kernels/fm/bias.h"

#include <float.h>

#include "factored.h"
#include "learners/fm/docs.h"

struct bias_cfg {
    struct factored_cfg common;
};

struct bias_stage {
    struct factored common;
    struct bias model;
};

static const struct leat_param bias_stage_params[] = {FACTORED_PARAMS("4194304")};

static uint32_t bias_stage_stride(const void *cfg) { return 1 + BIAS_STRIDE; }

static int bias_stage_open_model(struct leat_ctx *ctx, void *self)
{
    const struct bias_cfg *c = ctx->cfg;
    ((struct bias_stage *)self)->model = (struct bias){(enum fm_loss)c->common.loss, 1, 0, 0};
    return LEAT_OK;
}

static double bias_stage_predict(void *self, const struct fm_example *e)
{
    struct bias_stage *st = self;
    return bias_predict(&st->model, &st->common.g.table, e);
}

static double bias_stage_learn(void *self, const struct fm_example *e)
{
    struct bias_stage *st = self;
    double z = bias_stage_predict(self, e);
    bias_learn(&st->model, &st->common.g.table, e, z);
    return z;
}

static double bias_stage_weight(void *self, uint32_t feature)
{
    struct bias_stage *st = self;
    return bias_weight(&st->model, &st->common.g.table, feature);
}

static void bias_stage_report(struct leat_ctx *ctx, void *self)
{
    struct bias_stage *st = self;
    factored_report_bytes(ctx, &st->common, 0);
    ctx->host->metric(ctx, "centre", bias_centre(&st->model));
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct bias_stage, model.member)
static const struct state_field bias_stage_fields[] = {
    {"mass", STATE_VALUE, .at = AT(mass), .max = DBL_MAX},
    {"sum", STATE_VALUE, .at = AT(sum)},
};
#undef AT

static const char *bias_stage_check(const void *self)
{
    const struct bias_stage *st = self;
    return bias_check(&st->model, &st->common.g.table);
}

static int bias_stage_merge_models(struct leat_ctx *ctx, void *self,
                                   const struct factored_merger *merger)
{
    struct bias_stage *st = self, *a = merger->a, *b = merger->b;
    const struct feature_table *t = &st->common.g.table;
    bias_merge_features(&st->model, t, &a->common.g.table, NULL, 1);
    bias_merge_features(&st->model, t, &b->common.g.table, merger->number, merger->count);
    bias_merge_centre(&st->model, &a->model, 1);
    bias_merge_centre(&st->model, &b->model, merger->count);
    return LEAT_OK;
}

/* ---- the stage ---- */

static const struct factored_method bias_stage_method = {
    .instance_size = sizeof(struct bias_stage),
    .learn = bias_stage_learn,
    .predict = bias_stage_predict,
    .report = bias_stage_report,
    .weight = bias_stage_weight,
    .stride = bias_stage_stride,
    .open = bias_stage_open_model,
    .fields = {STATE_TABLE(bias_stage_fields)},
    .check = bias_stage_check,
    .merge = bias_stage_merge_models,
};

static int bias_stage_plan(const void *cfg, const struct leat_schema *in,
                           const struct leat_schema *out, struct leat_plan *p)
{
    return factored_plan(&bias_stage_method, cfg, in, p);
}

static int bias_stage_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &bias_stage_method, self);
}

static const struct leat_figure bias_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"centre", "1", "predicted label of an example without features", LEAT_GAUGE},
};

const struct leat_stage learn_bias = {
    .name = "learn.bias",
    .doc = bias_doc,
    FACTORED_STAGE(struct bias_stage),
    LEAT_PARAMS(bias_stage_params, struct bias_cfg),
    LEAT_FIGURES(bias_figures),
    .validate = factored_validate,
    .plan = bias_stage_plan,
    .open = bias_stage_open,
    .summary = "the mean label and a bias for every feature, as a baseline for models of pairs",
    .example = "leat.learn.bias { min = 1, max = 5 }",
};
