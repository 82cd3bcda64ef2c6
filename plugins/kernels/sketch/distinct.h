/* distinct.h -- how many different features or texts a stream has had, from a kilobyte.
 *
 * HyperLogLog: an id's hash chooses one of 2^10 registers; a register holds the longest run of
 * leading zeros, plus one, among the rest of the hashes that chose it. The harmonic mean of
 * 2^register estimates the number of ids, with a standard error of 1.04 / sqrt(1024) = 3.3 %; where
 * registers are still empty and the estimate is small, the number of empty ones does.
 *
 * Example. The top ten bits of the hash 0x00c4000000000000 are 0000000011, and the rest begins with
 * 0001: register 3 becomes 4, three zeros and one. With that one alone 1,023 of the 1,024 registers
 * are empty, and 1024 ln(1024 / 1023) = 1.0005 ids are estimated.
 *
 * Source: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, HyperLogLog, AofA 2007.
 *
 * Registers are one byte each, the caller's, zeroed at first. Sets are united by the larger
 * register of both.
 *
 * A small set is exact: until there are more than DISTINCT_LISTED of them, the hashes themselves
 * stand in the bytes of the registers (distinct_list).
 */
#ifndef LEAT_KERNELS_SKETCH_DISTINCT_H
#define LEAT_KERNELS_SKETCH_DISTINCT_H

#include <stdint.h>
#include <math.h>
#include <string.h>
#include "kernels/base/loss.h"

enum { DISTINCT_BITS = 10, DISTINCT_REGISTERS = 1 << DISTINCT_BITS, DISTINCT_MOST = 55 };

/* Of a set whose hashes are listed, and of one that has registers. */
union distinct_space {
    uint8_t registers[DISTINCT_REGISTERS];
    uint64_t hash[DISTINCT_REGISTERS / 8];
};
enum { DISTINCT_LISTED = DISTINCT_REGISTERS / 8 };

/* hash: well mixed, all 64 bits. */
static inline void distinct_add(uint8_t *registers, uint64_t hash)
{
    uint64_t rest = hash << DISTINCT_BITS | 1ull << (DISTINCT_BITS - 1); /* ends every run */
    uint8_t run = (uint8_t)(__builtin_clzll(rest) + 1),
            *r = &registers[hash >> (64 - DISTINCT_BITS)];
    if (run > *r) *r = run;
}

/* About how many different hashes were added. */
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

/* Adds a hash to a set that lists `n` of them, 0 to DISTINCT_LISTED, and returns how many it lists
 * then; 0: it has registers from now on. O(n). */
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

/* The registers of both sets together. */
static inline void distinct_unite(uint8_t *registers, const uint8_t *more)
{
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        registers[i] = registers[i] > more[i] ? registers[i] : more[i];
}

#endif
