/* permuted.h -- a pseudo-random order of 0 .. n - 1 without an array.
 *
 * permuted_at(i, n, key) is a bijection of 0 .. n - 1 for each key. It is a Feistel network of
 * PERMUTED_ROUNDS rounds over the smallest even number of bits that holds n - 1. A result of n or
 * more goes through the network again (cycle walking), on average fewer than four times in all.
 * Equal keys give equal orders on every machine. The orders are no secret. Even of few numbers each
 * order is about as likely as the others.
 *
 * Example. For n = 7 and key = 2 the order is 1, 3, 0, 2, 5, 4, 6.
 *
 * Source: M. Luby, C. Rackoff: How to construct pseudorandom permutations from pseudorandom
 * functions, SIAM Journal on Computing 17, 1988. */
#ifndef LEAT_KERNELS_BASE_PERMUTED_H
#define LEAT_KERNELS_BASE_PERMUTED_H

#include <stdint.h>

#include "core/mix64.h"

enum { PERMUTED_ROUNDS = 12 };

static inline uint64_t permuted_once(uint64_t x, unsigned half, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = x >> half, right = x & mask;
    for (uint64_t round = 1; round <= PERMUTED_ROUNDS; round++) {
        uint64_t mixed = mix64(right + key + round * MIX64_GOLDEN) >> 32;
        uint64_t next = left ^ (mixed & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

/* Returns number i (below n, which is at most 2^62) of the order that `key` gives. */
static inline uint64_t permuted_at(uint64_t i, uint64_t n, uint64_t key)
{
    unsigned half = 1;
    while (half < 31 && (n - 1) >> 2 * half)
        half++;
    do
        i = permuted_once(i, half, mix64(key));
    while (i >= n);
    return i;
}

#endif
