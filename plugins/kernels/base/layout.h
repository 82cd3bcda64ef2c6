/* layout.h -- places the arrays of a model in one block, each at the start of a cache line.
 *
 * A kernel describes its layout once, in one function. With a block, the function places the
 * arrays. With NULL, it only computes the size of the block.
 *
 *   struct layout l = {block, 0};
 *   m->weight = layout_take(&l, n, sizeof *m->weight);
 *   ... l.used is the size of the block
 */
#ifndef LEAT_KERNELS_BASE_LAYOUT_H
#define LEAT_KERNELS_BASE_LAYOUT_H

#include <stddef.h>

struct layout {
    char *base; /* aligned to 64 bytes; NULL to only compute the size */
    size_t used;
};

/* Returns the next array of n items of `each` bytes, or NULL if base is NULL. The
 * array is not cleared. */
static inline void *layout_take(struct layout *c, size_t n, size_t each)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (n * each + 63) & ~(size_t)63;
    return p;
}

#endif
