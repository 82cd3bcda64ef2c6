/* chosen_ids.h -- ids with one place in a hash table whose mixing is known. */
#ifndef LEAT_TESTS_SUPPORT_CHOSEN_IDS_H
#define LEAT_TESTS_SUPPORT_CHOSEN_IDS_H

#include <stdint.h>

#include "core/mix64.h"
#include "core/secret.h"

/* Returns 1 / a mod 2^64 by Newton's iteration; a is odd. */
static inline uint64_t inverse_of(uint64_t a)
{
    uint64_t x = a;
    for (int i = 0; i < 6; i++)
        x *= 2 - a * x;
    return x;
}

/* Returns the i-th id. All these ids have the same 32 top bits of secret_hash under `secret`. */
static inline uint64_t chosen_id(uint64_t secret, uint32_t i)
{
    uint64_t h = (UINT64_C(77) << 32 | i) * inverse_of(UINT64_C(0xd6e8feb86659fd93));
    return (h ^ (h >> 32)) * inverse_of(secret);
}

/* Returns the longest run of used places, which is the longest search. */
static inline uint32_t longest_run(const uint32_t *index, uint32_t n)
{
    uint32_t longest = 0, run = 0;
    for (uint32_t i = 0; i < n; i++) {
        run = index[i] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

#endif
