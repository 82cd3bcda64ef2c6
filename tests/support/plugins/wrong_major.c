/* wrong_major.c -- built for plugin ABI 7.3. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.wrong_major")}};
DESCRIPTOR(stages, .abi_major = 7, .abi_minor = 3);
