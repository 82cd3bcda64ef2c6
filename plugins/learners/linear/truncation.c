/* truncation.c -- learn.truncation: simple truncation as a stage.
 *
 * Only glue; see plugins/learners/linear/tracked.h and, for the algorithm,
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "tracked.h"

static const struct leat_param params[] = {TRACKED_PARAMS};

TRACKED_RULE(TRACKED_HEAVIEST)

const struct leat_stage learn_truncation = {
    .name = "learn.truncation",
    .summary = "linear classifier that keeps only its heaviest weights",
    .doc = "Simple truncation (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over "
           "Data Streams, SIGMOD 2018, Algorithm 3): after each example the weights of the "
           "tracked features and of the example's are cut to the heaviest budget / 8 (an id and a "
           "weight each; 32KB holds 4096), once an example, so the order of its features does not "
           "matter. Equal weights: a tracked feature stays. A feature whose weight must grow over "
           "many examples is cut before it has: the smaller the budget, the worse for frequent "
           "features with small steps." TRACKED_DOC TRACKED_STATE_DOC,
    .example = "leat.learn.truncation { budget = \"32KB\", lambda = 1e-6 }",
    TRACKED_STAGE,
};
