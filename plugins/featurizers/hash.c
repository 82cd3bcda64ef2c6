/* hash.c -- feature.hash: the hashing trick, ids folded into 2^bits. How ids are mixed is in
 * kernels/base/feature_id.h. */
#include <leat/plugin.h>

#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"

struct hash_cfg {
    int64_t bits, seed;
    int32_t is_signed;
};

static const struct leat_param hash_params[] = {
    LEAT_PARAM(struct hash_cfg, bits, LEAT_INT, .def = "18", .min = 1, .max = 63, .unit = "bits",
               .doc = "ids become numbers below 2^bits"),
    LEAT_PARAM_AS(
        "signed", struct hash_cfg, is_signed, LEAT_BOOL, .def = "false",
        .doc = "multiply each value by a sign that depends on the id, so that collisions cancel on "
               "average"),
    LEAT_PARAM(
        struct hash_cfg, seed, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
        .max = 9007199254740992.0,
        .doc = "another seed makes other features collide; models with different seeds do not fit "
               "together"),
};

static int hash_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct hash_cfg *c = ctx->cfg;
    uint64_t seed = (uint64_t)c->seed;
    unsigned bits = (unsigned)c->bits;
    for (LEAT_EACH_EXAMPLE(b, e))
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
            if (c->is_signed && feature_id_sign(b->id[i], seed) < 0) b->value[i] = -b->value[i];
            b->id[i] = feature_id_fold(b->id[i], seed, bits);
        }
    return LEAT_OK;
}

const struct leat_stage feature_hash = {
    .name = "feature.hash",
    .summary = "folds feature ids into 2^bits by hashing",
    .doc = hash_doc,
    .example = "leat.feature.hash { bits = 20, signed = true }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(hash_params, struct hash_cfg),
    .instance_size = 1,
    .process = hash_process,
};
