/* wild_text.c -- a plugin that loads, but the unit of a parameter is a wild pointer. */
#include "bad.h"

struct cfg {
    int64_t k;
};

static const struct leat_param params[] = {
    {.name = "k",
     .type = LEAT_SIZE,
     .offset = offsetof(struct cfg, k),
     .def = "1KB",
     .min = 1,
     .max = 65536,
     .unit = (const char *)64,
     .doc = "how much"},
};
static const struct leat_stage stage[] = {{STAGE("feature.wild"), LEAT_PARAMS(params, struct cfg)}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
