/* same_name.c -- sorts behind good.so and brings a stage of the same name. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.every")}, {STAGE("feature.own")}};
DESCRIPTOR(stages, .n_stages = 2);
