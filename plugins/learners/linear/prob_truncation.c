/* prob_truncation.c -- learn.prob_truncation: probabilistic truncation, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param prob_truncation_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(key, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "product",
     .choices = tracked_keys,
     .doc = "features with the largest key stay, e ~ Exp(1): product |w| e (the paper's program), "
            "ratio |w|/e (Algorithm 4)"},
};

SLOTTED_ONE_OF(prob_truncation, tracked, TRACKED_SAMPLED)

static const struct leat_figure prob_truncation_figures[] = {
    SLOTTED_FIGURES,
    TRACKED_FIGURES,
};

const struct leat_stage learn_prob_truncation = {
    SLOTTED_STAGE(prob_truncation, struct tracked_cfg),
    .summary = "linear classifier that keeps a random sample of its weights, favouring heavy ones",
    .example = "leat.learn.prob_truncation { budget = \"32KB\", lambda = 1e-6 }",
};
