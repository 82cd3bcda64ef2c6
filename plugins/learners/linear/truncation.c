/* truncation.c -- learn.truncation: simple truncation, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/truncation.c, or with adaptive rates in
 * plugins/kernels/linear/adaptive.
 */
#include "adaptive.h"
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param truncation_params[] = {TRACKED_PARAMS, ADAPTIVE_PARAMS};

/* With adaptive rates: an active set without cells. */
static bool adaptive_truncation(const void *cfg, const struct leat_schema *in, struct adaptive *m)
{
    const struct tracked_cfg *c = cfg;
    uint32_t features = c->features ? (uint32_t)c->features : ADAPTIVE_CHOOSE;
    return adaptive_pattern(&c->base, in, features, 0, m);
}

static int truncation_validate(const void *cfg, struct leat_diag *d)
{
    const struct tracked_cfg *c = cfg;
    struct adaptive m;
    if (!adaptive_is_meant(&c->base)) return tracked_validate_as(TRACKED_HEAVIEST, cfg, d);
    int status = linear_validate(&c->base.linear, d);
    if (adaptive_truncation(cfg, NULL, &m)) {
        int fits = slotted_check_charge(&adaptive_truncation_kind, &m, &c->base, "features",
                                        m.shape.active, d);
        return status == LEAT_OK ? fits : status;
    }
    const char *param = c->features ? "features" : "budget";
    return slotted_refuse_shape(&adaptive_truncation_kind, &m, &c->base, param, d);
}

static int truncation_plan(const void *cfg, const struct leat_schema *in,
                           const struct leat_schema *out, struct leat_plan *p)
{
    const struct tracked_cfg *c = cfg;
    struct adaptive m;
    struct tracked t;
    if (adaptive_is_meant(&c->base))
        return slotted_plan(&adaptive_truncation_kind, &m, adaptive_truncation(cfg, in, &m), cfg,
                            in, p);
    return slotted_plan(&tracked_kind, &t, tracked_pattern(TRACKED_HEAVIEST, cfg, in, &t), cfg, in,
                        p);
}

static int truncation_open(struct leat_ctx *ctx, void *self)
{
    const struct tracked_cfg *c = ctx->cfg;
    struct adaptive m;
    struct tracked t;
    if (adaptive_is_meant(&c->base)) {
        bool fits = adaptive_truncation(c, ctx->in, &m);
        m.opt.seed = ctx->host->seed(ctx);
        return slotted_open(ctx, self, &adaptive_truncation_kind, &m, fits);
    }
    bool fits = tracked_pattern(TRACKED_HEAVIEST, c, ctx->in, &t);
    t.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &tracked_kind, &t, fits);
}

static const struct leat_figure truncation_figures[] = {
    SLOTTED_FIGURES,
    TRACKED_FIGURES,
};

const struct leat_stage learn_truncation = {
    SLOTTED_STAGE(truncation, struct tracked_cfg),
    .summary = "linear classifier that keeps only its heaviest weights",
    .example = "leat.learn.truncation { budget = \"32KB\", lambda = 1e-6 }",
};
