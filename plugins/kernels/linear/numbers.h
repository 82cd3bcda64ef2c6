/* numbers.h -- arrays of weights and accumulators, compact or float, and random bits for rounding.
 *
 * Used by linear models with adaptive rates (sgd_adaptive.h). Functions with a parameter `compact`
 * are always inlined, and callers pass a constant, so the compiler removes the branch.
 */
#ifndef LEAT_KERNELS_LINEAR_NUMBERS_H
#define LEAT_KERNELS_LINEAR_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/mix64.h"
#include "kernels/summaries/compact.h"
#include "sgd.h"

#define NUMBERS_INLINE static inline __attribute__((always_inline))

enum adaptive_precision { ADAPTIVE_COMPACT = 0, ADAPTIVE_FULL = 1 };

/* ---- random bits ---- */

NUMBERS_INLINE uint64_t numbers_random(uint64_t z)
{
    z *= MIX64_GOLDEN;
    return (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
}
static inline uint32_t numbers_bits_for_weight(uint64_t random) { return (uint32_t)(random >> 48); }
static inline uint32_t numbers_bits_for_sum(uint64_t random)
{
    return (uint32_t)(random >> 24) & 0xffffff;
}

/* ---- numbers ---- */

/* Arrays of weights and accumulators of a model: `half` and `code` if it is compact, else `weight`
 * and `sum`. Loops copy this struct to a local variable, so that the pointers stay in registers. A
 * store through uint8_t * may alias the model, so the compiler would reload them otherwise. */
struct numbers {
    uint16_t *half;
    uint8_t *code;
    float *weight, *sum;
};

NUMBERS_INLINE float numbers_weight(struct numbers n, uint32_t at, bool compact)
{
    return compact ? compact_weight(n.half[at]) : n.weight[at];
}

NUMBERS_INLINE float numbers_sum(struct numbers n, uint32_t at, bool compact)
{
    return compact ? compact_sum(n.code[at]) : n.sum[at];
}

NUMBERS_INLINE void numbers_set_weight(struct numbers n, uint32_t at, float w, uint64_t random,
                                       bool compact)
{
    if (compact)
        n.half[at] = compact_weight_of(w, numbers_bits_for_weight(random));
    else
        n.weight[at] = w;
}

NUMBERS_INLINE void numbers_set_sum(struct numbers n, uint32_t at, float sum, uint64_t random,
                                    bool compact)
{
    if (compact)
        n.code[at] = compact_sum_of(sum, numbers_bits_for_sum(random));
    else
        n.sum[at] = sum;
}

NUMBERS_INLINE void numbers_add_to_sum(struct numbers n, uint32_t at, float more, uint64_t random,
                                       bool compact)
{
    if (compact)
        n.code[at] = compact_add(n.code[at], more, numbers_bits_for_sum(random));
    else
        n.sum[at] = sgd_clamp(n.sum[at] + more);
}

/* Returns x if flip is 0, and -x if flip is 1. */
static inline float numbers_signed(float x, uint32_t flip)
{
    return float_of_bits(bits_of_float(x) ^ flip << 31);
}

#endif
