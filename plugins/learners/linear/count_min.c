/* count_min.c -- learn.count_min: weights of frequent features, by a Count-Min sketch, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/count_min.c.
 */
#include "learners/linear/docs.h"
#include "tracked.h"

static const struct leat_param count_min_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(conservative, LEAT_BOOL), .def = "true",
     .doc = "raise only those cells of a feature that its estimate needs raised"},
    {TRACKED_PARAM(width, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0", .max = TRACKED_MAX_CELLS,
     .unit = "cells", .doc = "cells in a row of the sketch, a power of two; 0: half the budget"},
    {TRACKED_PARAM(depth, LEAT_INT), .flags = LEAT_ADVANCED, .def = "2", .min = 1,
     .max = TRACKED_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch"},
};

SLOTTED_ONE_OF(count_min, tracked, TRACKED_COUNT_MIN)

static const struct leat_figure count_min_figures[] = {
    SLOTTED_FIGURES,
    TRACKED_FIGURES,
};

const struct leat_stage learn_count_min = {
    SLOTTED_STAGE(count_min, struct tracked_cfg),
    .summary = "linear classifier of the most frequent features, found by a Count-Min sketch",
    .example = "leat.learn.count_min { budget = \"32KB\", conservative = true }",
};
