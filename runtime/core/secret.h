/* secret.h -- a hash that input from outside cannot aim at.
 *
 * Whoever knows a hash can choose ids that all fall on one place of a table. Then each look-up
 * walks through all of them. So tables of ids from outside multiply by an odd number that is drawn
 * when the process starts. Nothing that a run writes may depend on it: use it only for a place in
 * a table whose order is never looked at. */
#ifndef LEAT_CORE_SECRET_H
#define LEAT_CORE_SECRET_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "mix64.h"

/* Odd, and the same during the life of a process: made of the bytes that the kernel gives to each
 * program (it needs no call that could fail or block). */
static inline uint64_t secret_odd(void)
{
    const void *bytes = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t two[2] = {0, 0};
    if (bytes) memcpy(two, bytes, sizeof two);
    return mix64(two[0] ^ mix64(two[1] + MIX64_GOLDEN)) | 1;
}

/* Take its bits from bit 32 upwards. Multiplication by a random odd number is universal (M.
 * Dietzfelbinger et al.: A reliable randomized algorithm for the closest-pair problem,
 * J. Algorithms 25, 1997); the second one spreads what the first leaves in a row, as
 * linear probing needs it. */
static inline uint64_t secret_hash(uint64_t secret, uint64_t id)
{
    uint64_t h = id * secret;
    return (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
}

#endif
