/* fm.c -- learn.fm: the factorization machine in factors, by AdaGrad, as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/fm.c.
 */
#include "kernels/fm/fm.h"
#include "factored.h"
#include "factored_state.h"

struct cfg {
    struct factored_cfg common;
    int64_t factors;
    double rate, lambda, init;
};

struct stage {
    struct factored common;
    struct fm model;
};

static const struct leat_param params[] = {
    {.name = "factors",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, factors),
     .def = "8",
     .min = 1,
     .max = FM_MAX_FACTORS,
     .doc = "factors of each feature"},
    {.name = "rate",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, rate),
     .def = "0.3",
     .min = 1e-9,
     .max = 1e3,
     .doc = "factor of AdaGrad's steps"},
    {.name = "lambda",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, lambda),
     .def = "0.03",
     .min = 0,
     .max = 1e3,
     .doc = "strength of the L2 penalty on what an example touches; of classes rather 0.001"},
    {.name = "init",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, init),
     .def = "0.1",
     .min = 0,
     .max = 1e3,
     .doc = "factors begin uniform in -init .. init"},
    FACTORED_PARAMS,
    FACTORED_TOP_PARAM,
};

static uint32_t stride(const void *cfg)
{
    return fm_stride((uint32_t)((const struct cfg *)cfg)->factors);
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    enum factor_loss loss = (enum factor_loss)c->common.loss;
    st->model = (struct fm){.loss = loss,
                            .k = (uint32_t)c->factors,
                            .rate = c->rate,
                            .lambda = c->lambda,
                            .init = c->init,
                            .seed = ctx->host->seed(ctx),
                            .centre = {loss, 1, 0, 0}};
    st->model.sum = ctx->host->alloc(ctx, st->model.k * sizeof *st->model.sum);
    return st->model.sum ? LEAT_OK : ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for factors");
}

static void close_model(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct stage *)self)->model.sum);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return factored_plan(&(struct factored_kind){.stride = stride}, cfg, in, p, 0,
                         8 * (uint64_t)((const struct cfg *)cfg)->factors);
}

static double learn(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    return fm_learn(&st->model, &st->common.g.table, e);
}

static double predict(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    return fm_predict(&st->model, &st->common.g.table, e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    factored_report_bytes(ctx, self, 0);
    ctx->host->metric(ctx, "centre", bias_centre(&((struct stage *)self)->model.centre));
}

static double weight(void *self, uint32_t feature)
{
    return fm_weight(&((struct stage *)self)->common.g.table, feature);
}

static void column(void *self, uint32_t feature, double *out)
{
    struct stage *st = self;
    memcpy(out, fm_factors(&st->common.g.table, feature), st->model.k * sizeof *out);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    struct factored_view v = {
        .plus = st->model.k, .rows = st->model.k, .scale = 1, .column = column};
    return factored_offer_pairs(ctx, self, &v, out);
}

static void write_params(void *self, struct leat_writer *w)
{
    const struct fm *m = &((struct stage *)self)->model;
    w->u64(w, "seed", m->seed);
    w->u64(w, "factors", m->k);
    w->f64(w, "rate", m->rate);
    w->f64(w, "lambda", m->lambda);
    w->f64(w, "init", m->init);
}

static int same_params(void *self, struct leat_reader *r)
{
    const struct fm *m = &((struct stage *)self)->model;
    int bad = r->same_u64(r, "seed", m->seed) | r->same_u64(r, "factors", m->k) |
              r->same_f64(r, "rate", m->rate) | r->same_f64(r, "lambda", m->lambda) |
              r->same_f64(r, "init", m->init);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static void write_model(void *self, struct leat_writer *w)
{
    const struct fm *m = &((struct stage *)self)->model;
    w->f64(w, "mass", m->centre.mass);
    w->f64(w, "sum", m->centre.sum);
}

static int read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct stage *st = self;
    struct fm *m = &st->model;
    (void)ctx;
    if (r->f64(r, "mass", &m->centre.mass) != LEAT_OK ||
        r->f64(r, "sum", &m->centre.sum) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = fm_check(m, &st->common.g.table);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static const struct factored_kind kind = {
    FACTORED_KIND_MEMBERS,
    .stride = stride,
    .open = open_model,
    .close = close_model,
    .pairs = pairs,
    .write_params = write_params,
    .same_params = same_params,
    .no_merge = "factors of two models mean different things: no mean of them is a model",
};

FACTORED_STAGE(kind)

const struct leat_stage learn_fm = {
    .name = "learn.fm",
    .summary = "factorization machine in k factors a feature, by AdaGrad (not convex)",
    .doc =
        "z = centre + sum w_j x_j + sum_{i<j} v_i'v_j x_i x_j, by stochastic gradients with an "
        "AdaGrad rate for each number: acc += G^2, theta -= rate G / sqrt(acc), G = phi'(z) "
        "dz/dtheta + lambda theta. The centre is the mean label so far (log odds with the "
        "logistic loss). Factors begin at random, by the stage's seed and the feature's id. O(k) "
        "time and 16 k bytes a feature." FACTORED_DOC FACTORED_TOP_DOC
        " Pairs are looked for among the 1,024 features with the longest factors.\n\nSnapshots "
        "hold the model bit for bit; they are not merged: factors of two models mean different "
        "things.\n\nS. Rendle, Factorization machines, ICDM 2010.",
    .example = "leat.learn.fm { factors = 10, min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
