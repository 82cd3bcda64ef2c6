/* no_process.c -- a transform that cannot do anything. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.no_process")},
                                          {.name = "feature.idle", .kind = LEAT_TRANSFORM}};
static const struct leat_stage *const stages[] = {&stage[0], &stage[1]};
DESCRIPTOR(stages, .n_stages = 2);
