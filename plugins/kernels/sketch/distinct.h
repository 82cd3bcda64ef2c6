/* distinct.h -- how many different features a stream has had, from a kilobyte.
 *
 * HyperLogLog: an id's hash chooses one of 2^10 registers; a register holds the longest run of
 * leading zeros, plus one, among the rest of the hashes that chose it. The harmonic mean of
 * 2^register estimates the number of ids, with a standard error of 1.04 / sqrt(1024) = 3.3 %; where
 * registers are still empty and the estimate is small, the number of empty ones does.
 *
 * Source: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, HyperLogLog, AofA 2007.
 *
 * Registers are one byte each, the caller's, zeroed at first. Sets are united by the larger
 * register of both.
 */
#ifndef LEAT_KERNELS_SKETCH_DISTINCT_H
#define LEAT_KERNELS_SKETCH_DISTINCT_H

#include <stdint.h>

enum { DISTINCT_BITS = 10, DISTINCT_REGISTERS = 1 << DISTINCT_BITS, DISTINCT_MOST = 55 };

/* hash: well mixed, all 64 bits. */
static inline void distinct_add(uint8_t *registers, uint64_t hash)
{
    uint64_t rest = hash << DISTINCT_BITS | 1ull << (DISTINCT_BITS - 1); /* ends every run */
    uint8_t run = (uint8_t)(__builtin_clzll(rest) + 1),
            *r = &registers[hash >> (64 - DISTINCT_BITS)];
    if (run > *r) *r = run;
}

/* About how many different hashes were added. */
double distinct_count(const uint8_t *registers);

/* The registers of both sets together. */
static inline void distinct_unite(uint8_t *registers, const uint8_t *more)
{
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        registers[i] = registers[i] > more[i] ? registers[i] : more[i];
}

#endif
