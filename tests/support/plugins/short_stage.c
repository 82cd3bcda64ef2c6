/* short_stage.c -- stages that end before any of their functions. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.short_stage")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .stage_size = 40);
