/* counted.c -- exact counts in tables that double; see counted.h. */
#include "counted.h"

#include "growing.h"

enum { FIRST = 4096 };

uint32_t counted_first(int64_t max_features)
{
    uint32_t max = growing_max_capacity(max_features);
    return max < FIRST ? max : FIRST;
}

static size_t bytes_for(uint32_t max_capacity, bool parts, uint32_t extra_bytes)
{
    return feature_counts_block_bytes(max_capacity, parts) + (size_t)max_capacity * extra_bytes;
}

void counted_plan(struct leat_plan *p, int64_t max_features, bool parts, uint32_t extra_bytes,
                  uint32_t finding)
{
    uint32_t max = growing_max_capacity(max_features);
    p->state_bytes += bytes_for(max, parts, extra_bytes);
    p->work_bytes += (uint64_t)max * finding;
    growing_note(p, max);
}

int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features, bool parts,
                 uint32_t extra_bytes)
{
    uint32_t max = growing_max_capacity(max_features);
    c->extra_bytes = extra_bytes;
    c->block = ctx->host->alloc(ctx, bytes_for(max, parts, extra_bytes));
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for max_features = %u: lower it", max);
    feature_counts_init(&c->counts, counted_first(max_features), max, parts, c->block);
    c->extra = (char *)c->block + feature_counts_block_bytes(max, parts); /* after the counts */
    return LEAT_OK;
}

void counted_close(struct leat_ctx *ctx, struct counted *c)
{
    ctx->host->free(ctx, c->block);
    c->block = NULL;
}

static struct growing_size size_of(const struct feature_table *t)
{
    return (struct growing_size){t->n, t->capacity, t->max_capacity, t->ignored};
}

void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n)
{
    struct feature_table *t = &c->counts.table;
    uint32_t capacity = growing_capacity(ctx, size_of(t), n, &c->told);
    if (capacity > t->capacity) feature_table_grow(t, capacity);
}

void counted_tell(struct leat_ctx *ctx, struct counted *c)
{
    growing_tell(ctx, size_of(&c->counts.table), &c->told);
}
