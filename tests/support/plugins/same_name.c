/* same_name.c -- sorts after good.so, and has a stage of the same name. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.every")}, {STAGE("feature.own")}};
static const struct leat_stage *const stages[] = {&stage[0], &stage[1]};
DESCRIPTOR(stages, .n_stages = 2);
