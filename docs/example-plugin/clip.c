/* clip.c -- the smallest complete plugin: cuts feature values to a range. */
#include <leat/plugin.h>

struct cfg {
    double max;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, max, LEAT_FLOAT, .def = "1", .min = 0, .max = 1e30,
               .doc = "largest absolute value that passes"),
};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    (void)self;
    for (LEAT_EACH_EXAMPLE(b, e))
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
            if (b->value[i] > cfg->max) b->value[i] = (float)cfg->max;
            if (b->value[i] < -cfg->max) b->value[i] = (float)-cfg->max;
        }
    return LEAT_OK;
}

static const struct leat_stage clip = {
    .name = "feature.clip",
    .summary = "cut feature values to a range",
    .doc = "Values above max become max, values below -max become -max.",
    .example = "leat.feature.clip { max = 3 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params, struct cfg),
    .process = process,
};

LEAT_PLUGIN("clip", "1.0", "Apache-2.0", "cuts feature values", &clip);
