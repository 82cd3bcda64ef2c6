/* own_group.c -- a stage of a group that leat does not have. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("keep.all")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
