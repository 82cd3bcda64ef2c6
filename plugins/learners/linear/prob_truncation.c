/* prob_truncation.c -- learn.prob_truncation: probabilistic truncation, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(key, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "product",
     .choices = tracked_keys,
     .doc = "features with the largest key stay, e ~ Exp(1): product |w| e (the paper's program), "
            "ratio |w|/e (Algorithm 4)"},
};

static int validate(const void *cfg, struct leat_diag *d)
{
    return tracked_validate(TRACKED_SAMPLED, cfg, d);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return tracked_plan(TRACKED_SAMPLED, cfg, in, p);
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    return tracked_open(TRACKED_SAMPLED, ctx, self);
}

const struct leat_stage learn_prob_truncation = {
    .name = "learn.prob_truncation",
    .summary = "linear classifier that keeps a random sample of its weights, favouring heavy ones",
    .doc = prob_truncation_doc,
    .example = "leat.learn.prob_truncation { budget = \"32KB\", lambda = 1e-6 }",
    LEAT_PARAMS(params, struct tracked_cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
