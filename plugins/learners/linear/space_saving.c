/* space_saving.c -- learn.space_saving: weights of frequent features, by Space Saving, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/space_saving.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param space_saving_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(churn, LEAT_CHOICE), .def = "one", .choices = tracked_churns,
     .doc = "untracked features of an example that take a slot: all, or one at random"},
};

SLOTTED_ONE_OF(space_saving, tracked, TRACKED_SPACE_SAVING)

static const struct leat_figure space_saving_figures[] = {
    SLOTTED_FIGURES,
    TRACKED_FIGURES,
};

const struct leat_stage learn_space_saving = {
    SLOTTED_STAGE(space_saving, struct tracked_cfg),
    .summary = "linear classifier of the most frequent features, found by Space Saving",
    .example = "leat.learn.space_saving { budget = \"32KB\", churn = \"one\" }",
};
