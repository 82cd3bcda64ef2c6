/* reservoir.h -- a uniform sample of fixed size from a stream: which slot an item takes.
 *
 * Algorithm R (Vitter, Random Sampling with a Reservoir, ACM TOMS 11, 1985): the first `size` items
 * fill the slots; item number t > size takes a random slot with chance size / t. After any number
 * of items each of them is in the sample with the same chance.
 *
 * The items are the caller's, in an array by slot. All there is to save are the three numbers.
 * Random numbers: splitmix64 (base/mix64.h); equal seeds give equal samples everywhere.
 */
#ifndef LEAT_KERNELS_BASE_RESERVOIR_H
#define LEAT_KERNELS_BASE_RESERVOIR_H

#include <stdint.h>

#include "base/mix64.h"

#define RESERVOIR_NONE UINT32_MAX

struct reservoir {
    uint64_t random; /* the counter           */
    uint64_t seen;   /* items offered so far  */
    uint32_t size;   /* 1 .. 2^31             */
};

void reservoir_init(struct reservoir *r, uint32_t size, uint64_t seed);

static inline uint64_t reservoir_random(struct reservoir *r) { return mix64_next(&r->random); }

/* The slot that the next item of the stream takes, or RESERVOIR_NONE: it is not kept. */
uint32_t reservoir_offer(struct reservoir *r);

static inline uint32_t reservoir_filled(const struct reservoir *r)
{
    return r->seen < r->size ? (uint32_t)r->seen : r->size;
}

/* One of n things by 32 random bits; chances differ by at most n / 2^32 of themselves. */
static inline uint32_t reservoir_pick(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

#endif
