/* overlong.c -- a descriptor that claims more bytes than its symbol has. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.overlong")}};
DESCRIPTOR(stages, .size = 4096);
