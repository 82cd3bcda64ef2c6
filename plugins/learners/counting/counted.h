/* counted.h -- a tally of a stage: its tables doubled when the next example might not fit, up to a
 * bound. The only time that process() allocates, and never twice for the same size.
 *
 * Only glue around plugins/kernels/sketch/feature_counts.h.
 */
#ifndef LEAT_LEARNERS_COUNTING_COUNTED_H
#define LEAT_LEARNERS_COUNTING_COUNTED_H

#include <leat/plugin.h>

#include "kernels/sketch/feature_counts.h"

enum { COUNTED_FIRST = 4096 };

struct counted {
    struct feature_counts tally;
    void *block;
    uint32_t most; /* features, a power of two: no table is larger */
};

static inline uint32_t counted_most(int64_t max_features)
{
    uint32_t p = 1;
    while (p < max_features && p < FEATURE_COUNTS_MAX_CAPACITY)
        p *= 2;
    return p;
}

static inline int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features)
{
    uint32_t most = counted_most(max_features);
    uint32_t capacity = most < COUNTED_FIRST ? most : COUNTED_FIRST;
    c->most = most;
    c->block = ctx->host->alloc(ctx, feature_counts_block_bytes(capacity));
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for the first %u features", capacity);
    feature_counts_init(&c->tally, capacity, c->block);
    return LEAT_OK;
}

static inline void counted_close(struct leat_ctx *ctx, struct counted *c)
{
    ctx->host->free(ctx, c->block);
    c->block = NULL;
}

/* Room for n more features, while tables may grow; what then finds none is ignored. */
static inline void counted_room(struct leat_ctx *ctx, struct counted *c, uint32_t n)
{
    while (feature_counts_room(&c->tally) < n && c->tally.capacity < c->most) {
        uint32_t capacity = 2 * c->tally.capacity;
        void *block = ctx->host->alloc(ctx, feature_counts_block_bytes(capacity));
        if (!block) {
            ctx->host->log(ctx, LEAT_WARN,
                           "no memory for more than %u features: new ones are ignored",
                           c->tally.capacity);
            c->most = c->tally.capacity;
            return;
        }
        feature_counts_grow(&c->tally, capacity, block);
        ctx->host->free(ctx, c->block);
        c->block = block;
    }
}

#endif
