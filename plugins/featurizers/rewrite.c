/* rewrite.c -- feature.hash and feature.normalize, which change the entries of examples.
 *
 * feature.hash is the hashing trick: it maps ids to 2^bits ids. kernels/base/feature_id.h has the
 * hash function. */
#include <math.h>

#include <leat/plugin.h>

#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"

struct hash_cfg {
    int64_t bits, seed;
    int32_t is_signed;
};

static const struct leat_param hash_params[] = {
    LEAT_PARAM(struct hash_cfg, bits, LEAT_INT, .def = "18", .min = 1, .max = 63, .unit = "bits",
               .doc = "feature ids become numbers below 2^bits"),
    LEAT_PARAM_AS("signed", struct hash_cfg, is_signed, LEAT_BOOL, .def = "false",
                  .doc = "multiply each value by +1 or -1, depending on the id, so that collisions "
                         "cancel on average"),
    LEAT_PARAM(struct hash_cfg, seed, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 9007199254740992.0,
               .doc = "seed of the hash: another seed makes other features collide; models with "
                      "different seeds cannot be merged"),
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

/* ---- feature.normalize ---- */

enum norm { NORM_L1, NORM_L2, NORM_MAX };
/* names of the norms, in the order of enum norm */
static const char *const normalize_norms[] = {"l1", "l2", "max", NULL};

struct normalize_cfg {
    int32_t norm; /* enum norm */
};

static const struct leat_param normalize_params[] = {
    LEAT_PARAM(struct normalize_cfg, norm, LEAT_CHOICE, .def = "l2", .choices = normalize_norms,
               .doc =
                   "norm that becomes 1: sum of |x|, root of the sum of squares, or largest |x|"),
};

/* Returns ||v||_1, ||v||_2 or ||v||_inf of n finite values. The squares are between 2^-298 and
 * 2^256, so their sum in doubles neither overflows nor underflows. */
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

/* Divides each value by the norm of v, with one rounding. The results are within [-1, 1]. If all
 * values are 0, they stay 0. */
static void normalize_row(size_t n, float *v, enum norm norm)
{
    double length = norm_of(n, v, norm);
    if (!(length > 0.0)) return;
    for (size_t i = 0; i < n; i++)
        v[i] = (float)((double)v[i] / length);
}

static int normalize_negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->n_marks = 0; /* the values are no longer those of columns */
    return LEAT_OK;
}

static int normalize_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct normalize_cfg *c = ctx->cfg;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t from = b->ex_start[e];
        normalize_row(b->ex_start[e + 1] - from, b->value + from, (enum norm)c->norm);
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
    LEAT_PARAMS(normalize_params, struct normalize_cfg),
    .instance_size = 1,
    .negotiate = normalize_negotiate,
    .process = normalize_process,
};
