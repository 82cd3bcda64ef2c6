/* truncated.c -- a descriptor that ends before its list of stages. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.truncated")}};
DESCRIPTOR(stages, .size = 24);
