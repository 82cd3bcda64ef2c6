/* distinct.h -- how many different features or texts a stream has had, from a kilobyte.
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
 *
 * A small set is exact: until there are more than DISTINCT_LISTED of them, the hashes themselves
 * stand in the bytes of the registers (distinct_list).
 */
#ifndef LEAT_KERNELS_SKETCH_DISTINCT_H
#define LEAT_KERNELS_SKETCH_DISTINCT_H

#include <stdint.h>

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
double distinct_count(const uint8_t *registers);

/* Adds a hash to a set that lists `n` of them, 0 to DISTINCT_LISTED, and returns how many it lists
 * then; 0: it has registers from now on. O(n). */
uint32_t distinct_list(union distinct_space *s, uint32_t n, uint64_t hash);

/* The registers of both sets together. */
static inline void distinct_unite(uint8_t *registers, const uint8_t *more)
{
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        registers[i] = registers[i] > more[i] ? registers[i] : more[i];
}

#endif
