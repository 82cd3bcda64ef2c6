/* secret.h -- a hash whose collisions an attacker cannot choose.
 *
 * Anyone who knows a hash function can send ids that all fall on one slot of a table, and each
 * look-up then walks through all of them. So tables of ids from outside multiply the id by a random
 * odd number, the secret, which is drawn when the process starts. The output of a run must not
 * depend on the secret: use it only for tables whose order does not matter. */
#ifndef LEAT_CORE_SECRET_H
#define LEAT_CORE_SECRET_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "mix64.h"

/* Returns the secret: an odd number that stays the same during the life of a process. It is made
 * from the random bytes that the kernel gives to each program, so no call can fail or block. */
static inline uint64_t secret_odd(void)
{
    const void *bytes = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t two[2] = {0, 0};
    if (bytes) memcpy(two, bytes, sizeof two);
    return mix64(two[0] ^ mix64(two[1] + MIX64_GOLDEN)) | 1;
}

/* Returns a hash of `id`; use bits 32 and higher. Multiplication by a random odd number is
 * universal (M. Dietzfelbinger et al.: A reliable randomized algorithm for the closest-pair
 * problem, J. Algorithms 25, 1997). After it, consecutive ids may still form runs of slots, which
 * are bad for linear probing. The second multiplication spreads them. */
static inline uint64_t secret_hash(uint64_t secret, uint64_t id)
{
    uint64_t h = id * secret;
    return (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
}

#endif
