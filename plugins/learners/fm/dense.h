/* dense.h -- glue of the learners that keep a number for every pair of features: triangles that
 * grow, their pairs, their state.
 *
 * A stage's instance begins with struct dense, which begins with struct factored; its configuration
 * with struct factored_cfg. A model has DENSE_MOST triangles (triangle.h) at most, of the table's
 * capacity.
 */
#ifndef LEAT_LEARNERS_FM_DENSE_H
#define LEAT_LEARNERS_FM_DENSE_H

#include "kernels/fm/triangle.h"
#include "factored.h"
#include "factored_state.h"

enum { DENSE_MOST = 2 };

/* clang-format off */
#define DENSE_PARAMS                                                                               \
    {.name = "max_features", .type = LEAT_INT, .def = "4096", .min = 2, .max = 65536,              \
     .offset = offsetof(struct factored_cfg, growing.max_features), .unit = "features",            \
     .doc = "features kept, rounded up to a power of two; later ones are ignored and counted; "    \
            "memory is 4 max_features^2 bytes a matrix"},                                          \
    FACTORED_OTHER_PARAMS, GROWING_OTHER_PARAMS(offsetof(struct factored_cfg, growing)),           \
    FACTORED_TOP_PARAM
/* clang-format on */

struct dense {
    struct factored common;
    double *part[DENSE_MOST];
    uint32_t n_parts, capacity; /* triangles; features they are for */
};

static inline uint32_t dense_stride(const void *cfg)
{
    (void)cfg;
    return 1;
}

static inline bool dense_one(const void *cfg)
{
    (void)cfg;
    return true;
}

static inline void dense_close(struct leat_ctx *ctx, void *self)
{
    struct dense *d = self;
    for (int i = 0; i < DENSE_MOST; i++)
        ctx->host->free(ctx, d->part[i]);
}

/* Triangles for so many features. */
static inline int dense_resize(struct leat_ctx *ctx, struct dense *d, uint32_t capacity)
{
    const struct leat_host *h = ctx->host;
    size_t before = triangle_size(d->capacity) * sizeof(double);
    for (uint32_t i = 0; i < d->n_parts; i++) {
        double *larger = h->alloc(ctx, triangle_size(capacity) * sizeof(double));
        if (!larger)
            return h->fail(ctx, LEAT_ENOMEM, "no memory for all pairs of %u features", capacity);
        if (before) memcpy(larger, d->part[i], before);
        h->free(ctx, d->part[i]);
        d->part[i] = larger;
    }
    d->capacity = capacity;
    return LEAT_OK;
}

static inline int dense_open(struct leat_ctx *ctx, struct dense *d, uint32_t n_parts)
{
    d->n_parts = n_parts;
    return dense_resize(ctx, d, d->common.g.table.capacity);
}

/* Room for all features of the table. */
static inline int dense_prepare(struct leat_ctx *ctx, struct dense *d)
{
    uint32_t capacity = d->common.g.table.capacity;
    return capacity > d->capacity ? dense_resize(ctx, d, capacity) : LEAT_OK;
}

/* vectors: of doubles, one a feature. */
static inline int dense_plan(const void *cfg, const struct leat_schema *in, struct leat_plan *p,
                             uint32_t n_parts, uint32_t vectors)
{
    uint32_t first = growing_first(&((const struct factored_cfg *)cfg)->growing);
    return factored_plan(&(struct factored_kind){.stride = dense_stride, .one = dense_one}, cfg, in,
                         p, 8ull * (n_parts * triangle_size(first) + vectors * first), 0);
}

static inline void dense_report(struct leat_ctx *ctx, struct dense *d)
{
    factored_report_bytes(ctx, d, d->n_parts * triangle_size(d->capacity) * sizeof(double));
}

/* ---- answers: of scale times a triangle ---- */

static inline double dense_weight(const struct dense *d, const double *triangle, uint32_t feature)
{
    uint32_t one = feature_table_find(&d->common.g.table, FACTOR_ONE);
    return one == FEATURE_TABLE_NONE ? 0 : 2 * triangle[triangle_at(feature, one)];
}

static inline void dense_pairs(const struct dense *d, const double *triangle, double scale,
                               struct pairs *out)
{
    for (uint32_t j = 1; j < d->common.g.table.n; j++)
        for (uint32_t i = 0; i < j; i++)
            if (!factored_is_one(&d->common, i) && !factored_is_one(&d->common, j))
                pairs_offer(out, i, j, 2 * scale * triangle[triangle_at(i, j)]);
}

/* ---- state ---- */

static const char *const dense_fields[DENSE_MOST] = {"matrix", "second_matrix"};

static inline void dense_write(const struct dense *d, struct leat_writer *w)
{
    for (uint32_t i = 0; i < d->n_parts; i++)
        w->array(w, dense_fields[i], LEAT_F64, d->part[i], triangle_size(d->common.g.table.n));
}

static inline int dense_read(struct leat_ctx *ctx, struct dense *d, struct leat_reader *r)
{
    uint64_t n = triangle_size(d->common.g.table.n);
    int status = dense_prepare(ctx, d);
    for (uint32_t i = 0; i < d->n_parts && status == LEAT_OK; i++) {
        const void *v;
        status = linear_read_array(r, dense_fields[i], LEAT_F64, n, &v);
        if (status != LEAT_OK) return status;
        for (uint64_t k = 0; k < n; k++)
            if (!isfinite(((const double *)v)[k])) return r->refuse(r, "a matrix is not finite");
        if (n) memcpy(d->part[i], v, n * sizeof(double));
    }
    return status;
}

#define DENSE_NO_MERGE                                                                             \
    "matrices of all pairs are not merged: learn.sftrl is, within its error bounds"

#endif
