/* lazy_min.h -- finds the smallest of many keys that change often, if searches are rare
 *
 * A heap would have to be reordered at each change of a key. Here, each block of 64 keys has a
 * lower bound instead. If a key falls, the bound of its block is lowered; if a key rises, nothing
 * happens. Only a search for the minimum makes bounds exact, usually only the bound of one block.
 * The search scans the block with the lowest bound, makes this bound exact, and stops if the bound
 * was exact before. If there are many bounds, 64 of them share a bound on the next level, until at
 * most 512 bounds are left. So a search among millions of keys takes little longer than one among
 * thousands. The result does not depend on how tight the bounds are.
 *
 *   bound[1]                   | <= all 64 bounds below |  ...
 *   bound[0]  | <= keys 0 .. 63 | <= keys 64 .. 127 | ... 64 bounds ... |
 *   key       | 0 ... 63 | 64 ... 127 | 128 ... 191 | ..., padded to whole blocks
 *
 * Example. A block has the keys 5, 3 and 9, and its bound is 0. A search scans the block and finds
 * key 1, which is 3; the bound becomes 3. Then key 1 rises to 7, and the bound stays. The next
 * search scans the block again and finds key 0, which is 5.
 *
 * Keys are non-negative floats or integers below 2^31, and are compared by their bits. Signs are
 * ignored, so the key of a float is its magnitude. With `times`, key i is |key[i] * times[i]|, both
 * floats. With `upper_halves`, `key` holds only the upper two bytes of floats.
 */
#ifndef LEAT_KERNELS_SUMMARIES_LAZY_MIN_H
#define LEAT_KERNELS_SUMMARIES_LAZY_MIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bits.h"

enum { LAZY_MIN_BLOCK = 64, LAZY_MIN_LEVELS = 4 };

struct lazy_min {
    const void *key;    /* [n[0] * LAZY_MIN_BLOCK] */
    bool upper_halves;  /* a key has two bytes, not four */
    const float *times; /* [n[0] * LAZY_MIN_BLOCK]: factors; or NULL */
    uint32_t levels;
    uint32_t n[LAZY_MIN_LEVELS];     /* number of bounds on each level; n[0]: number of blocks */
    int32_t *bound[LAZY_MIN_LEVELS]; /* a bound is <= all keys that it covers */
};

/* Rounds n up to whole blocks. Unused keys must never be the smallest. */
static inline uint32_t lazy_min_padded(uint32_t n)
{
    return (n + LAZY_MIN_BLOCK - 1) / LAZY_MIN_BLOCK * LAZY_MIN_BLOCK;
}

static inline int32_t lazy_min_bits(float v) { return (int32_t)(bits_of_float(v) & INT32_MAX); }

/* Returns the number of bounds on all levels for n keys, where n is lazy_min_padded(). */
size_t lazy_min_bounds(uint32_t n);
/* Makes the bounds of n keys in the memory `bound`, and sets them all to v. n is
 * lazy_min_padded(). The caller then sets `key`, and if needed `times` or `upper_halves`, which
 * are NULL and false here. */
void lazy_min_init(struct lazy_min *l, uint32_t n, int32_t *bound, int32_t v);

/* Lowers to v the bounds on higher levels that cover block b. */
void lazy_min_lower_above(struct lazy_min *l, uint32_t b, int32_t v);

/* Lowers the bounds of key i to v where they are higher. Call it when key i has become v. */
static inline void lazy_min_lower(struct lazy_min *l, uint32_t i, int32_t v)
{
    int32_t *b = &l->bound[0][i / LAZY_MIN_BLOCK];
    *b = v < *b ? v : *b;
    if (l->levels > 1) lazy_min_lower_above(l, i / LAZY_MIN_BLOCK, v);
}

/* Sets all bounds to 0. Call it when any keys may have fallen. */
void lazy_min_forget(struct lazy_min *l);
/* Scales all bounds. Call it when all keys, which are floats, were multiplied by a, 0 < a <= 1. */
void lazy_min_scale(struct lazy_min *l, float a);
/* Returns the index of the smallest key, the first one if several are equal. Sets
 * *key to the key. */
uint32_t lazy_min_find(struct lazy_min *l, int32_t *key);

/* True if key i, whose value is v, is below one of its bounds, which breaks an invariant. */
bool lazy_min_breaks(const struct lazy_min *l, uint32_t i, int32_t v);

#endif
