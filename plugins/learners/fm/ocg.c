/* ocg.c -- learn.ocg: a factorization machine in a ball of the trace norm, as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/ocg.c.
 */
#include "kernels/fm/ocg.h"

#include <float.h>
#include <string.h>

#include "dense.h"
#include "learners/fm/docs.h"

struct cfg {
    struct factored_cfg common;
    double radius, eta;
    int64_t every;
};

struct stage {
    struct dense common;
    struct ocg model;
    double *u; /* eigenvector, scratch */
    void *work;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, radius, LEAT_FLOAT, .def = "5", .min = 1e-9, .max = 1e9,
               .doc =
                   "largest trace norm of the matrix; a constant prediction z takes a norm of z"),
    LEAT_PARAM(struct cfg, every, LEAT_INT, .def = "1", .min = 1, .max = 1e9, .unit = "examples",
               .doc = "examples between two steps, which take O(d^2) each"),
    LEAT_PARAM(struct cfg, eta, LEAT_FLOAT, .def = "0.1", .min = 1e-12, .max = 1e9,
               .doc = "weight of the gradients against |C|^2"),
    DENSE_PARAMS,
};

static uint64_t block(const void *cfg, uint32_t features, uint32_t max_row)
{
    return dense_bytes(features, 2, 2) + lanczos_bytes(features);
}

static void close_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->u);
    ctx->host->free(ctx, st->work);
    dense_close(ctx, self);
}

static int take_vectors(struct leat_ctx *ctx, struct stage *st)
{
    const struct leat_host *h = ctx->host;
    uint32_t max = st->common.common.g.table.max_capacity;
    struct ocg *m = &st->model;
    st->u = h->alloc(ctx, 2ull * max * sizeof *st->u);
    st->work = h->alloc(ctx, lanczos_bytes(max));
    if (!st->u || !st->work)
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an eigenvector");
    m->gradient = st->common.part[0];
    m->kept = st->common.part[1];
    m->u = st->u;
    m->v = st->u + max;
    m->work = st->work;
    return LEAT_OK;
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    st->model = (struct ocg){.loss = (enum fm_loss)c->common.loss,
                             .eta = c->eta,
                             .radius = c->radius,
                             .every = (uint32_t)c->every,
                             .seed = ctx->host->seed(ctx),
                             .scale = 1};
    int status = dense_open(ctx, &st->common, 2);
    return status == LEAT_OK ? take_vectors(ctx, st) : status;
}

static int prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct stage *st = self;
    st->model.n = st->common.common.g.table.n;
    return LEAT_OK;
}

static double learn(void *self, const struct fm_example *e)
{
    return ocg_learn(&((struct stage *)self)->model, e);
}

static double predict(void *self, const struct fm_example *e)
{
    return ocg_predict(&((struct stage *)self)->model, e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "steps", (double)st->model.steps);
    ctx->host->metric(ctx, "products", (double)st->model.products);
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return st->model.scale * dense_weight(&st->common, st->common.part[1], feature);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    dense_pairs(&st->common, st->common.part[1], st->model.scale, out);
    return LEAT_OK;
}

/* ---- state ---- */

static const struct state_field same[] = {
#define AT(member) STATE_MEMBER(struct stage, model.member)
    {"radius", STATE_SAME, .at = AT(radius)},
    {"eta", STATE_SAME, .at = AT(eta)},
    {"every", STATE_SAME, .at = AT(every)},
    {"seed", STATE_SAME, .at = AT(seed)},
};

static const struct state_field fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"steps", STATE_VALUE, .at = AT(steps), .max = COUNT_MAX},
    {"products", STATE_VALUE, .at = AT(products), .max = COUNT_MAX},
    {"scale", STATE_VALUE, .at = AT(scale), .min = DBL_MIN, .max = 1},
    {"eigenvector", STATE_COPIED, .at = AT(u), .count = {AT(n)}, .min = -2, .max = 2},
#undef AT
};

/* ---- the stage ---- */

static const struct factored_method method = {
    FACTORED_METHOD,      DENSE_MEMBERS(same, fields), .open = open_model,
    .close = close_model, .prepare = prepare,          .pairs = pairs,
};

LEARNER_CALLS(ocg, factored, &method)

static const struct leat_figure ocg_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"steps", "1", "steps of the conditional gradient", LEAT_COUNTER},
    {"products", "1", "products of the matrix with a vector", LEAT_COUNTER},
};

const struct leat_stage learn_ocg = {
    FACTORED_STAGE(ocg),
    .summary = "exact factorization machine of few features, by online conditional gradient",
    .example = "leat.learn.ocg { radius = 5, every = 100, min = 1, max = 5 }",
};
