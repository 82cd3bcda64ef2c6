/* count_sketch.h -- Count-Sketch: sums of many features in few cells, estimated by a median
 *
 * Source: M. Charikar, K. Chen, M. Farach-Colton, Finding frequent items in data streams, ICALP
 * 2002.
 *
 *              0                       width - 1
 *      row 0 | . | . | a | . | . | . | . | b |     feature a: one cell in each row,
 *      row 1 | . | b | . | . | . | a | . | . |     with sign_0(a), sign_1(a), sign_2(a);
 *      row 2 | . | . | . | . |a,b| . | . | . |     a and b share a cell of row 2
 *
 * To add d to a feature, sign_j d is added to the feature's cell in each row j. The feature's
 * estimate is the median of sign_j cell_j over the rows. If the number of rows is even, it is the
 * mean of the middle two.
 *
 * Example, as drawn. 5 was added to a, and 2 to b; their signs in row 2 differ. The cells of a,
 * times their signs, are 5, 5 and 5 - 2 = 3. The median is 5, as if b were absent.
 *
 * All rows use the same mix of the id, a permutation of its 32 bits. Row j takes the top bits of
 * mix * a_j + b_j, with odd a_j (multiply-shift, Dietzfelbinger et al. 1997): one bit for the sign,
 * the next bits for the cell. The caller provides the cells.
 */
#ifndef LEAT_KERNELS_SUMMARIES_COUNT_SKETCH_H
#define LEAT_KERNELS_SUMMARIES_COUNT_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/bits.h"

enum { COUNT_SKETCH_MAX_DEPTH = 64 };
#define COUNT_SKETCH_SIGN 0x80000000u

struct count_sketch {
    uint32_t width, depth; /* depth <= COUNT_SKETCH_MAX_DEPTH rows; width * depth <= 2^30 */
    uint32_t multiplier[COUNT_SKETCH_MAX_DEPTH], addend[COUNT_SKETCH_MAX_DEPTH], seed;
    float *cell; /* [depth][width] */
};

/* Draws the hash functions of all rows from a seed. The caller has set width and depth. */
void count_sketch_draw(struct count_sketch *s, uint64_t seed);

/* Mixes an id for the functions below. The mix is a permutation of the 32-bit numbers. */
static inline uint32_t count_sketch_mix(const struct count_sketch *s, uint32_t id)
{
    uint32_t h = id ^ s->seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Returns the index of a feature's cell in row j. `mix` is its count_sketch_mix(). Sets *sign to
 * COUNT_SKETCH_SIGN (negative) or 0. */
static inline size_t count_sketch_at(const struct count_sketch *s, uint32_t j, uint32_t mix,
                                     uint32_t *sign)
{
    uint32_t hash = mix * s->multiplier[j] + s->addend[j];
    *sign = hash & COUNT_SKETCH_SIGN;
    return (size_t)j * s->width +
           (uint32_t)(((uint64_t)(hash & ~COUNT_SKETCH_SIGN) * s->width) >> 31);
}

/* Returns v, negated if `sign` is COUNT_SKETCH_SIGN. */
static inline float count_sketch_signed(float v, uint32_t sign)
{
    return float_of_bits(bits_of_float(v) ^ sign);
}

/* Returns the median of n >= 1 values; if n is even, the mean of the middle two. Reorders v. */
float count_sketch_median(float *v, uint32_t n);

/* Adds d to a feature with this mix. Clips cells to +-`limit`, so d may be infinite or NaN. Returns
 * the feature's new estimate. */
float count_sketch_add(struct count_sketch *s, uint32_t mix, float d, float limit);
float count_sketch_estimate(const struct count_sketch *s, uint32_t mix);

#endif
