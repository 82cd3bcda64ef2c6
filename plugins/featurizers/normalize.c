/* normalize.c -- feature.normalize: scales every example to norm 1. */
#include <math.h>

#include <leat/plugin.h>

#include "featurizers/docs.h"

enum norm { NORM_L1, NORM_L2, NORM_MAX };
static const char *const norms[] = {"l1", "l2", "max", NULL}; /* order of enum norm */

struct cfg {
    int32_t norm; /* enum norm */
};

static const struct leat_param params[] = {
    LEAT_PARAM(
        struct cfg, norm, LEAT_CHOICE, .def = "l2", .choices = norms,
        .doc = "the length that becomes 1: sum of |x|, root of the sum of squares, or largest |x|"),
};

/* ||v||_1, ||v||_2 or ||v||_inf of n finite values, whose squares lie in 2^-298 .. 2^256: their
 * sums in doubles neither overflow nor underflow. */
static double norm_of(size_t n, const float *v, enum norm norm)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double a = fabs((double)v[i]);
        if (norm == NORM_MAX)
            sum = a > sum ? a : sum;
        else
            sum += norm == NORM_L2 ? a * a : a;
    }
    return norm == NORM_L2 ? sqrt(sum) : sum;
}

/* v /= norm(v), with one rounding for each value. The results are within [-1, 1]. A row of zeros
 * stays as it is. */
static void normalize(size_t n, float *v, enum norm norm)
{
    double length = norm_of(n, v, norm);
    if (!(length > 0.0)) return;
    for (size_t i = 0; i < n; i++)
        v[i] = (float)((double)v[i] / length);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t from = b->ex_start[e];
        normalize(b->ex_start[e + 1] - from, b->value + from, (enum norm)c->norm);
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
