/* crash.c -- crashes while it is loaded. */
#include <signal.h>

#include "bad.h"

static __attribute__((constructor)) void crash(void) { raise(SIGSEGV); }

static const struct leat_stage stage[] = {{STAGE("feature.crash")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
