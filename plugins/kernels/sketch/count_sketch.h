/* count_sketch.h -- a Count-Sketch: sums of many features in few cells, recovered by a median
 *
 * Source: M. Charikar, K. Chen, M. Farach-Colton, Finding frequent items in data streams, ICALP
 * 2002.
 *
 *              0                       width - 1
 *      row 0 | . | . | a | . | . | . | . | b |     feature a: one cell in each row,
 *      row 1 | . | b | . | . | . | a | . | . |     with sign_0(a), sign_1(a), sign_2(a);
 *      row 2 | . | . | . | . |a,b| . | . | . |     a and b share a cell of row 2
 *
 * Adding d to a feature adds sign_j d to its cell of each row. The feature's estimate is the median
 * of sign_j cell_j over the rows; of an even number of rows, the mean of the middle two.
 *
 * Example, as drawn: a received 5 and b received 2, and their signs in row 2 differ. The cells of
 * a, times their signs, are 5, 5 and 5 - 2 = 3. The median is 5, as if b were absent.
 *
 * All rows use one mix of the id, a permutation of its 32 bits. Row j takes the top bits of
 * mix * a_j + b_j with odd a_j (multiply-shift, Dietzfelbinger et al. 1997): one bit for the sign,
 * the next bits for the cell. The caller provides the cells.
 */
#ifndef LEAT_KERNELS_SKETCH_COUNT_SKETCH_H
#define LEAT_KERNELS_SKETCH_COUNT_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/bits.h"

enum { COUNT_SKETCH_MAX_DEPTH = 64 };
#define COUNT_SKETCH_SIGN 0x80000000u

struct count_sketch {
    uint32_t width, depth; /* 1 .. 2^30 cells together, 1 .. COUNT_SKETCH_MAX_DEPTH rows */
    uint32_t multiplier[COUNT_SKETCH_MAX_DEPTH], addend[COUNT_SKETCH_MAX_DEPTH], seed;
    float *cell; /* depth x width */
};

/* Draws the hash functions. width and depth are already set. */
void count_sketch_draw(struct count_sketch *s, uint64_t seed);

/* Permutes the 32-bit words. */
static inline uint32_t count_sketch_mix(const struct count_sketch *s, uint32_t id)
{
    uint32_t h = id ^ s->seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Returns the cell of row j for a feature with this mix. Sets *sign to COUNT_SKETCH_SIGN or 0. */
static inline size_t count_sketch_at(const struct count_sketch *s, uint32_t j, uint32_t mix,
                                     uint32_t *sign)
{
    uint32_t hash = mix * s->multiplier[j] + s->addend[j];
    *sign = hash & COUNT_SKETCH_SIGN;
    return (size_t)j * s->width +
           (uint32_t)(((uint64_t)(hash & ~COUNT_SKETCH_SIGN) * s->width) >> 31);
}

/* Returns v, with its sign flipped if `sign` is COUNT_SKETCH_SIGN. */
static inline float count_sketch_signed(float v, uint32_t sign)
{
    return float_of_bits(bits_of_float(v) ^ sign);
}

/* Returns the median of n >= 1 values; of an even number, the mean of the middle two. Reorders
 * them. */
float count_sketch_median(float *v, uint32_t n);

/* Adds d, finite or not, to a feature; clips cells to +-`limit`. Returns the feature's new
 * estimate. */
float count_sketch_add(struct count_sketch *s, uint32_t mix, float d, float limit);
float count_sketch_estimate(const struct count_sketch *s, uint32_t mix);

#endif
