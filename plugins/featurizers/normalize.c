/* normalize.c -- feature.normalize: every example to length 1. The norms are in kernels/csr. */
#include <leat/plugin.h>

#include "kernels/base/csr.h"

static const char *const norms[] = {"l1", "l2", "max", NULL}; /* order of enum csr_norm */

struct cfg {
    int32_t norm; /* enum csr_norm */
};

static const struct leat_param params[] = {
    {.name = "norm",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, norm),
     .def = "l2",
     .choices = norms,
     .doc = "the length that becomes 1: sum of |x|, root of the sum of squares, or largest |x|"},
};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    (void)self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t from = b->ex_start[e];
        csr_normalize(b->ex_start[e + 1] - from, b->value + from, (enum csr_norm)c->norm);
    }
    return LEAT_OK;
}

const struct leat_stage feature_normalize = {
    .name = "feature.normalize",
    .summary = "scales the values of each example to norm 1",
    .doc =
        "x := x / ||x||, with ||x||_1 = sum |x_i|, ||x||_2 = sqrt(sum x_i^2) or ||x||_max = max "
        "|x_i|, summed in double precision and rounded once a value. An example whose values are "
        "all 0 stays as it is. Bounds on errors and rates of online learners are mostly stated "
        "for ||x||_2 <= 1; scaling makes long and short examples count alike. O(entries), in "
        "place.",
    .example = "leat.feature.normalize { norm = \"l2\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = 1,
    .process = process,
};
