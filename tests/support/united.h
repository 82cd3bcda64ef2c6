/* united.h -- the union of two models of learn.contrast, for tests of its kernel. */
#ifndef LEAT_TESTS_SUPPORT_UNITED_H
#define LEAT_TESTS_SUPPORT_UNITED_H

#include <stdlib.h>
#include <string.h>

#include "kernels/counting/contrast/contrast_union.h"

/* Returns an empty union like m, in a new block that replaces *block. */
static inline struct contrast union_like(void **block, const struct contrast *m,
                                         struct contrast_union_size size)
{
    struct contrast u;
    struct contrast_shape leaf = m->shape;
    if (m->united.is) leaf.members = m->united.leaf_members;
    size_t bytes = contrast_union_bytes(&leaf, size);
    free(*block);
    *block = aligned_alloc(64, bytes);
    memset(*block, 0, bytes);
    contrast_union_init(&u, &leaf, size, &m->opt, *block);
    return u;
}

/* Adds `from` to u, which has room. */
static inline void unite(struct contrast *u, const struct contrast *from, double weight)
{
    uint32_t *slot = calloc(from->index.n + 1u, sizeof *slot);
    contrast_union_add(u, from, weight, slot);
    free(slot);
}

/* Returns the union of a and of b, which counts `weight` times. */
static inline struct contrast united(void **block, const struct contrast *a,
                                     const struct contrast *b, double weight)
{
    struct contrast u = union_like(block, a, contrast_union_of(a, b));
    unite(&u, a, 1);
    unite(&u, b, weight);
    return u;
}

/* Settles u into m, which is empty. */
static inline void settle(struct contrast *m, const struct contrast *u)
{
    struct contrast_rank *rank = calloc(u->index.n + 1u, sizeof *rank);
    contrast_settle_union(m, u, rank);
    free(rank);
}

#endif
