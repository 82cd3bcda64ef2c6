/* wrong_major.c -- built for plugin ABI 7.3. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.wrong_major")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .abi_major = 7, .abi_minor = 3);
