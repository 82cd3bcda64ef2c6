/* overlong.c -- a descriptor that declares more bytes than its symbol has. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.overlong")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .size = 4096);
