/* compact.h -- a weight in two bytes and an accumulator in one, rounded at random.
 *
 * A weight is the upper half of a float (bfloat16: the sign, the full range, 8 bits of precision).
 * An accumulator is a code c: code 0 means 0, and code 1 .. 255 means 2^((c - 1) / 3 - 30), from
 * 9.3e-10 to 2.9e16. Both are rounded up or down at random such that the mean is right. So steps
 * far below the spacing still add up. The caller provides the random bits. Equal random bits give
 * equal results on all machines.
 *
 * Example. 0.1 is the float 0x3dcccccd. Its upper half 0x3dcc means 0.0996, and the next value,
 * 0x3dcd, means 0.1001. In 0xcccd of 0x10000 cases, four out of five, 0.1 becomes 0x3dcd. The
 * accumulator 1 has the code 91, because 2^((91 - 1) / 3 - 30) = 2^0.
 */
#ifndef LEAT_KERNELS_SUMMARIES_COMPACT_H
#define LEAT_KERNELS_SUMMARIES_COMPACT_H

#include <stdint.h>

#include "core/bits.h"

/* ---- weights ---- */

static inline float compact_weight(uint16_t w) { return float_of_bits((uint32_t)w << 16); }

/* Rounds v to a weight, up or down at random. |v| < 2^126; `random`: 16 random bits. */
static inline uint16_t compact_weight_of(float v, uint32_t random)
{
    return (uint16_t)((bits_of_float(v) + random) >> 16);
}

/* ---- accumulators ---- */

struct compact_steps {
    float value[257]; /* value of each code; value[256] is never reached */
    float up[256];    /* 2^24 / (value of the next code - value of this code) */
};
extern const struct compact_steps compact_steps;

static inline float compact_sum(uint8_t code) { return compact_steps.value[code]; }

/* Returns the largest code whose value is at most v. v is finite, >= 0. */
uint8_t compact_floor(float v);

/* Returns the code of v >= 0, rounded down or up at random. `random`: 24 random bits. */
uint8_t compact_sum_of(float v, uint32_t random);

/* Returns the code of compact_sum(code) + more, rounded at random. `random`: 24 random bits. */
static inline uint8_t compact_add(uint8_t code, float more, uint32_t random)
{
    float up = more * compact_steps.up[code];
    if (up < 0x1p24f) return (uint8_t)(code + (up > (float)random));
    return compact_sum_of(compact_steps.value[code] + more, random);
}

#endif
