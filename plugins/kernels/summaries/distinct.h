/* distinct.h -- estimates the number of distinct features or texts in a stream, in 1 KB of memory
 *
 * HyperLogLog. The first ten bits of an id's hash choose one of 2^10 registers. The register keeps
 * the largest value of (leading zeros in the remaining bits) + 1 over all its hashes. The harmonic
 * mean of 2^register estimates the number of ids, with a standard error of 1.04 / sqrt(1024) = 3.3
 * %. While this estimate is small and some registers are empty, the number of empty registers gives
 * a better estimate.
 *
 * Example. The first ten bits of the hash 0x00c4000000000000 are 0000000011, and the rest begins
 * with 0001. So register 3 becomes 4: three zeros, plus one. After this hash alone, 1,023 of the
 * 1,024 registers are empty, and the estimate is 1024 ln(1024 / 1023) = 1.0005 ids.
 *
 * Source: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, HyperLogLog, AofA 2007.
 *
 * The caller provides the registers, one byte each, zeroed at first. For the union of two sets,
 * each register is the larger one of both sets.
 *
 * A small set is exact: the bytes of the registers then hold a list of up to DISTINCT_LISTED hashes
 * (distinct_list()).
 */
#ifndef LEAT_KERNELS_SUMMARIES_DISTINCT_H
#define LEAT_KERNELS_SUMMARIES_DISTINCT_H

#include <stdint.h>
#include <math.h>
#include <string.h>
#include "kernels/base/loss.h"

enum { DISTINCT_BITS = 10, DISTINCT_REGISTERS = 1 << DISTINCT_BITS, DISTINCT_MOST = 55 };

/* Space of a set: a list of hashes, or registers. The caller knows which. */
union distinct_space {
    uint8_t registers[DISTINCT_REGISTERS];
    uint64_t hash[DISTINCT_REGISTERS / 8];
};
enum { DISTINCT_LISTED = DISTINCT_REGISTERS / 8 };

/* Adds a hash to a set of registers. All 64 bits of the hash must be well mixed. */
static inline void distinct_add(uint8_t *registers, uint64_t hash)
{
    uint64_t rest = hash << DISTINCT_BITS | 1ull << (DISTINCT_BITS - 1); /* ends the run of 0s */
    uint8_t run = (uint8_t)(__builtin_clzll(rest) + 1),
            *r = &registers[hash >> (64 - DISTINCT_BITS)];
    if (run > *r) *r = run;
}

/* Returns the estimated number of distinct hashes in a set of registers. */
static inline double distinct_count(const uint8_t *registers)
{
    const double m = DISTINCT_REGISTERS, alpha = 0.7213 / (1 + 1.079 / m);
    double sum = 0;
    int empty = 0;
    for (int i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += ldexp(1.0, -registers[i]);
        empty += !registers[i];
    }
    double estimate = alpha * m * m / sum; /* E = alpha m^2 / sum 2^-M */
    return estimate <= 2.5 * m && empty ? m * loss_log(m / empty) : estimate;
}

/* Adds a hash to a set that lists n hashes (at most DISTINCT_LISTED). Returns the new number of
 * listed hashes, or 0 if the list was full and the set now has registers. O(n). */
static inline uint32_t distinct_list(union distinct_space *s, uint32_t n, uint64_t hash)
{
    uint64_t listed[DISTINCT_LISTED];
    for (uint32_t i = 0; i < n; i++)
        if (s->hash[i] == hash) return n;
    if (n < DISTINCT_LISTED) {
        s->hash[n] = hash;
        return n + 1;
    }
    memcpy(listed, s->hash, sizeof listed);
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < n; i++)
        distinct_add(s->registers, listed[i]);
    distinct_add(s->registers, hash);
    return 0;
}

/* Turns `registers` into the registers of the union with the set `more`. */
static inline void distinct_unite(uint8_t *registers, const uint8_t *more)
{
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        registers[i] = registers[i] > more[i] ? registers[i] : more[i];
}

#endif
