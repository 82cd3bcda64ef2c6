/* truncation.c -- learn.truncation: simple truncation, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/truncation.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param truncation_params[] = {TRACKED_PARAMS};

SLOTTED_ONE_OF(truncation, tracked, TRACKED_HEAVIEST)

const struct leat_stage learn_truncation = {
    SLOTTED_STAGE(truncation, struct tracked_cfg),
    .summary = "linear classifier that keeps only its heaviest weights",
    .example = "leat.learn.truncation { budget = \"32KB\", lambda = 1e-6 }",
};
