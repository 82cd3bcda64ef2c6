/* fm_exact.c -- learn.fm_ftrl and learn.ogd: the exact factorization machine by either rule, as
 * stages.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/fm_exact.c.
 */
#include "kernels/fm/fm_exact.h"

#include <float.h>

#include "dense.h"
#include "learners/fm/docs.h"

struct cfg {
    struct factored_cfg common;
    double eta;
};

struct stage {
    struct dense common;
    struct fm_exact model;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, eta, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,
               .doc = "step; 0: from the examples' lengths"),
    DENSE_PARAMS,
};

/* ---- memory ---- */

static uint64_t block(const void *cfg, uint32_t features, uint32_t max_row)
{
    return dense_bytes(features, 1, 0);
}

static int open_model(struct leat_ctx *ctx, struct stage *st, enum fm_exact_rule rule)
{
    const struct cfg *c = ctx->cfg;
    st->model =
        (struct fm_exact){.rule = rule, .loss = (enum fm_loss)c->common.loss, .eta = c->eta};
    return dense_open(ctx, &st->common, 1);
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

static const struct state_field same[] = {
    {"eta", STATE_SAME, .at = STATE_MEMBER(struct stage, model.eta)},
};

#define AT(member) STATE_MEMBER(struct stage, model.member)
static const struct state_field fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
};
#undef AT

/* ---- the stages ---- */

#define EXACT_METHOD                                                                               \
    FACTORED_METHOD, DENSE_MEMBERS(same, fields), .prepare = dense_prepare, .close = dense_close,  \
                                                  .pairs = pairs

static int open_fm_ftrl_model(struct leat_ctx *ctx, void *self)
{
    return open_model(ctx, self, FM_EXACT_FTRL);
}

static int open_ogd_model(struct leat_ctx *ctx, void *self)
{
    return open_model(ctx, self, FM_EXACT_OGD);
}

static const struct factored_method fm_ftrl = {EXACT_METHOD, .open = open_fm_ftrl_model};
static const struct factored_method ogd = {EXACT_METHOD, .open = open_ogd_model};

LEARNER_CALLS(fm_ftrl, factored, &fm_ftrl)
LEARNER_CALLS(ogd, factored, &ogd)

const struct leat_stage learn_fm_ftrl = {
    FACTORED_STAGE(fm_ftrl),
    .summary = "exact factorization machine of few features, by follow-the-regularized-leader",
    .example = "leat.learn.fm_ftrl { eta = 0.02, min = 1, max = 5 }",
};

const struct leat_stage learn_ogd = {
    FACTORED_STAGE(ogd),
    .summary = "exact factorization machine of few features, by online gradient descent",
    .example = "leat.learn.ogd { eta = 0.5, min = 1, max = 5 }",
};
