/* random.h -- uniform and normal random numbers for sketches.
 *
 * The only state is a counter, which splitmix64 (core/mix64.h) turns into random bits. Normal
 * numbers come in pairs, by the polar form of the Box-Muller method. If n is odd, random_fill()
 * discards the last number of the last pair.
 *
 * Source: G. Marsaglia, T. A. Bray, A convenient method for generating normal variables, SIAM
 * Review 6, 1964. */
#ifndef LEAT_KERNELS_BASE_RANDOM_H
#define LEAT_KERNELS_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "core/exp.h"
#include "core/mix64.h"

/* Returns a uniform random number in [0, 1). */
static inline double random_uniform(uint64_t *counter)
{
    return (double)(mix64_next(counter) >> 11) * 0x1p-53;
}

/* Fills out with n independent normal random numbers of mean 0 and variance 1. */
static inline void random_fill(uint64_t *counter, uint32_t n, double *out)
{
    for (uint32_t i = 0; i < n; i += 2) {
        double u, v, s;
        do {
            u = 2 * random_uniform(counter) - 1;
            v = 2 * random_uniform(counter) - 1;
            s = u * u + v * v;
        } while (s >= 1 || s == 0);
        double f = sqrt(-2 * exp_log(s) / s); /* u f and v f are normal */
        out[i] = u * f;
        if (i + 1 < n) out[i + 1] = v * f;
    }
}

#endif
