/* wrong_magic.c -- another library that happens to have a symbol of this name. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("feature.wrong_magic")}};
DESCRIPTOR(stages, .magic = 0xdeadbeefu);
