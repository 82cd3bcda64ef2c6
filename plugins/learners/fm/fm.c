/* fm.c -- stage learn.fm: the factorization machine with factors, trained by AdaGrad.
 *
 * The algorithm is in plugins/kernels/fm/fm_adagrad.c. */
#include "kernels/fm/fm_adagrad.h"

#include <float.h>

#include "factored.h"
#include "learners/fm/docs.h"

struct fm_cfg {
    struct factored_cfg common;
    int64_t factors;
    double rate, lambda, init;
};

struct fm_stage {
    struct factored common;
    struct fm_adagrad model;
};

static const struct leat_param fm_stage_params[] = {
    LEAT_PARAM(struct fm_cfg, factors, LEAT_INT, .def = "8", .min = 1,
               .max = FM_ADAGRAD_MAX_FACTORS, .doc = "factors of each feature"),
    LEAT_PARAM(struct fm_cfg, rate, LEAT_FLOAT, .def = "0.3", .min = 1e-9, .max = 1e3,
               .doc = "factor of AdaGrad's steps"),
    LEAT_PARAM(struct fm_cfg, lambda, LEAT_FLOAT, .def = "0.03", .min = 0, .max = 1e3,
               .doc = "strength of the L2 penalty on the weights that an example uses; for "
                      "classes, 0.001 is better"),
    LEAT_PARAM(struct fm_cfg, init, LEAT_FLOAT, .def = "0.1", .min = 0, .max = 1e3,
               .doc = "factors begin at random, uniform in -init .. init"),
    FACTORED_PARAMS("1048576"),
};

static uint32_t fm_stage_stride(const void *cfg)
{
    return fm_adagrad_stride((uint32_t)((const struct fm_cfg *)cfg)->factors);
}

static uint64_t fm_stage_scratch(const void *cfg, uint32_t max_row)
{
    return 8 * (uint64_t)((const struct fm_cfg *)cfg)->factors;
}

static int fm_stage_open_model(struct leat_ctx *ctx, void *self)
{
    struct fm_stage *st = self;
    const struct fm_cfg *c = ctx->cfg;
    enum fm_loss loss = (enum fm_loss)c->common.loss;
    st->model = (struct fm_adagrad){.loss = loss,
                                    .k = (uint32_t)c->factors,
                                    .rate = c->rate,
                                    .lambda = c->lambda,
                                    .init = c->init,
                                    .seed = ctx->host->seed(ctx),
                                    .centre = {loss, 1, 0, 0},
                                    .square = 0};
    st->model.sum = ctx->host->alloc(ctx, st->model.k * sizeof *st->model.sum);
    return st->model.sum
               ? LEAT_OK
               : ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for factors");
}

static void fm_stage_close_model(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct fm_stage *)self)->model.sum);
}

static double fm_stage_learn(void *self, const struct fm_example *e)
{
    struct fm_stage *st = self;
    return fm_adagrad_learn(&st->model, &st->common.g.table, e);
}

static double fm_stage_predict(void *self, const struct fm_example *e)
{
    struct fm_stage *st = self;
    return fm_adagrad_predict(&st->model, &st->common.g.table, e);
}

static void fm_stage_report(struct leat_ctx *ctx, void *self)
{
    struct fm_stage *st = self;
    factored_report_bytes(ctx, &st->common, 0);
    ctx->host->metric(ctx, "centre", bias_centre(&st->model.centre));
}

static double fm_stage_weight(void *self, uint32_t feature)
{
    return fm_adagrad_weight(&((struct fm_stage *)self)->common.g.table, feature);
}

/* ---- state ---- */

static const struct state_field fm_stage_same[] = {
#define AT(member) STATE_MEMBER(struct fm_stage, model.member)
    {"seed", STATE_SAME, .at = AT(seed)}, {"factors", STATE_SAME, .at = AT(k)},
    {"rate", STATE_SAME, .at = AT(rate)}, {"lambda", STATE_SAME, .at = AT(lambda)},
    {"init", STATE_SAME, .at = AT(init)},
};

static const struct state_field fm_stage_fields[] = {
    {"mass", STATE_VALUE, .at = AT(centre.mass), .max = DBL_MAX},
    {"sum", STATE_VALUE, .at = AT(centre.sum)},
    {"square", STATE_VALUE, .at = AT(square), .max = DBL_MAX},
#undef AT
};

static const char *fm_stage_check(const void *self)
{
    const struct fm_stage *st = self;
    return fm_adagrad_check(&st->model, &st->common.g.table);
}

/* ---- the stage ---- */

static const struct factored_method fm_stage_method = {
    .instance_size = sizeof(struct fm_stage),
    .learn = fm_stage_learn,
    .predict = fm_stage_predict,
    .report = fm_stage_report,
    .weight = fm_stage_weight,
    .stride = fm_stage_stride,
    .scratch = fm_stage_scratch,
    .open = fm_stage_open_model,
    .close = fm_stage_close_model,
    .params = {STATE_TABLE(fm_stage_same)},
    .fields = {STATE_TABLE(fm_stage_fields)},
    .check = fm_stage_check,
    .no_merge = "factors of two models cannot be merged, because they mean different things",
};

static int fm_stage_plan(const void *cfg, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    return factored_plan(&fm_stage_method, cfg, in, p);
}

static int fm_stage_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &fm_stage_method, self);
}

static const struct leat_figure fm_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"centre", "1", "predicted label of an example without features", LEAT_GAUGE},
};

const struct leat_stage learn_fm = {
    .name = "learn.fm",
    .doc = fm_doc,
    FACTORED_STAGE(struct fm_stage),
    LEAT_PARAMS(fm_stage_params, struct fm_cfg),
    LEAT_FIGURES(fm_figures),
    .validate = factored_validate,
    .plan = fm_stage_plan,
    .open = fm_stage_open,
    .summary = "factorization machine in k factors a feature, by AdaGrad (not convex)",
    .example = "leat.learn.fm { factors = 10, min = 1, max = 5 }",
};
