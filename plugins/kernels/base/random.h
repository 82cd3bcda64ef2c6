/* random.h -- random numbers for sketches: normal ones and signs, from a counter that is mixed.
 *
 * splitmix64 (base/mix64.h); a normal number is the polar form of Box and Muller (G. Marsaglia
 * and T. Bray, A convenient method for generating normal variables, SIAM Review 1964), whose second
 * half is not kept, so that the counter is the whole state.
 */
#ifndef LEAT_KERNELS_BASE_RANDOM_H
#define LEAT_KERNELS_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "base/mix64.h"

/* Uniform in [0, 1). */
static inline double random_uniform(uint64_t *counter)
{
    return (double)(mix64_next(counter) >> 11) * 0x1p-53;
}

/* n independent normal numbers of mean 0 and variance 1. */
static inline void random_fill(uint64_t *counter, uint32_t n, double *out)
{
    for (uint32_t i = 0; i < n; i += 2) {
        double u, v, s;
        do {
            u = 2 * random_uniform(counter) - 1;
            v = 2 * random_uniform(counter) - 1;
            s = u * u + v * v;
        } while (s >= 1 || s == 0);
        double f = sqrt(-2 * log(s) / s);
        out[i] = u * f;
        if (i + 1 < n) out[i + 1] = v * f;
    }
}

#endif
