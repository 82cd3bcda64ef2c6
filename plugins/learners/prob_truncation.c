/* prob_truncation.c -- learn.prob_truncation: probabilistic truncation as a stage.
 *
 * Only glue; see plugins/learners/tracked.h and, for the algorithm, plugins/kernels/truncation.c.
 */
#include "plugins/learners/tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(key, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "ratio",
     .choices = tracked_keys,
     .doc = "largest of which stay, e ~ Exp(1): ratio |w|/e (Algorithm 4), product |w| e"},
};

TRACKED_RULE(TRACKED_SAMPLED)

static const struct leat_stage stages[] = {{
    .name = "learn.prob_truncation",
    .summary = "linear classifier that keeps a sample of its weights, heavy ones rather",
    .doc =
        "Probabilistic truncation (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers "
        "over Data Streams, SIGMOD 2018, Algorithm 4): a feature that enters draws u from (0, 1) "
        "and has the key W = u^(1/|w|), which follows its weight: W <- W^|w_old/w_new|. After "
        "each example the largest budget / 12 keys stay (an id, a weight and a draw each; 32KB "
        "holds 2730): a weighted sample without replacement, in which light features have a "
        "chance to grow. Kept is e = -log u, since log W is always -e/|w|; so decay moves no "
        "key, and a weight may pass through 0. `key = \"product\"` ranks by |w| e: luck lifts "
        "light features less, which is worse at small budgets and better at recovering the "
        "heaviest weights at large ones." TRACKED_DOC TRACKED_STATE_DOC,
    .example = "leat.learn.prob_truncation { budget = \"32KB\", lambda = 1e-6 }",
    TRACKED_STAGE,
}};

LEAT_PLUGIN("learners_prob_truncation", "1.0", "Apache-2.0", "probabilistic truncation", stages);
