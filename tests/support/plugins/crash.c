/* crash.c -- dies while it is loaded. */
#include <signal.h>

#include "bad.h"

static __attribute__((constructor)) void crash(void) { raise(SIGSEGV); }

static const struct leat_stage stages[] = {{STAGE("feature.crash")}};
DESCRIPTOR(stages, );
