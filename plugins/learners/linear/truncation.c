/* truncation.c -- learn.truncation: simple truncation, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param params[] = {TRACKED_PARAMS};

static int validate(const void *cfg, struct leat_diag *d)
{
    return tracked_validate(TRACKED_HEAVIEST, cfg, d);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return tracked_plan(TRACKED_HEAVIEST, cfg, in, p);
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    return tracked_open(TRACKED_HEAVIEST, ctx, self);
}

const struct leat_stage learn_truncation = {
    .name = "learn.truncation",
    .summary = "linear classifier that keeps only its heaviest weights",
    .doc = truncation_doc,
    .example = "leat.learn.truncation { budget = \"32KB\", lambda = 1e-6 }",
    LEAT_PARAMS(params, struct tracked_cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
