/* no_process.c -- a transform that cannot do anything. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.no_process")},
                                           {.name = "feature.idle", .kind = LEAT_TRANSFORM}};
DESCRIPTOR(stages, .n_stages = 2);
