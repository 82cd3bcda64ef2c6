/* pool_names.c -- the pool of names of a stage; see pool_names.h. */
#include "pool_names.h"

#include <inttypes.h>
#include <stdio.h>

size_t pool_names_bytes(int64_t names_budget, int64_t name_bytes, uint64_t features,
                        const struct leat_schema *in)
{
    uint64_t all = features * name_pool_bytes((uint32_t)name_bytes);
    if (!(in->has & LEAT_HAS_NAMES)) return 0;
    return all < (uint64_t)names_budget ? (size_t)all : (size_t)names_budget;
}

bool pool_names_open(struct leat_ctx *ctx, size_t bytes, int64_t name_bytes, struct name_pool *pool,
                     char **text)
{
    void *block = bytes ? ctx->host->alloc(ctx, bytes) : NULL;
    *text = ctx->host->alloc(ctx, (size_t)name_bytes + 1);
    name_pool_init(pool, block, bytes, (uint32_t)name_bytes);
    return (block || !bytes) && *text;
}

void pool_names_close(struct leat_ctx *ctx, struct name_pool *pool, char *text)
{
    ctx->host->free(ctx, text);
    ctx->host->free(ctx, pool->bytes);
}

void pool_names_tell(struct leat_ctx *ctx, const struct name_pool *pool, bool *told)
{
    bool full = pool->cap - pool->used < name_pool_bytes(pool->max_bytes);
    if (!full || !pool->dropped || !pool->cap || *told) return;
    *told = true;
    ctx->host->log(
        ctx, LEAT_WARN,
        "the %zu bytes for names are full: features that came later are shown by their "
        "ids, and counted (unnamed_features); to name more, raise names_budget: a run that "
        "continues from its --state keeps what was learned",
        pool->cap);
}

uint32_t pool_names_take(struct name_pool *pool, char *text, const struct leat_batch *b, uint32_t i)
{
    size_t cap = pool->max_bytes + 1; /* one more than is kept: the pool sees that it must cut */
    size_t len = leat_name_text(b, i, text, cap);
    return name_pool_add(pool, text, len < cap ? len : cap);
}

const char *pool_names_get(const struct name_pool *pool, uint32_t tag, uint64_t id,
                           char digits[POOL_NAMES_DIGITS], size_t *len)
{
    if (tag) return name_pool_get(pool, tag, len);
    *len = (size_t)snprintf(digits, POOL_NAMES_DIGITS, "%" PRIu64, id);
    return digits;
}
