/* exact.c -- see exact.h. */
#include "exact.h"

#include <stdlib.h>

#include "kernels/base/feature_id.h"

/* The hash of each feature's name. */
static uint64_t *hashes(const struct exact *e) { return e->counted.extra; }

int exact_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
               struct leat_plan *p)
{
    const struct exact_cfg *cfg = config;
    int status = out_plan(config, in, out, p);
    counted_plan(p, cfg->max_features, sizeof(uint64_t),
                 2 * sizeof(struct exact_name)); /* qsort() takes as much again */
    return status;
}

int exact_open(struct leat_ctx *ctx, void *self)
{
    struct exact *e = self;
    const struct exact_cfg *cfg = ctx->cfg;
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    status = counted_open(ctx, &e->counted, cfg->max_features, sizeof(uint64_t));
    if (status != LEAT_OK) out_close(ctx, self);
    return status;
}

void exact_close(struct leat_ctx *ctx, void *self)
{
    struct exact *e = self;
    exact_end(ctx, e);
    counted_close(ctx, &e->counted);
    out_close(ctx, self);
}

/* ---- counting ---- */

static uint64_t hash_of_entry(const struct leat_batch *b, uint32_t i, uint32_t max_bytes)
{
    char text[EXACT_MAX_NAME + 1], cut[EXACT_MAX_NAME];
    size_t cap = max_bytes + 1u, len = leat_name_text(b, i, text, cap);
    return feature_id_name(cut, name_cut(text, len < cap ? len : cap, max_bytes, cut));
}

static void count_entry(struct exact *e, const struct leat_batch *b, uint32_t i, int positive,
                        uint32_t name_bytes)
{
    struct feature_counts *c = &e->counted.counts;
    uint32_t known = c->table.n, f = feature_counts_add(c, b->id[i], positive);
    if (f == known) hashes(e)[f] = hash_of_entry(b, i, name_bytes);
}

int exact_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct exact_cfg *cfg = ctx->cfg;
    struct exact *e = self;
    uint32_t record = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, x)) {
        uint32_t start = b->ex_start[x], end = b->ex_start[x + 1];
        int positive = b->ex_label[x] > 0;
        e->records[positive] += b->ex_record[x] != record;
        record = b->ex_record[x];
        counted_reserve(ctx, &e->counted, end - start);
        for (uint32_t i = start; i < end; i++)
            count_entry(e, b, i, positive, (uint32_t)cfg->name_bytes);
    }
    return LEAT_OK;
}

/* ---- finding ---- */

static int by_hash(const void *a, const void *b)
{
    const struct exact_name *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

int exact_begin(struct leat_ctx *ctx, struct exact *e)
{
    uint32_t n = e->counted.counts.table.n;
    counted_tell(ctx, &e->counted);
    e->by_name = ctx->host->alloc(ctx, (n + 1u) * sizeof *e->by_name);
    if (!e->by_name)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u names", n);
    for (uint32_t f = 0; f < n; f++)
        e->by_name[f] = (struct exact_name){.hash = hashes(e)[f], .feature = f};
    qsort(e->by_name, n, sizeof *e->by_name, by_hash);
    return LEAT_OK;
}

void exact_end(struct leat_ctx *ctx, struct exact *e)
{
    ctx->host->free(ctx, e->by_name);
    e->by_name = NULL;
}

struct exact_name *exact_find(const struct exact *e, const struct leat_table *t, uint32_t row,
                              uint32_t *n)
{
    uint64_t hash = feature_id_name(t->names[row], t->name_len[row]);
    uint32_t low = 0, high = e->counted.counts.table.n, end = high;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (e->by_name[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    for (*n = 0; low + *n < end && e->by_name[low + *n].hash == hash;)
        ++*n;
    return e->by_name + low;
}
