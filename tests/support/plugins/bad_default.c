/* bad_default.c -- a default outside its own range. */
#include "bad.h"

struct cfg {
    int64_t k;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, k, LEAT_INT, .def = "500", .min = 1, .max = 100)};
static const struct leat_stage stage[] = {
    {STAGE("feature.bad_default"), LEAT_PARAMS(params, struct cfg)}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
