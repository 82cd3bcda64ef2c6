/* fm_exact.c -- learn.fm_ftrl and learn.ogd: the exact factorization machine by either rule, as
 * stages.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/fm_exact.c.
 */
#include "kernels/fm/fm_exact.h"

#include <float.h>

#include "dense.h"
#include "kernels/fm/trace_ball.h"
#include "learners/fm/docs.h"

struct cfg {
    struct factored_cfg common;
    double eta, radius; /* ftrl has no radius */
    int64_t every;
};

struct stage {
    struct dense common;
    struct fm_exact model;
};

#define ETA_PARAM                                                                                  \
    LEAT_PARAM(struct cfg, eta, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,                      \
               .doc = "step; 0: from the examples' lengths")

static const struct leat_param params[] = {ETA_PARAM, DENSE_PARAMS};

static const struct leat_param ogd_params[] = {
    ETA_PARAM,
    LEAT_PARAM(struct cfg, radius, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
               .doc = "largest trace norm of the matrix, onto whose ball it is projected; 0: it is "
                      "not"),
    LEAT_PARAM(struct cfg, every, LEAT_INT, .def = "1", .min = 1, .max = 1e9, .unit = "examples",
               .doc = "examples between two projections, which take O(d^3) each"),
    DENSE_PARAMS,
};

/* ---- memory ---- */

static uint64_t block(const void *cfg, uint32_t features, uint32_t max_row)
{
    const struct cfg *c = cfg;
    return dense_bytes(features, 1, 0) + (c->radius > 0 ? trace_ball_bytes(features) : 0);
}

static int prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct stage *st = self;
    st->model.n = st->common.common.g.table.n;
    return LEAT_OK;
}

static void close_model(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct stage *)self)->model.work);
    dense_close(ctx, self);
}

static int open_model(struct leat_ctx *ctx, struct stage *st, enum fm_exact_rule rule)
{
    const struct cfg *c = ctx->cfg;
    st->model = (struct fm_exact){.rule = rule,
                                  .loss = (enum fm_loss)c->common.loss,
                                  .eta = c->eta,
                                  .radius = c->radius,
                                  .every = (uint32_t)c->every};
    uint32_t max = st->common.common.g.table.max_capacity;
    int status = dense_open(ctx, &st->common, 1);
    if (status != LEAT_OK || !(c->radius > 0)) return status;
    st->model.work = ctx->host->alloc(ctx, trace_ball_bytes(max));
    if (st->model.work) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory to project a matrix of max_features = %u: "
                           "lower it",
                           max);
}

/* ---- learning, answers ---- */

static double learn(void *self, const struct fm_example *e)
{
    struct stage *st = self;
    return fm_exact_learn(&st->model, st->common.part[0], e);
}

static double predict(void *self, const struct fm_example *e)
{
    return triangle_form(((struct stage *)self)->common.part[0], e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "eta", fm_exact_rate(&st->model));
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return dense_weight(&st->common, st->common.part[0], feature);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    dense_pairs(&st->common, st->common.part[0], 1, out);
    return LEAT_OK;
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct stage, model.member)
static const struct state_field same[] = {
    {"eta", STATE_SAME, .at = AT(eta)},
};
static const struct state_field ogd_same[] = {
    {"eta", STATE_SAME, .at = AT(eta)},
    {"radius", STATE_SAME, .at = AT(radius)},
    {"every", STATE_SAME, .at = AT(every)},
};
#undef AT

#define AT(member) STATE_MEMBER(struct stage, model.member)
static const struct state_field fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
};
static const struct state_field ogd_fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
    {"norm", STATE_VALUE, .at = AT(norm), .max = DBL_MAX},
};
#undef AT

/* ---- the stages ---- */

#define EXACT_METHOD(SAME, FIELDS)                                                                 \
    FACTORED_METHOD, DENSE_MEMBERS(SAME, FIELDS), .prepare = prepare, .close = close_model,        \
                                                  .pairs = pairs

static int open_fm_ftrl_model(struct leat_ctx *ctx, void *self)
{
    return open_model(ctx, self, FM_EXACT_FTRL);
}

static int open_ogd_model(struct leat_ctx *ctx, void *self)
{
    return open_model(ctx, self, FM_EXACT_OGD);
}

static const struct factored_method fm_ftrl = {EXACT_METHOD(same, fields),
                                               .open = open_fm_ftrl_model};
static const struct factored_method ogd = {EXACT_METHOD(ogd_same, ogd_fields),
                                           .open = open_ogd_model};

LEARNER_CALLS(fm_ftrl, factored, &fm_ftrl)
LEARNER_CALLS(ogd, factored, &ogd)

static const struct leat_figure fm_ftrl_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"eta", "1", "the step size that the learner takes now", LEAT_GAUGE},
};

const struct leat_stage learn_fm_ftrl = {
    FACTORED_STAGE(fm_ftrl),
    .summary = "exact factorization machine of few features, by follow-the-regularized-leader",
    .example = "leat.learn.fm_ftrl { eta = 0.02, min = 1, max = 5 }",
};

static int ogd_validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    uint32_t most = growing_max_capacity(c->common.growing.max_features);
    if (!(c->radius > 0) || most <= TRACE_BALL_MAX) return factored_validate(cfg, d);
    d->error(d, "radius",
             "matrices of at most %u features can be projected, and max_features is %lld: lower it",
             TRACE_BALL_MAX, (long long)c->common.growing.max_features);
    return LEAT_EARG;
}

static const struct leat_figure ogd_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"eta", "1", "the step size that the learner takes now", LEAT_GAUGE},
};

const struct leat_stage learn_ogd = {
    FACTORED_STAGE_OF(ogd, ogd_params, ogd_validate),
    .summary = "exact factorization machine of few features, by online gradient descent",
    .example = "leat.learn.ogd { eta = 0.5, min = 1, max = 5 }",
};
