/* reservoir.c -- see reservoir.h. */
#include "reservoir.h"

#include <assert.h>

void reservoir_init(struct reservoir *r, uint32_t size, uint64_t seed)
{
    assert(size >= 1 && size <= 1u << 31);
    *r = (struct reservoir){.random = seed, .size = size};
}

/* Uniform below n. Numbers of the incomplete round are discarded. */
static uint64_t below(struct reservoir *r, uint64_t n)
{
    uint64_t incomplete = -n % n, v; /* 2^64 mod n */
    do
        v = reservoir_random(r);
    while (v < incomplete);
    return v % n;
}

uint32_t reservoir_offer(struct reservoir *r)
{
    uint64_t t = ++r->seen;
    if (t <= r->size) return (uint32_t)t - 1;
    uint64_t slot = below(r, t);
    return slot < r->size ? (uint32_t)slot : RESERVOIR_NONE;
}
