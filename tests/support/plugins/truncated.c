/* truncated.c -- a descriptor that ends before its list of stages. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.truncated")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .size = 24);
