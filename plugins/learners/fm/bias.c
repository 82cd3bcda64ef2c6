/* bias.c -- stage learn.bias: predicts by the mean label and a bias for every feature.
 *
 * The algorithm is in plugins/kernels/fm/bias.c. */
#include "kernels/fm/bias.h"

#include <float.h>
#include <stdbool.h>

#include "factored.h"
#include "learners/fm/docs.h"

#define RECENT 0.001 /* share of the latest example in the mean of the errors */

struct bias_cfg {
    struct factored_cfg common;
    int32_t better;
};

struct bias_stage {
    struct factored common;
    struct bias model;
    double last_error, mean_error; /* recent squared errors of the last weights, and of averages */
};

static const char *const bias_stage_predicts[] = {"last", "better", NULL};

static const struct leat_param bias_stage_params[] = {
    FACTORED_PARAMS("4194304"),
    LEAT_PARAM_AS("predicts", struct bias_cfg, better, LEAT_CHOICE, .def = "last",
                  .choices = bias_stage_predicts,
                  .doc = "weights that predict: last: the last ones; better: these or their "
                         "averages, whose recent errors are smaller (needs averaged)"),
};

static int bias_stage_validate(const void *cfg, struct leat_diag *d)
{
    const struct bias_cfg *c = cfg;
    int status = factored_validate(cfg, d);
    if (!c->better || (c->common.averaged && c->common.loss == FM_SQUARED)) return status;
    d->error(d, "predicts", "\"better\" needs averaged = true and loss = \"squared\"");
    return LEAT_EARG;
}

static uint32_t bias_stage_stride(const void *cfg) { return 1 + BIAS_STRIDE; }

static int bias_stage_open_model(struct leat_ctx *ctx, void *self)
{
    const struct bias_cfg *c = ctx->cfg;
    ((struct bias_stage *)self)->model = (struct bias){(enum fm_loss)c->common.loss, 1, 0, 0};
    return LEAT_OK;
}

static bool bias_stage_is_better(const struct bias_stage *st)
{
    return ((const struct bias_cfg *)(const void *)st->common.cfg)->better;
}

/* Predicts by the averages of the weights. */
static double bias_stage_predict_by_means(const struct bias_stage *st, const struct fm_example *e)
{
    double z = bias_centre(&st->model);
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t f = e->feature[i];
        double last = bias_weight(&st->model, &st->common.g.table, f);
        z += averages_mean(&st->common.averages, f, last) * e->x[i];
    }
    return z;
}

/* Returns the prediction of the last weights or that of the averages. */
static double bias_stage_choose(const struct bias_stage *st, double last, double mean)
{
    return st->mean_error < st->last_error ? mean : last;
}

static double bias_stage_predict(void *self, const struct fm_example *e)
{
    struct bias_stage *st = self;
    double z = bias_predict(&st->model, &st->common.g.table, e);
    return bias_stage_is_better(st) ? bias_stage_choose(st, z, bias_stage_predict_by_means(st, e))
                                    : z;
}

static double bias_stage_learn(void *self, const struct fm_example *e)
{
    struct bias_stage *st = self;
    double z = bias_predict(&st->model, &st->common.g.table, e), score = z;
    if (bias_stage_is_better(st)) {
        double mean = bias_stage_predict_by_means(st, e);
        score = bias_stage_choose(st, z, mean);
        st->last_error += RECENT * ((z - e->y) * (z - e->y) - st->last_error);
        st->mean_error += RECENT * ((mean - e->y) * (mean - e->y) - st->mean_error);
    }
    bias_learn(&st->model, &st->common.g.table, e, z);
    return score;
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

/* Fields of a state that only a learner with predicts = "better" has. */
#define AT(member) STATE_MEMBER(struct bias_stage, member)
static const struct state_field bias_stage_errors[] = {
    {"last_error", STATE_VALUE, .at = AT(last_error), .max = DBL_MAX},
    {"mean_error", STATE_VALUE, .at = AT(mean_error), .max = DBL_MAX},
};
#undef AT

static int bias_stage_write(const void *self, struct leat_writer *w)
{
    return bias_stage_is_better(self) ? state_write(w, STATE_TABLE(bias_stage_errors), self)
                                      : LEAT_OK;
}

static int bias_stage_read(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    return bias_stage_is_better(self) ? state_read(r, STATE_TABLE(bias_stage_errors), self)
                                      : LEAT_OK;
}

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
    double of_a = (double)a->common.examples, of_b = merger->count * (double)b->common.examples,
           all = of_a + of_b > 0 ? of_a + of_b : 1;
    st->last_error = of_a / all * a->last_error + of_b / all * b->last_error;
    st->mean_error = of_a / all * a->mean_error + of_b / all * b->mean_error;
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
    .write = bias_stage_write,
    .read = bias_stage_read,
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
    .validate = bias_stage_validate,
    .plan = bias_stage_plan,
    .open = bias_stage_open,
    .summary = "the mean label and a bias for every feature, as a baseline for models of pairs",
    .example = "leat.learn.bias { min = 1, max = 5 }",
};
