/* leave.c -- ends the process that loads it. */
#include <stdlib.h>

#include "bad.h"

static __attribute__((constructor)) void leave(void) { _Exit(3); }

static const struct leat_stage stage[] = {{STAGE("feature.leave")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
