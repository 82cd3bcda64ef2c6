/* prob_truncation.c -- learn.prob_truncation: probabilistic truncation as a stage.
 *
 * Only glue; see plugins/learners/linear/tracked.h and, for the algorithm,
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(key, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "product",
     .choices = tracked_keys,
     .doc = "largest of which stay, e ~ Exp(1): product |w| e (the paper's program), ratio |w|/e "
            "(Algorithm 4)"},
};

TRACKED_RULE(TRACKED_SAMPLED)

const struct leat_stage learn_prob_truncation = {
    .name = "learn.prob_truncation",
    .summary = "linear classifier that keeps a sample of its weights, heavy ones rather",
    .doc =
        "Probabilistic truncation (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers "
        "over Data Streams, SIGMOD 2018): a feature that enters draws e ~ Exp(1), "
        "and after each example the largest budget / 12 keys stay (an id, a weight and a draw "
        "each; "
        "32KB holds 2730): a sample in which light features have a chance to grow. The key is |w| "
        "e, "
        "as in the authors' program. With `key = \"ratio\"` it is that of Algorithm 4, W = "
        "u^(1/|w|), which follows its weight by W <- W^|w_old/w_new|: log W is always -e/|w| with "
        "e = -log u, so the order is that of |w|/e, and the sample is one without replacement by "
        "|w|. Its luck is heavy-tailed: light features stay more often, which makes better "
        "predictions at small budgets, but now and then a heavy one is lost, so that it recovers "
        "the heaviest weights worse at large ones. Either way decay moves no key, and a weight may "
        "pass through 0." TRACKED_DOC TRACKED_STATE_DOC,
    .example = "leat.learn.prob_truncation { budget = \"32KB\", lambda = 1e-6 }",
    TRACKED_STAGE,
};
