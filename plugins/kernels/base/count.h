/* count.h -- saturating sums of 64-bit counts. */
#ifndef LEAT_KERNELS_BASE_COUNT_H
#define LEAT_KERNELS_BASE_COUNT_H

#include <stdint.h>

/* Largest count. No stream reaches it, and sums of a few such counts do not overflow. */
#define COUNT_MAX ((uint64_t)1 << 60)

/* Returns a + weight * b, rounded, or `max` if the sum is larger. weight is finite, >= 0. */
static inline uint64_t count_add_up_to(uint64_t max, uint64_t a, uint64_t b, double weight)
{
    double x = weight * (double)b;
    uint64_t more = weight == 1 ? b : x < 0x1p63 ? (uint64_t)(x + 0.5) : max;
    uint64_t room = a < max ? max - a : 0;
    return more < room ? a + more : max;
}

static inline uint64_t count_add(uint64_t a, uint64_t b, double weight)
{
    return count_add_up_to(COUNT_MAX, a, b, weight);
}

#endif
