/* dense.c -- triangles of learners that keep a number for every pair of features; see dense.h. */
#include "dense.h"

#include <string.h>

uint32_t dense_stride(const void *cfg) { return 1; }

bool dense_one(const void *cfg) { return true; }

/* ---- memory ---- */

uint64_t dense_bytes(uint32_t features, uint32_t n_parts, uint32_t vectors)
{
    return 8 * (n_parts * triangle_size(features) + (uint64_t)vectors * features);
}

void dense_close(struct leat_ctx *ctx, void *self)
{
    struct dense *d = self;
    for (int i = 0; i < DENSE_MAX_PARTS; i++)
        ctx->host->free(ctx, d->part[i]);
}

int dense_open(struct leat_ctx *ctx, struct dense *d, uint32_t n_parts)
{
    const struct leat_host *h = ctx->host;
    uint32_t max = d->common.g.table.max_capacity;
    d->n_parts = n_parts;
    for (uint32_t i = 0; i < n_parts; i++)
        if (!(d->part[i] = h->alloc(ctx, triangle_size(max) * sizeof(double))))
            return h->fail(
                ctx, LEAT_ENOMEM,
                "there is not enough memory for all pairs of max_features = %u: lower it", max);
    return LEAT_OK;
}

void dense_report(struct leat_ctx *ctx, const struct dense *d)
{
    size_t doubles = d->n_parts * triangle_size(d->common.g.table.capacity);
    factored_report_bytes(ctx, &d->common, doubles * sizeof(double));
}

/* ---- answers ---- */

double dense_weight(const struct dense *d, const double *triangle, uint32_t feature)
{
    uint32_t one = feature_table_find(&d->common.g.table, FM_ONE);
    return one == FEATURE_TABLE_NONE ? 0 : 2 * triangle[triangle_at(feature, one)];
}

void dense_pairs(const struct dense *d, const double *triangle, double scale, struct pairs *out)
{
    for (uint32_t j = 1; j < d->common.g.table.n; j++)
        for (uint32_t i = 0; i < j; i++)
            if (!factored_is_one(&d->common, i) && !factored_is_one(&d->common, j))
                pairs_offer(out, i, j, 2 * scale * triangle[triangle_at(i, j)]);
}

/* ---- state ---- */

struct triangles {
    uint64_t numbers; /* of a triangle of the features known */
    double *part[DENSE_MAX_PARTS];
};

#define AT(member) STATE_MEMBER(struct triangles, member)
static const struct state_field fields[] = {
    {"matrix", STATE_COPIED, .at = AT(part[0]), .count = {AT(numbers)}},
    {"second_matrix", STATE_COPIED, .at = AT(part[1]), .count = {AT(numbers)}, .optional = true},
};
#undef AT

static struct triangles triangles_of(const struct dense *d)
{
    return (struct triangles){triangle_size(d->common.g.table.n), {d->part[0], d->part[1]}};
}

int dense_write(const void *self, struct leat_writer *w)
{
    struct triangles t = triangles_of(self);
    return state_write(w, STATE_TABLE(fields), &t);
}

int dense_read(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct triangles t = triangles_of(self);
    return state_read(r, STATE_TABLE(fields), &t);
}
