/* lazy_min.h -- the smallest of many keys that change all the time, when searches are rare
 *
 * A heap would need reordering at each change of a key. Here each block of 64 keys has a lower
 * bound instead. A falling key lowers its block's bound; a rising key costs nothing. Only a search
 * for the minimum makes bounds exact, and mostly only the bound of one block. It reads the bounds,
 * scans the block with the lowest bound, and stops when that bound was exact. Many bounds have
 * bounds themselves, one for each 64, until few enough are left to be read linearly. So a search
 * among millions of keys takes little longer than one among thousands. How tight the bounds are
 * does not affect which key is found.
 *
 *   bound[1]                   | <= all 64 bounds below |  ...
 *   bound[0]  | <= keys 0 .. 63 | <= keys 64 .. 127 | ... 64 bounds ... |
 *   key       | 0 ... 63 | 64 ... 127 | 128 ... 191 | ..., padded to whole blocks
 *
 * Example. A block has the keys 5, 3 and 9, and the bound 0 at the start. A search scans it and
 * finds key 1, which is 3; the bound becomes 3. Then key 1 rises to 7, and nothing happens. The
 * next search scans again and finds key 0, which is 5.
 *
 * Keys are non-negative floats or integers below 2^31, compared by their bits. Signs are ignored,
 * so a float's key is its magnitude. With `times`, key i is |key[i] * times[i]|, both floats. With
 * `upper_halves`, keys are stored as the upper two bytes of floats.
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
    bool upper_halves;  /* keys have two bytes, not four           */
    const float *times; /* n[0] * LAZY_MIN_BLOCK factors, or NULL  */
    uint32_t levels;
    uint32_t n[LAZY_MIN_LEVELS];     /* bounds of each level: of blocks, of 64 blocks, ... */
    int32_t *bound[LAZY_MIN_LEVELS]; /* each bound <= all keys under it             */
};

/* Rounds n up to whole blocks. Keys after the last one in use must never be the smallest. */
static inline uint32_t lazy_min_padded(uint32_t n)
{
    return (n + LAZY_MIN_BLOCK - 1) / LAZY_MIN_BLOCK * LAZY_MIN_BLOCK;
}

static inline int32_t lazy_min_bits(float v) { return (int32_t)(bits_of_float(v) & INT32_MAX); }

/* Returns the number of bounds that n keys need on all levels. n is lazy_min_padded. */
size_t lazy_min_bounds(uint32_t n);
/* Sets all bounds to v, in memory that the caller provides. The caller then sets `key`, and if
 * needed `times` or `upper_halves`, which are NULL and false here. n is lazy_min_padded. */
void lazy_min_init(struct lazy_min *l, uint32_t n, int32_t *bound, int32_t v);

/* Lowers the bounds on the levels above block b's bound to v. */
void lazy_min_lower_above(struct lazy_min *l, uint32_t b, int32_t v);

/* Notes that key i has become v. */
static inline void lazy_min_lower(struct lazy_min *l, uint32_t i, int32_t v)
{
    int32_t *b = &l->bound[0][i / LAZY_MIN_BLOCK];
    *b = v < *b ? v : *b;
    if (l->levels > 1) lazy_min_lower_above(l, i / LAZY_MIN_BLOCK, v);
}

/* Resets all bounds, because any key may have fallen. */
void lazy_min_forget(struct lazy_min *l);
/* Notes that all keys, which are floats, were multiplied by a, 0 < a <= 1. */
void lazy_min_scale(struct lazy_min *l, float a);
/* Returns the index of the first among the smallest keys, and sets *key to it. */
uint32_t lazy_min_find(struct lazy_min *l, int32_t *key);

/* True if key i, of value v, is below a bound that covers it. */
bool lazy_min_breaks(const struct lazy_min *l, uint32_t i, int32_t v);

#endif
