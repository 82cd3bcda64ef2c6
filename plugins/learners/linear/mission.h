/* mission.h -- what learn.mission and learn.bear share: a sketch and its top, and their shape. */
#ifndef LEAT_LEARNERS_LINEAR_MISSION_H
#define LEAT_LEARNERS_LINEAR_MISSION_H

#include "kernels/linear/mission/mission.h"
#include "slotted.h"

/* The first member of each one's configuration. */
struct mission_cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
};

/* clang-format off */
#define MISSION_SHAPE(NAME, MAX, UNIT, DOC)                                                        \
    {.name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                      \
     .offset = offsetof(struct mission_cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC}
/* There is no L1 penalty: k is given. */
#define MISSION_PARAMS                                                                             \
    SLOTTED_BUDGET(64), LINEAR_LAMBDA, LINEAR_OTHERS,                                              \
    MISSION_SHAPE(active, MISSION_MAX_ACTIVE, "features",                                          \
                  "k: features that predict; 0: 128, at most half the budget"),                    \
    MISSION_SHAPE(width, MISSION_MAX_CELLS, "cells",                                               \
                  "cells in a row of the sketch; 0: what the budget leaves"),                      \
    MISSION_SHAPE(depth, COUNT_SKETCH_MAX_DEPTH, "rows", "rows of the sketch; 0: 3")
/* clang-format on */

/* The shape that is given; fields of 0 are to be chosen. */
struct mission_shape mission_shape_given(const struct mission_cfg *c);
/* Why a shape does not fit into a budget. */
void mission_misfit(const struct mission_shape *s, const char *budget, char text[256]);
/* LEAT_EARG after reporting that. */
int mission_refuse_shape(const struct slotted_kind *kind, const void *pattern,
                         const struct mission_cfg *c, struct leat_diag *d);

#endif
