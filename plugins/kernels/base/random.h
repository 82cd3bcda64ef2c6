/* random.h -- random numbers for sketches: normal ones and signs, from a counter that is mixed.
 *
 * splitmix64 as in reservoir.h; a normal number is the polar form of Box and Muller (G. Marsaglia
 * and T. Bray, A convenient method for generating normal variables, SIAM Review 1964), whose second
 * half is not kept, so that the counter is the whole state.
 */
#ifndef LEAT_KERNELS_BASE_RANDOM_H
#define LEAT_KERNELS_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t random_bits(uint64_t *counter)
{
    uint64_t z = *counter += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double random_uniform(uint64_t *counter)
{
    return (double)(random_bits(counter) >> 11) * 0x1p-53;
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
