/* awm_scan.h -- floats as integers, and vector loops over a row's entries; only for awm.c.
 *
 * Vectors of four numbers are an extension of gcc and clang for every processor. The loops use them
 * explicitly because -O2 does not vectorise these loops, and each feature that enters S waits for
 * them. Arrays extend to a multiple of SCAN_STRIDE entries; the loops read the entries past the
 * last one but ignore them.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_SCAN_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/bits.h"
#include "kernels/linear/sgd.h"

enum { SCAN_LANES = 4, SCAN_STRIDE = 16 };
typedef int32_t scan_ints __attribute__((vector_size(16)));
typedef float scan_floats __attribute__((vector_size(16)));

/* ---- |w| is compared as an integer ---- */

static inline int32_t bits_of(float w) { return (int32_t)bits_of_float(w); }

static inline float float_of(int32_t bits) { return float_of_bits((uint32_t)bits); }

static inline int32_t magnitude(float w) { return bits_of(w) & INT32_MAX; }

/* Returns -x if bit 0 of flip is set, else x. */
static inline float signed_by(float x, uint32_t flip)
{
    return float_of(bits_of(x) ^ (int32_t)(flip << 31));
}

/* ---- SCAN_STRIDE integers at once ---- */

static inline bool scan_any(const scan_ints v[SCAN_STRIDE / SCAN_LANES])
{
    scan_ints all = v[0] | v[1] | v[2] | v[3];
    uint64_t half[2];
    memcpy(half, &all, sizeof half);
    return half[0] | half[1];
}

/* True if one of the SCAN_STRIDE numbers at p is above `bound`. */
static inline bool scan_any_above(const int32_t *p, int32_t bound)
{
    scan_ints v[SCAN_STRIDE / SCAN_LANES];
    memcpy(v, p, sizeof v);
    for (int k = 0; k < SCAN_STRIDE / SCAN_LANES; k++)
        v[k] = v[k] > bound;
    return scan_any(v);
}

/* True if one of the SCAN_STRIDE numbers at p is c. */
static inline bool scan_any_is(const uint32_t *p, uint32_t c)
{
    scan_ints v[SCAN_STRIDE / SCAN_LANES];
    memcpy(v, p, sizeof v);
    for (int k = 0; k < SCAN_STRIDE / SCAN_LANES; k++)
        v[k] = v[k] == (int32_t)c;
    return scan_any(v);
}

/* Returns the first i >= from with p[i] == c, or n if there is none. */
static inline uint32_t scan_next(const uint32_t *p, uint32_t from, uint32_t n, uint32_t c)
{
    uint32_t i = from;
    for (; i % SCAN_STRIDE && i < n; i++)
        if (p[i] == c) return i;
    while (i < n && !scan_any_is(p + i, c))
        i += SCAN_STRIDE;
    while (i < n && p[i] != c)
        i++;
    return i < n ? i : n;
}

/* Sets key[i] to the bits of |before[i] - u sx[i]|, limited to SGD_LIMIT, if at[i] >= first. Sets
 * the other keys to -1. Returns the largest key, or -1 if all are -1. */
static inline int32_t scan_weigh(const uint32_t *at, uint32_t first, const float *before,
                                 const float *sx, float u, uint32_t n, int32_t *key)
{
    const int32_t limit = bits_of(SGD_LIMIT), last = (int32_t)first - 1;
    scan_ints high = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < n; i += SCAN_LANES) {
        scan_ints a, v, above;
        scan_floats w, x;
        memcpy(&a, at + i, sizeof a);
        memcpy(&w, before + i, sizeof w);
        memcpy(&x, sx + i, sizeof x);
        w -= u * x; /* w~ = estimate - step */
        memcpy(&v, &w, sizeof v);
        v &= INT32_MAX; /* |w~| */
        above = v > limit;
        v = (v & ~above) | (limit & above);
        memcpy(&w, &v, sizeof w);
        memcpy(&v, &w, sizeof v);
        v |= ~(a > last); /* -1 for members */
        memcpy(key + i, &v, sizeof v);
        above = v > high;
        high = (v & above) | (high & ~above);
    }
    int32_t max = -1;
    for (int k = 0; k < SCAN_LANES; k++)
        max = high[k] > max ? high[k] : max;
    return max;
}

#endif
