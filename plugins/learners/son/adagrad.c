/* adagrad.c -- learn.adagrad: the diagonal member of the online Newton family as a stage. Only
 * glue; the algorithm is in plugins/kernels/son/adagrad.c. */
#include "kernels/son/adagrad.h"
#include "son.h"
#include "son_state.h"

struct cfg {
    struct son_cfg newton;
    double eta;
};

struct stage {
    struct son_stage newton;
    struct adagrad model;
};

static const struct leat_param stage_params[] = {
    SON_PARAMS("10", 1e-10,
               "added to the roots of the sums of squares: 1/alpha0 is the rate of "
               "a feature that was hardly seen"),
    {.name = "eta",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, eta),
     .def = "1",
     .min = 1e-6,
     .max = 1e6,
     .doc = "factor of all rates"},
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    (void)cfg;
    return ADAGRAD_STRIDE;
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)cfg, (void)features, (void)touched;
    return 0;
}

static void init(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    (void)features, (void)touched, (void)block;
    st->model = (struct adagrad){son_options(&c->newton), c->eta};
}

static enum son_result learn(void *self, const struct son_features *f, double *z)
{
    struct stage *st = self;
    return adagrad_learn(&st->model, f, &st->newton.row, z);
}

static double weight(const void *self, const struct son_features *f, uint32_t feature)
{
    (void)self;
    return adagrad_weight(f, feature);
}

static const struct son_method method = {
    .stride = stride, .bytes = bytes, .init = init, .learn = learn, .weight = weight};

static int write(struct leat_ctx *ctx, const void *self, struct leat_writer *w)
{
    const struct cfg *c = ctx->cfg;
    (void)self;
    return w->f64(w, "eta", c->eta);
}

static int same(const void *live, struct leat_reader *r)
{
    const struct stage *st = live;
    return r->same_f64(r, "eta", st->model.eta);
}

static int read(void *self, struct leat_reader *r)
{
    struct son_features f = son_features(self);
    for (uint32_t j = 0; j < f.known; j++)
        if (son_feature(&f, j)[1] < 0) return r->refuse(r, "a sum of squares is negative");
    return LEAT_OK;
}

static const struct son_state_method state = {
    .method = &method,
    .size = sizeof(struct stage),
    .write = write,
    .same = same,
    .read = read,
    .no_merge = "steps of AdaGrad depend on the steps before: two learners have no merge"};

SON_CALLS(stage_, method)
SON_STATE_CALLS(stage_, state)

const struct leat_stage learn_adagrad = {
    .name = "learn.adagrad",
    .summary = "AdaGrad: a rate of its own for every feature",
    .doc = "w_j -= eta g x_j / (alpha0 + sqrt(s_j)), s_j the sum of all (g x_j)^2, after the "
           "projection in that norm: the family of learn.rfd_son with H diagonal. O(nnz) an "
           "example, 44 bytes a feature. Best alpha0 on rows of length 1: about 3 to 10. Source: "
           "J. Duchi et al., JMLR 2011." SON_DOC,
    .example = "leat.learn.adagrad { alpha0 = 10 }",
    SON_STAGE(stage_),
};
