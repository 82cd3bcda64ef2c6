/* bad_name.c -- a stage without a group. */
#include "bad.h"

static const struct leat_stage stage[] = {{STAGE("Lonely")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
