/* no_process.c -- a transform without a process(). */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.no_process")},
                                          {.name = "feature.idle", .kind = LEAT_TRANSFORM}};
static const struct leat_stage *const stages[] = {&stage[0], &stage[1]};
DESCRIPTOR(stages, .n_stages = 2);
