/* random.h -- random numbers for tests and benchmarks, from splitmix64.
 *
 * A seed is the whole state. Equal seeds give equal numbers on every machine. */
#ifndef LEAT_TESTS_SUPPORT_RANDOM_H
#define LEAT_TESTS_SUPPORT_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/mix64.h"

/* Returns 0 .. n - 1. */
static inline uint32_t below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(mix64_next(s) >> 33) % n;
}

/* Returns low <= x < high. */
static inline double uniform(uint64_t *s, double low, double high)
{
    return low + (high - low) * ((double)(mix64_next(s) >> 11) * 0x1p-53);
}

/* Returns a normal number of mean 0 and variance 1, by Box and Muller. */
static inline double normal(uint64_t *s)
{
    double radius = sqrt(-2 * log(1 - uniform(s, 0, 1)));
    return radius * cos(6.283185307179586 * uniform(s, 0, 1));
}

/* Returns the seed from SEED=… in the environment; 1 by default. */
static inline uint64_t seed_given(void)
{
    const char *s = getenv("SEED");
    return s ? strtoull(s, NULL, 0) : 1;
}

#endif
