/* parallel_learner.c -- a learner that declares lanes, each with a part of the model. */
#include "bad.h"

static const struct leat_stage stage = {
    .name = "learn.parallel", .kind = LEAT_LEARNER, .caps = LEAT_PARALLEL, .process = process};
static const struct leat_stage *const stages[] = {&stage};
DESCRIPTOR(stages, .version = "1");
