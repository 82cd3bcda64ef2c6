/* reserved.c -- a stage of a group whose name the Lua module uses for something else. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("filter.contains")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
