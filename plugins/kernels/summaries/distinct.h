/* distinct.h -- estimates the number of distinct features or texts in a stream, in 1 KB of memory
 *
 * HyperLogLog. The first ten bits of an id's hash choose one of m = 2^10 registers. The register
 * keeps the largest value M of (leading zeros in the remaining bits) + 1 over all its hashes. The
 * harmonic mean of 2^M estimates the number of ids, for many ids. For few of them many registers
 * are empty, so 2^0 is replaced by a series in their share x, and the constant by its limit:
 *
 *     estimate = m^2 / (2 ln 2 (m s(x) + sum 2^-M))       s(x) = x + x^2 + 2 x^4 + 4 x^8 + ...
 *
 * The sum is over the other registers. The estimate has hardly a bias for any number of ids, and a
 * standard error of at most 1.04 / sqrt(m) = 3.3 %. The estimate of 2007 takes the empty registers
 * up to 2.5 m ids, and the mean above; around that number its error is 4.4 %, mostly upwards.
 *
 * Example. The first ten bits of the hash 0x00c4000000000000 are 0000000011, and the rest begins
 * with 0001. So register 3 becomes 4: three zeros, plus one. After this hash alone, 1,023 of the
 * 1,024 registers are empty. s(1023 / 1024) = 738.3, and the estimate is 1.0005 ids.
 *
 * Sources: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, HyperLogLog, AofA 2007; O. Ertl, New
 * cardinality estimation algorithms for HyperLogLog sketches, 2017 (the estimate, without its term
 * for registers that are full).
 *
 * The caller provides the registers, one byte each, zeroed at first. For the union of two sets,
 * each register is the larger one of both sets.
 *
 * A small set is exact: the bytes of the registers then hold a list of up to DISTINCT_LISTED hashes
 * (distinct_list()).
 */
#ifndef LEAT_KERNELS_SUMMARIES_DISTINCT_H
#define LEAT_KERNELS_SUMMARIES_DISTINCT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
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

/* Returns s(x) for the share x < 1 of the empty registers. */
static inline double distinct_empty(double x)
{
    double sum = x;
    for (double power = x * x, times = 1; times * power > 1e-17 * sum; power *= power, times *= 2)
        sum += times * power;
    return sum;
}

/* Returns the estimated number of distinct hashes in a set of registers. With a probability of 99
 * %, it is off by at most DISTINCT_ERROR of the number. */
#define DISTINCT_ERROR 0.084 /* 2.576 * 1.04 / sqrt(m); 2.576: 99 % of a normal distribution */
static inline double distinct_count(const uint8_t *registers)
{
    const double m = DISTINCT_REGISTERS, two_ln_2 = 1.3862943611198906;
    double sum = 0;
    int empty = 0;
    for (int i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += registers[i] ? ldexp(1.0, -registers[i]) : 0;
        empty += !registers[i];
    }
    if (empty == DISTINCT_REGISTERS) return 0;
    return m * m / (two_ln_2 * (m * distinct_empty(empty / m) + sum));
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

/* Set of the distinct values of a stream. A new set is zeroed. */
struct distinct_set {
    uint64_t values; /* values added, also those that came before */
    uint64_t listed; /* hashes listed in `space`; 0: it holds registers, if there are values */
    union distinct_space space;
};

static inline bool distinct_set_is_exact(const struct distinct_set *s)
{
    return s->listed || !s->values;
}

/* Adds a value by its hash. All 64 bits of the hash must be well mixed. */
static inline void distinct_set_add(struct distinct_set *s, uint64_t hash)
{
    if (distinct_set_is_exact(s))
        s->listed = distinct_list(&s->space, (uint32_t)s->listed, hash);
    else
        distinct_add(s->space.registers, hash);
    s->values++;
}

/* Turns `registers` into the registers of the union with the set `more`. */
static inline void distinct_unite(uint8_t *registers, const uint8_t *more)
{
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        registers[i] = registers[i] > more[i] ? registers[i] : more[i];
}

#endif
