/* ftrl_proximal.c -- stage learn.ftrl_proximal: FTRL-Proximal, a linear learner with an L1 penalty.
 *
 * The algorithm is in plugins/kernels/son/ftrl_proximal.c. */
#include "kernels/son/ftrl_proximal.h"
#include "learners/son/docs.h"
#include "son.h"

struct ftrl_proximal_cfg {
    struct son_cfg son;
    double alpha, beta, l1, l2;
    int32_t bias;
};

static const struct leat_param ftrl_proximal_params[] = {
    LEAT_PARAM(struct ftrl_proximal_cfg, alpha, LEAT_FLOAT, .def = "0.1", .min = 1e-6, .max = 1e3,
               .doc = "factor of all rates: a feature's rate is alpha / (beta + sqrt(n))"),
    LEAT_PARAM(struct ftrl_proximal_cfg, beta, LEAT_FLOAT, .def = "1", .min = 1e-6, .max = 1e6,
               .doc = "keeps the first steps of a feature short"),
    LEAT_PARAM(struct ftrl_proximal_cfg, l1, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,
               .doc = "strength of the L1 penalty: weights of little use are exactly 0"),
    LEAT_PARAM(struct ftrl_proximal_cfg, l2, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,
               .doc = "strength of the L2 penalty"),
    LEAT_PARAM(struct ftrl_proximal_cfg, bias, LEAT_BOOL, .def = "true",
               .doc = "a weight for all examples, without L1 penalty"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "4194304"),
};

static void ftrl_proximal_options(const void *cfg, uint64_t seed, void *opt)
{
    const struct ftrl_proximal_cfg *c = cfg;
    *(struct ftrl_proximal *)opt = (struct ftrl_proximal){
        .alpha = c->alpha, .beta = c->beta, .l1 = c->l1, .l2 = c->l2, .has_bias = c->bias != 0};
}

static double ftrl_proximal_shown_bias(const void *model)
{
    const struct ftrl_proximal *m = model;
    return m->has_bias ? ftrl_proximal_bias(m) : 0;
}

static void ftrl_proximal_report(struct leat_ctx *ctx, const void *model,
                                 const struct son_features *f)
{
    const struct ftrl_proximal *m = model;
    ctx->host->metric(ctx, "nonzero_weights", (double)ftrl_proximal_nonzero(m, f));
    ctx->host->metric(ctx, "bias", ftrl_proximal_bias(m));
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct ftrl_proximal, member)
static const struct state_field ftrl_proximal_same[] = {
    {"alpha", STATE_SAME, .at = AT(alpha)},
    {"beta", STATE_SAME, .at = AT(beta)},
    {"l1", STATE_SAME, .at = AT(l1)},
    {"l2", STATE_SAME, .at = AT(l2)},
    {"bias", STATE_SAME, .at = AT(has_bias), .choices = state_false_true},
};
static const struct state_field ftrl_proximal_fields[] = {
    {"bias_z", STATE_VALUE, .at = AT(bias_z), .min = -1e200, .max = 1e200},
    {"bias_n", STATE_VALUE, .at = AT(bias_n), .max = 1e200},
};
#undef AT

static int ftrl_proximal_merge_stages(struct leat_ctx *ctx, struct son_stage *st,
                                      const struct son_stage *a, const struct son_stage *b,
                                      const struct son_mix *mix)
{
    struct son_features f = son_features(st);
    struct ftrl_proximal_side one = {(const void *)a->model, son_features(a), 1, mix->share_a},
                              other = {(const void *)b->model, son_features(b), mix->count,
                                       mix->share_b};
    ftrl_proximal_merge((void *)st->model, &f, &one, &other, mix->number);
    return LEAT_OK;
}

static const struct son_method ftrl_proximal_method = {
    .kernel = &ftrl_proximal_kernel,
    .options = ftrl_proximal_options,
    .plain = true,
    .bias = ftrl_proximal_shown_bias,
    .report = ftrl_proximal_report,
    .params = {STATE_TABLE(ftrl_proximal_same)},
    .fields = {STATE_TABLE(ftrl_proximal_fields)},
    .merge = ftrl_proximal_merge_stages,
};

static int ftrl_proximal_plan(const void *cfg, const struct leat_schema *in,
                              const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(&ftrl_proximal_method, cfg, in, p);
}

static int ftrl_proximal_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &ftrl_proximal_method, self);
}

static const struct leat_figure ftrl_proximal_figures[] = {
    SON_FIGURES,
    {"nonzero_weights", "features", "features whose weight is not 0", LEAT_GAUGE},
    FIGURE_BIAS,
};

const struct leat_stage learn_ftrl_proximal = {
    .name = "learn.ftrl_proximal",
    .doc = ftrl_proximal_doc,
    SON_STAGE(struct ftrl_proximal),
    LEAT_PARAMS(ftrl_proximal_params, struct ftrl_proximal_cfg),
    LEAT_FIGURES(ftrl_proximal_figures),
    .plan = ftrl_proximal_plan,
    .open = ftrl_proximal_open,
    .summary = "FTRL-Proximal: a rate for every feature, and weights that are exactly 0",
    .example = "leat.learn.ftrl_proximal { alpha = 0.1, l1 = 1 }",
};
