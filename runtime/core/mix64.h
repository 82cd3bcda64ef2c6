/* mix64.h -- a 64-bit mixing function, and splitmix64, the random numbers made from it.
 *
 * mix64 is a bijection. Flipping one input bit flips each output bit with a probability of about
 * one half. It is variant 13 of D. Stafford, the finalizer of splitmix64 (G. Steele, D. Lea, C.
 * Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). Equal seeds give equal
 * numbers on every machine. */
#ifndef LEAT_CORE_MIX64_H
#define LEAT_CORE_MIX64_H

#include <stdint.h>

/* 2^64 divided by the golden ratio, rounded to an odd number. Its multiples are spread evenly over
 * all 64 bits. */
#define MIX64_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns the next number of splitmix64. *counter is the generator's whole state; any initial value
 * is a valid seed. */
static inline uint64_t mix64_next(uint64_t *counter) { return mix64(*counter += MIX64_GOLDEN); }

#endif
