/* space_saving.c -- learn.space_saving: weights of frequent features, by Space Saving, as a stage.
 *
 * Only glue; see plugins/learners/linear/tracked.h and, for the algorithm,
 * plugins/kernels/linear/tracked/space_saving.c.
 */
#include "tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(churn, LEAT_CHOICE), .def = "one", .choices = tracked_churns,
     .doc = "untracked features of an example that take a slot: all, or one at random"},
};

TRACKED_RULE(TRACKED_SPACE_SAVING)

const struct leat_stage learn_space_saving = {
    .name = "learn.space_saving",
    .summary = "linear classifier of the most frequent features, found by Space Saving",
    .doc =
        "Frequent features by Space Saving (Metwally, Agrawal, El Abbadi: Efficient Computation "
        "of Frequent and Top-k Elements in Data Streams, ICDT 2005) as a baseline of Tai, "
        "Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD 2018. "
        "Budget / 12 features have an id, a weight and a count (32KB holds 2730). A tracked "
        "feature is counted; an untracked one takes the slot with the smallest count, and that "
        "count plus one, and starts from weight 0. With `churn = \"all\"` every untracked "
        "feature does so: no count is too high by more than N / features after N occurrences, "
        "and rare features sweep through the table, weights and all. With \"one\" at most one of "
        "an example does, drawn at random: better weights, no bound. Constant time an entry in "
        "either case." TRACKED_DOC TRACKED_STATE_DOC
        " Counts of features that one side does not track grow by that side's smallest count.",
    .example = "leat.learn.space_saving { budget = \"32KB\", churn = \"one\" }",
    TRACKED_STAGE,
};
