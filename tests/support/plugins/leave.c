/* leave.c -- ends the process that loads it. */
#include <stdlib.h>

#include "bad.h"

static __attribute__((constructor)) void leave(void) { _Exit(3); }

static const struct leat_stage stages[] = {{STAGE("feature.leave")}};
DESCRIPTOR(stages, );
