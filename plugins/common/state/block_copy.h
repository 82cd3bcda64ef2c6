/* block_copy.h -- copies a block of memory, so that a refused restore changes nothing. */
#ifndef LEAT_COMMON_STATE_BLOCK_COPY_H
#define LEAT_COMMON_STATE_BLOCK_COPY_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

struct block_copy {
    void *block, *copy; /* copy is NULL if the block holds nothing */
    size_t bytes;
};

/* Copies the block before a restore if it holds data. Returns LEAT_OK or LEAT_ENOMEM. */
static inline int block_copy_take(struct leat_ctx *ctx, struct block_copy *c, void *block,
                                  size_t bytes, bool holds)
{
    *c = (struct block_copy){.block = block, .bytes = bytes};
    if (!holds) return LEAT_OK;
    c->copy = ctx->host->alloc(ctx, bytes);
    if (!c->copy)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is no memory for a copy of the state");
    memcpy(c->copy, block, bytes);
    return LEAT_OK;
}

/* Frees the copy. If the restore was refused, first copies it back to the block. */
static inline void block_copy_end(struct leat_ctx *ctx, struct block_copy *c, bool refused)
{
    if (c->copy && refused) memcpy(c->block, c->copy, c->bytes);
    ctx->host->free(ctx, c->copy);
}

#endif
