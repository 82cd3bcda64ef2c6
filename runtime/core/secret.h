/* secret.h -- a hash that outside input cannot attack.
 *
 * Anyone who knows a hash function can choose ids that all fall on one slot of a table. Each
 * look-up then walks through all of them. So tables of outside ids multiply by a random odd number,
 * drawn when the process starts. No output of a run may depend on it: use it only for a slot in a
 * table whose order does not matter. */
#ifndef LEAT_CORE_SECRET_H
#define LEAT_CORE_SECRET_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "mix64.h"

/* Returns an odd number, constant during the life of a process. It comes from the random bytes that
 * the kernel gives to each program, so no call can fail or block. */
static inline uint64_t secret_odd(void)
{
    const void *bytes = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t two[2] = {0, 0};
    if (bytes) memcpy(two, bytes, sizeof two);
    return mix64(two[0] ^ mix64(two[1] + MIX64_GOLDEN)) | 1;
}

/* Hash; use its bits from bit 32 upwards. Multiplication by a random odd number is universal (M.
 * Dietzfelbinger et al.: A reliable randomized algorithm for the closest-pair problem, J.
 * Algorithms 25, 1997). The second multiplication spreads runs of consecutive values that the first
 * leaves, as linear probing requires. */
static inline uint64_t secret_hash(uint64_t secret, uint64_t id)
{
    uint64_t h = id * secret;
    return (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
}

#endif
