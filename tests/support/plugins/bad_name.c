/* bad_name.c -- a stage without a group. */
#include "bad.h"

static const struct leat_stage stages[] = {{STAGE("Lonely")}};
DESCRIPTOR(stages, );
