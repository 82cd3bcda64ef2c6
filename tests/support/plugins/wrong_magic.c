/* wrong_magic.c -- another library that happens to have a symbol of this name. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("feature.wrong_magic")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, .magic = 0xdeadbeefu);
