/* short_stage.c -- stages that end before any of their functions. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.short_stage")}};
DESCRIPTOR(stages, .stage_size = 40);
