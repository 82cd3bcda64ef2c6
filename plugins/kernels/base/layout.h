/* layout.h -- lays out the arrays of a model in one block, each on its own cache line.
 *
 * A kernel describes its layout once. If base is NULL, the calls only add up the sizes.
 *
 *   struct layout l = {block, 0};
 *   m->weight = layout_take(&l, n, sizeof *m->weight);
 *   ... l.used is the size of the block
 */
#ifndef LEAT_KERNELS_BASE_LAYOUT_H
#define LEAT_KERNELS_BASE_LAYOUT_H

#include <stddef.h>

struct layout {
    char *base; /* 64-byte aligned; NULL to only measure */
    size_t used;
};

/* Returns the next n items of `each` bytes; NULL when measuring. They are zero if the block is. */
static inline void *layout_take(struct layout *c, size_t n, size_t each)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (n * each + 63) & ~(size_t)63;
    return p;
}

#endif
