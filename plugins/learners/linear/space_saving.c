/* space_saving.c -- learn.space_saving: weights of frequent features, by Space Saving, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/space_saving.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(churn, LEAT_CHOICE), .def = "one", .choices = tracked_churns,
     .doc = "untracked features of an example that take a slot: all, or one at random"},
};

static int validate(const void *cfg, struct leat_diag *d)
{
    return tracked_validate(TRACKED_SPACE_SAVING, cfg, d);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return tracked_plan(TRACKED_SPACE_SAVING, cfg, in, p);
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    return tracked_open(TRACKED_SPACE_SAVING, ctx, self);
}

const struct leat_stage learn_space_saving = {
    .name = "learn.space_saving",
    .summary = "linear classifier of the most frequent features, found by Space Saving",
    .doc = space_saving_doc,
    .example = "leat.learn.space_saving { budget = \"32KB\", churn = \"one\" }",
    LEAT_PARAMS(params, struct tracked_cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
