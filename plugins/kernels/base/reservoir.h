/* reservoir.h -- uniform sample of fixed size from a stream.
 *
 * Algorithm R: the first `size` items fill the slots. Item number t > size takes a random
 * slot with probability size / t. So at any time, each item seen so far is in the sample
 * with equal probability.
 *
 * Example. With two slots and the seed 1, the items 1 and 2 take the slots 0 and 1. The
 * items 5 and 8 take slot 0, and the items 3, 4, 6 and 7 are not kept. So the sample of
 * eight items is { 8, 2 }.
 *
 * This file only chooses slots. The caller keeps the items in an array by slot. Random numbers come
 * from splitmix64 (core/mix64.h), so equal seeds give equal samples on all machines.
 *
 * Source: J. S. Vitter, Random sampling with a reservoir, ACM Trans. Math. Softw. 11, 1985.
 */
#ifndef LEAT_KERNELS_BASE_RESERVOIR_H
#define LEAT_KERNELS_BASE_RESERVOIR_H

#include <assert.h>
#include <stdint.h>

#include "core/mix64.h"

#define RESERVOIR_NONE UINT32_MAX

struct reservoir {
    uint64_t random; /* counter from which splitmix64 makes random numbers */
    uint64_t seen;   /* items offered so far */
    uint32_t size;   /* number of slots, 1 .. 2^31 */
};

static inline void reservoir_init(struct reservoir *r, uint32_t size, uint64_t seed)
{
    assert(size >= 1 && size <= 1u << 31);
    *r = (struct reservoir){.random = seed, .size = size};
}

static inline uint64_t reservoir_random(struct reservoir *r) { return mix64_next(&r->random); }

/* Returns a uniform number below n. To be exact, rejects the lowest 2^64 mod n random numbers. */
static inline uint64_t reservoir_below(struct reservoir *r, uint64_t n)
{
    uint64_t incomplete = -n % n, v; /* 2^64 mod n */
    do
        v = reservoir_random(r);
    while (v < incomplete);
    return v % n;
}

/* Returns the slot for the next item of the stream, or RESERVOIR_NONE if the item is not kept. */
static inline uint32_t reservoir_offer(struct reservoir *r)
{
    uint64_t t = ++r->seen;
    if (t <= r->size) return (uint32_t)t - 1;
    uint64_t slot = reservoir_below(r, t);
    return slot < r->size ? (uint32_t)slot : RESERVOIR_NONE;
}

static inline uint32_t reservoir_filled(const struct reservoir *r)
{
    return r->seen < r->size ? (uint32_t)r->seen : r->size;
}

/* Maps 32 random bits to a number below n. Its probabilities differ by a factor
 * of at most 1 + n / 2^32. */
static inline uint32_t reservoir_pick(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

#endif
