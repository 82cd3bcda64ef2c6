/* adagrad.c -- learn.adagrad: the diagonal member of the online Newton family as a stage. Only
 * glue; the algorithm is in plugins/kernels/son/adagrad.c. */
#include "kernels/son/adagrad.h"
#include "learners/son/docs.h"
#include "son.h"

struct cfg {
    struct son_cfg son;
    double eta;
};

static const struct leat_param adagrad_params[] = {
    SON_PARAMS("10", 1e-10,
               "added to the roots of the sums of squares: 1/alpha0 is the rate of a rare feature"),
    LEAT_PARAM(struct cfg, eta, LEAT_FLOAT, .def = "1", .min = 1e-6, .max = 1e6,
               .doc = "factor of all rates"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "4194304"),
};

static void init(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                 void *block)
{
    const struct cfg *c = ctx->cfg;
    struct adagrad *m = model;
    *m = (struct adagrad){son_options(&c->son), c->eta};
}

SON_LEARN(adagrad)

static const char *check(const void *model, const struct son_features *f)
{
    return adagrad_check(f);
}

static const struct state_field params[] = {
    {"eta", STATE_SAME, .at = STATE_MEMBER(struct adagrad, eta)},
};

static const struct son_method method = {
    SON_METHOD(adagrad),
    .doubles = ADAGRAD_STRIDE,
    .init = init,
    .params = {STATE_TABLE(params)},
    .check = check,
    .no_merge = "two AdaGrad learners cannot be merged: their steps depend on the steps before",
};

LEARNER_CALLS(adagrad, son, &method)

static const struct leat_figure adagrad_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_adagrad = {
    SON_STAGE(adagrad, adagrad_params, struct cfg, struct adagrad, son_validate),
    .summary = "AdaGrad: a rate of its own for every feature",
    .example = "leat.learn.adagrad { alpha0 = 10 }",
};
