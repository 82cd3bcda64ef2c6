/* counted.c -- exact counts in tables that double; see counted.h. */
#include "counted.h"

#include "growing.h"

enum { FIRST = 4096 };

uint32_t counted_first(int64_t max_features)
{
    uint32_t max = growing_max_capacity(max_features);
    return max < FIRST ? max : FIRST;
}

static size_t bytes_for(uint32_t capacity, uint32_t extra_bytes)
{
    return feature_counts_block_bytes(capacity) + (size_t)capacity * extra_bytes;
}

/* The extra bytes follow the counts. */
static void *extra_in(void *block, uint32_t capacity)
{
    return (char *)block + feature_counts_block_bytes(capacity);
}

void counted_plan(struct leat_plan *p, int64_t max_features, uint32_t extra_bytes, uint32_t finding)
{
    uint32_t max = growing_max_capacity(max_features),
             before = growing_before(counted_first(max_features), max);
    uint64_t work = (uint64_t)max * finding, moving = before ? bytes_for(before, extra_bytes) : 0;
    p->state_bytes += bytes_for(max, extra_bytes);
    p->work_bytes += work > moving ? work : moving;
    growing_note(p, max);
}

int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features,
                 uint32_t extra_bytes)
{
    uint32_t capacity = counted_first(max_features);
    c->max_capacity = growing_max_capacity(max_features);
    c->extra_bytes = extra_bytes;
    c->block = ctx->host->alloc(ctx, bytes_for(capacity, extra_bytes));
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
    void *block = ctx->host->alloc(ctx, bytes_for(capacity, c->extra_bytes));
    if (!block) return false;
    if (c->extra_bytes)
        memcpy(extra_in(block, capacity), c->extra, (size_t)c->counts.table.n * c->extra_bytes);
    feature_counts_grow(&c->counts, capacity, block);
    ctx->host->free(ctx, c->block);
    c->block = block;
    c->extra = extra_in(block, capacity);
    return true;
}

static struct growing_size size_of(struct counted *c)
{
    const struct feature_table *t = &c->counts.table;
    return (struct growing_size){t->n, t->capacity, c->max_capacity, t->ignored, &c->told};
}

void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n)
{
    c->max_capacity = growing_double(ctx, c, move_counts, size_of(c), n);
}

void counted_tell(struct leat_ctx *ctx, struct counted *c) { growing_tell(ctx, size_of(c)); }
