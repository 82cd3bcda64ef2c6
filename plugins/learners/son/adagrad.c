/* adagrad.c -- stage learn.adagrad: the diagonal member of the online Newton family.
 *
 * The algorithm is in plugins/kernels/son/adagrad.c. */
#include "kernels/son/adagrad.h"
#include "learners/son/docs.h"
#include "son.h"

struct adagrad_cfg {
    struct son_cfg son;
    double eta;
};

static const struct leat_param adagrad_params[] = {
    SON_PARAMS("10", 1e-10,
               "added to the roots of the sums of squares: 1/alpha0 is the rate of a rare feature"),
    LEAT_PARAM(struct adagrad_cfg, eta, LEAT_FLOAT, .def = "1", .min = 1e-6, .max = 1e6,
               .doc = "factor of all rates"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "4194304"),
};

static void adagrad_options(const void *cfg, uint64_t seed, void *opt)
{
    const struct adagrad_cfg *c = cfg;
    *(struct adagrad *)opt = (struct adagrad){son_options(&c->son), c->eta};
}

static const struct state_field adagrad_same[] = {
    {"eta", STATE_SAME, .at = STATE_MEMBER(struct adagrad, eta)},
};

static const struct son_method adagrad_method = {
    .kernel = &adagrad_kernel,
    .first_order = true,
    .options = adagrad_options,
    .params = {STATE_TABLE(adagrad_same)},
    .no_merge = "two AdaGrad learners cannot be merged: their steps depend on the steps before",
};

static int adagrad_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(&adagrad_method, cfg, in, p);
}

static int adagrad_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &adagrad_method, self);
}

static const struct leat_figure adagrad_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_adagrad = {
    .name = "learn.adagrad",
    .doc = adagrad_doc,
    SON_STAGE(struct adagrad),
    LEAT_PARAMS(adagrad_params, struct adagrad_cfg),
    LEAT_FIGURES(adagrad_figures),
    .validate = son_validate,
    .plan = adagrad_plan,
    .open = adagrad_open,
    .summary = "AdaGrad: each feature has its own rate",
    .example = "leat.learn.adagrad { alpha0 = 10 }",
};
