/* normalize.c -- feature.normalize: scales every example to norm 1, see kernels/base/csr.h. */
#include <leat/plugin.h>

#include "featurizers/docs.h"
#include "kernels/base/csr.h"

static const char *const norms[] = {"l1", "l2", "max", NULL}; /* order of enum csr_norm */

struct cfg {
    int32_t norm; /* enum csr_norm */
};

static const struct leat_param params[] = {
    LEAT_PARAM(
        struct cfg, norm, LEAT_CHOICE, .def = "l2", .choices = norms,
        .doc = "the length that becomes 1: sum of |x|, root of the sum of squares, or largest |x|"),
};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t from = b->ex_start[e];
        csr_normalize(b->ex_start[e + 1] - from, b->value + from, (enum csr_norm)c->norm);
    }
    return LEAT_OK;
}

const struct leat_stage feature_normalize = {
    .name = "feature.normalize",
    .summary = "scales the values of each example to norm 1",
    .doc = normalize_doc,
    .example = "leat.feature.normalize { norm = \"l2\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = 1,
    .process = process,
};
