/* counted.c -- exact counts in tables that double; see counted.h. */
#include "counted.h"

#include "growing.h"

enum { FIRST = 4096 };

uint32_t counted_first(int64_t max_features)
{
    uint32_t max = growing_max_capacity(max_features);
    return max < FIRST ? max : FIRST;
}

size_t counted_bytes(uint32_t capacity, uint32_t extra_bytes)
{
    return feature_counts_block_bytes(capacity) + (size_t)capacity * extra_bytes;
}

/* The extra bytes follow the counts. */
static void *extra_in(void *block, uint32_t capacity)
{
    return (char *)block + feature_counts_block_bytes(capacity);
}

int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features,
                 uint32_t extra_bytes)
{
    uint32_t capacity = counted_first(max_features);
    c->max_capacity = growing_max_capacity(max_features);
    c->extra_bytes = extra_bytes;
    c->block = ctx->host->alloc(ctx, counted_bytes(capacity, extra_bytes));
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for the first %u features", capacity);
    feature_counts_init(&c->counts, capacity, c->block);
    c->extra = extra_in(c->block, capacity);
    return LEAT_OK;
}

void counted_close(struct leat_ctx *ctx, struct counted *c)
{
    ctx->host->free(ctx, c->block);
    c->block = NULL;
}

static bool move_counts(struct leat_ctx *ctx, void *counted, uint32_t capacity)
{
    struct counted *c = counted;
    void *block = ctx->host->alloc(ctx, counted_bytes(capacity, c->extra_bytes));
    if (!block) return false;
    if (c->extra_bytes)
        memcpy(extra_in(block, capacity), c->extra, (size_t)c->counts.table.n * c->extra_bytes);
    feature_counts_grow(&c->counts, capacity, block);
    ctx->host->free(ctx, c->block);
    c->block = block;
    c->extra = extra_in(block, capacity);
    return true;
}

void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n)
{
    struct growing_size size = {c->counts.table.n, c->counts.table.capacity, c->max_capacity};
    c->max_capacity = growing_double(ctx, c, move_counts, size, n);
}
