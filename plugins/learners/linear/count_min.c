/* count_min.c -- learn.count_min: weights of frequent features, by a Count-Min sketch, as a stage.
 *
 * What all learners of tracked features do is in tracked.c; the algorithm is in
 * plugins/kernels/linear/tracked/count_min.c.
 */
#include "learners/linear/docs.h"
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

static int validate(const void *cfg, struct leat_diag *d)
{
    return tracked_validate(TRACKED_COUNT_MIN, cfg, d);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return tracked_plan(TRACKED_COUNT_MIN, cfg, in, p);
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    return tracked_open(TRACKED_COUNT_MIN, ctx, self);
}

const struct leat_stage learn_count_min = {
    .name = "learn.count_min",
    .summary = "linear classifier of the most frequent features, found by a Count-Min sketch",
    .doc = count_min_doc,
    .example = "leat.learn.count_min { budget = \"32KB\", conservative = true }",
    LEAT_PARAMS(params, struct tracked_cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
