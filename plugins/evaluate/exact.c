/* exact.c -- see exact.h. */
#include "exact.h"

#include <stdlib.h>

#include "kernels/base/feature_id.h"
#include "support/growing.h"

enum { FIRST = 4096 };

static uint32_t first_capacity(int64_t max_features)
{
    uint32_t max = growing_max_capacity(max_features);
    return max < FIRST ? max : FIRST;
}

static size_t block_bytes(uint32_t capacity)
{
    return feature_counts_block_bytes(capacity) + capacity * sizeof(uint64_t);
}

size_t exact_bytes(int64_t max_features) { return block_bytes(first_capacity(max_features)); }

/* The names follow the counts. */
static uint64_t *names_in(void *block, uint32_t capacity)
{
    return (uint64_t *)(void *)((char *)block + feature_counts_block_bytes(capacity));
}

int exact_open(struct leat_ctx *ctx, struct exact *e, int64_t max_features, int64_t name_bytes)
{
    uint32_t capacity = first_capacity(max_features);
    e->max_capacity = growing_max_capacity(max_features);
    e->name_bytes = (uint32_t)name_bytes;
    e->block = ctx->host->alloc(ctx, block_bytes(capacity));
    if (!e->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for the first %u features", capacity);
    feature_counts_init(&e->counts, capacity, e->block);
    e->name = names_in(e->block, capacity);
    return LEAT_OK;
}

void exact_close(struct leat_ctx *ctx, struct exact *e)
{
    exact_end(ctx, e);
    ctx->host->free(ctx, e->block);
    e->block = NULL;
}

/* ---- counting ---- */

static bool move_counts(struct leat_ctx *ctx, void *exact, uint32_t capacity)
{
    struct exact *e = exact;
    void *block = ctx->host->alloc(ctx, block_bytes(capacity));
    if (!block) return false;
    memcpy(names_in(block, capacity), e->name, e->counts.n * sizeof *e->name);
    feature_counts_grow(&e->counts, capacity, block);
    e->name = names_in(block, capacity);
    ctx->host->free(ctx, e->block);
    e->block = block;
    return true;
}

static uint64_t hash_of_entry(const struct leat_batch *b, uint32_t i, uint32_t max_bytes)
{
    char text[EXACT_MAX_NAME + 1], cut[EXACT_MAX_NAME];
    size_t cap = max_bytes + 1u, len = leat_name_text(b, i, text, cap);
    return feature_id_name(cut, name_cut(text, len < cap ? len : cap, max_bytes, cut));
}

static void count_entry(struct exact *e, const struct leat_batch *b, uint32_t i, int positive)
{
    uint32_t known = e->counts.n, f = feature_counts_add(&e->counts, b->id[i], positive);
    if (f == known) e->name[f] = hash_of_entry(b, i, e->name_bytes);
}

void exact_count(struct leat_ctx *ctx, struct exact *e, const struct leat_batch *b)
{
    uint32_t record = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, x)) {
        uint32_t start = b->ex_start[x], end = b->ex_start[x + 1];
        int positive = b->ex_label[x] > 0;
        e->records[positive] += b->ex_record[x] != record;
        record = b->ex_record[x];
        struct growing_size size = {e->counts.n, e->counts.capacity, e->max_capacity};
        e->max_capacity = growing_double(ctx, e, move_counts, size, end - start);
        for (uint32_t i = start; i < end; i++)
            count_entry(e, b, i, positive);
    }
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
    uint32_t n = e->counts.n;
    e->by_name = ctx->host->alloc(ctx, (n + 1u) * sizeof *e->by_name);
    if (!e->by_name)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u names", n);
    for (uint32_t f = 0; f < n; f++)
        e->by_name[f] = (struct exact_name){e->name[f], f};
    qsort(e->by_name, n, sizeof *e->by_name, by_hash);
    return LEAT_OK;
}

void exact_end(struct leat_ctx *ctx, struct exact *e)
{
    ctx->host->free(ctx, e->by_name);
    e->by_name = NULL;
}

const struct exact_name *exact_find(const struct exact *e, const char *name, size_t len,
                                    uint32_t *n)
{
    uint64_t hash = feature_id_name(name, len);
    uint32_t low = 0, high = e->counts.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (e->by_name[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    for (*n = 0; low + *n < e->counts.n && e->by_name[low + *n].hash == hash;)
        ++*n;
    return e->by_name + low;
}
