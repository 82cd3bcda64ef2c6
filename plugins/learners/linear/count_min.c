/* count_min.c -- learn.count_min: weights of frequent features, by a Count-Min sketch, as a stage.
 *
 * Only glue; see plugins/learners/linear/tracked.h and, for the algorithm,
 * plugins/kernels/linear/tracked/count_min.c.
 */
#include "tracked.h"

static const struct leat_param params[] = {
    TRACKED_PARAMS,
    {TRACKED_PARAM(conservative, LEAT_BOOL), .def = "true",
     .doc = "raise only those cells of a feature that its estimate needs raised"},
    {TRACKED_PARAM(width, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0", .max = TRACKED_MAX_CELLS,
     .unit = "cells", .doc = "cells in a row of the sketch, a power of two; 0: half the budget"},
    {TRACKED_PARAM(depth, LEAT_INT), .flags = LEAT_ADVANCED, .def = "2", .min = 1,
     .max = TRACKED_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch"},
};

TRACKED_RULE(TRACKED_COUNT_MIN)

const struct leat_stage learn_count_min = {
    .name = "learn.count_min",
    .summary = "linear classifier of the most frequent features, found by a Count-Min sketch",
    .doc = "Frequent features by a Count-Min sketch (Cormode, Muthukrishnan: An Improved Data "
           "Stream Summary: The Count-Min Sketch and its Applications, 2005) as a baseline of Tai, "
           "Sharan, Bailis, Valiant: Sketching Linear Classifiers over Data Streams, SIGMOD 2018. "
           "Each feature of an example is counted in one cell of every row; its estimate is the "
           "smallest of them, never too low. An untracked feature whose estimate exceeds the "
           "smallest count of a slot takes that slot with its estimate and starts from weight 0; a "
           "tracked one counts itself. Half of `budget` is for the cells, 4 bytes each with the "
           "width rounded down to a power of two, the rest for features at 12 bytes: 32KB holds "
           "1365 and 2 x 2048 cells. `conservative` (Estan, Varghese 2002) keeps estimates lower. "
           "When the cells are so few that collisions outweigh counts, features come and go, and "
           "learn.space_saving is far better." TRACKED_DOC TRACKED_STATE_DOC
           " Cells add up; counts of features that one side does not track grow by that side's "
           "estimate.",
    .example = "leat.learn.count_min { budget = \"32KB\", conservative = true }",
    TRACKED_STAGE,
};
