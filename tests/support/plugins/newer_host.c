/* newer_host.c -- requires a newer host than this one. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.newer_host")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .abi_minor = 9, .min_host_minor = 9);
