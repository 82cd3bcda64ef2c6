/* lazy_min.h -- the smallest of many keys that change all the time, when it is seldom asked for.
 *
 * A heap would be reordered by each change of a key. Here each block of 64 keys has a lower bound.
 * A key that falls lowers its block's bound; one that rises costs nothing. Only a search for the
 * minimum makes bounds exact, and mostly that of one block: it reads the bounds, scans the block
 * with the lowest one, and is done when that bound was exact. Many bounds have bounds of their own,
 * again one for each 64, until they are few enough to be read: so a search among millions of keys
 * takes little more than one among thousands. Which key is found does not depend on how tight the
 * bounds are.
 *
 *   bound[1]                   | <= all 64 bounds below |  ...
 *   bound[0]  | <= keys 0 .. 63 | <= keys 64 .. 127 | ... 64 bounds ... |
 *   key       | 0 ... 63 | 64 ... 127 | 128 ... 191 | ..., padded to whole blocks
 *
 * Example. One block has the keys 5, 3 and 9, and the bound 0 at the start. A search scans it,
 * finds key 1, which is 3, and the bound becomes 3. When key 1 rises to 7 nothing happens: the next
 * search scans again and finds key 0, which is 5.
 *
 * Keys are non-negative floats or integers below 2^31, compared by their bits; signs are ignored,
 * so a float's key is its magnitude. With `times`, key i is |key[i] * times[i]|, floats. With
 * `upper_halves` keys are stored as the upper two bytes of floats.
 */
#ifndef LEAT_KERNELS_SKETCH_LAZY_MIN_H
#define LEAT_KERNELS_SKETCH_LAZY_MIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bits.h"

enum { LAZY_MIN_BLOCK = 64, LAZY_MIN_LEVELS = 4 };

struct lazy_min {
    const void *key;    /* n[0] * LAZY_MIN_BLOCK keys              */
    bool upper_halves;  /* of two bytes each, and not of four      */
    const float *times; /* the same number, or NULL                */
    uint32_t levels;
    uint32_t n[LAZY_MIN_LEVELS];     /* bounds of blocks, of 64 of those, and so on */
    int32_t *bound[LAZY_MIN_LEVELS]; /* each <= all that it stands for              */
};

/* n rounded up to whole blocks: keys past the last one in use must never be the smallest. */
static inline uint32_t lazy_min_padded(uint32_t n)
{
    return (n + LAZY_MIN_BLOCK - 1) / LAZY_MIN_BLOCK * LAZY_MIN_BLOCK;
}

static inline int32_t lazy_min_bits(float v) { return (int32_t)(bits_of_float(v) & INT32_MAX); }

/* Bounds that n keys need, all levels together; n is lazy_min_padded. */
size_t lazy_min_bounds(uint32_t n);
/* All bounds are v; the memory for them is the caller's, who then sets `key`, and `times` or
 * `upper_halves` where they are not NULL and false. n is lazy_min_padded. */
void lazy_min_init(struct lazy_min *l, uint32_t n, int32_t *bound, int32_t v);

/* The bounds above that of block b. */
void lazy_min_lower_above(struct lazy_min *l, uint32_t b, int32_t v);

/* Key i became v. */
static inline void lazy_min_lower(struct lazy_min *l, uint32_t i, int32_t v)
{
    int32_t *b = &l->bound[0][i / LAZY_MIN_BLOCK];
    *b = v < *b ? v : *b;
    if (l->levels > 1) lazy_min_lower_above(l, i / LAZY_MIN_BLOCK, v);
}

/* Forget the bounds: all keys may have fallen. */
void lazy_min_forget(struct lazy_min *l);
/* All keys, floats, are multiplied by a, 0 < a <= 1. */
void lazy_min_scale(struct lazy_min *l, float a);
/* The first of the smallest keys, and that key. */
uint32_t lazy_min_find(struct lazy_min *l, int32_t *key);

/* Is key i, of value v, below a bound that stands for it? */
bool lazy_min_breaks(const struct lazy_min *l, uint32_t i, int32_t v);

#endif
