/* fixed.h -- sums of numbers whose order does not matter: integers of 192 bits.
 *
 * Sums of doubles are rounded at each step, so another order gives other bytes. Here each number is
 * rounded once, to a multiple of 2^-64, and sums of integers are exact. So any order and any
 * grouping give the same bytes.
 *
 *   word[2]           word[1]        word[0]             value = the integer times 2^-64,
 *   | sign, 2^64 .. | 2^0 .. 2^63  | 2^-64 .. 2^-1 |     in two's complement
 *
 * A number is limited to +-2^111, so 2^15 such numbers do not overflow. A double of at least 2^-12
 * keeps all its digits.
 *
 * Example. 1.5 is word[1] = 1, word[0] = 2^63. Added to -1.5, all words are 0.
 */
#ifndef LEAT_KERNELS_BASE_FIXED_H
#define LEAT_KERNELS_BASE_FIXED_H

#include <math.h>
#include <stdint.h>

enum { FIXED_WORDS = 3, FIXED_BITS = 64 }; /* FIXED_BITS: bits after the point */
#define FIXED_MAX 0x1p111

struct fixed {
    uint64_t word[FIXED_WORDS]; /* the lowest first */
};

static inline void fixed_add(struct fixed *to, const struct fixed *v)
{
    uint64_t carry = 0;
    for (int k = 0; k < FIXED_WORDS; k++) {
        uint64_t sum = to->word[k] + carry;
        carry = sum < carry;
        to->word[k] = sum + v->word[k];
        carry += to->word[k] < sum;
    }
}

static inline void fixed_negate(struct fixed *v)
{
    uint64_t carry = 1;
    for (int k = 0; k < FIXED_WORDS; k++) {
        v->word[k] = ~v->word[k] + carry;
        carry = carry && !v->word[k];
    }
}

/* Returns v, which is not NaN, limited to +-FIXED_MAX and rounded towards 0. */
static inline struct fixed fixed_of(double v)
{
    struct fixed f = {{0, 0, 0}};
    int exponent;
    double m = frexp(fmin(fabs(v), FIXED_MAX), &exponent); /* |v| = m 2^exponent */
    uint64_t digits = (uint64_t)(m * 0x1p53);
    int shift = exponent - 53 + FIXED_BITS, word = shift / 64, bits = shift % 64;
    if (shift <= -64) return f;
    if (shift < 0) {
        f.word[0] = digits >> -shift;
    } else {
        f.word[word] = digits << bits;
        if (bits && word + 1 < FIXED_WORDS) f.word[word + 1] = digits >> (64 - bits);
    }
    if (v < 0) fixed_negate(&f);
    return f;
}

static inline double fixed_value(const struct fixed *v)
{
    struct fixed f = *v;
    double sign = f.word[FIXED_WORDS - 1] >> 63 ? -0x1p-64 : 0x1p-64;
    if (sign < 0) fixed_negate(&f);
    return sign * (((double)f.word[2] * 0x1p64 + (double)f.word[1]) * 0x1p64 + (double)f.word[0]);
}

/* Returns v as a sum keeps it. */
static inline double fixed_rounded(double v)
{
    const struct fixed f = fixed_of(v);
    return fixed_value(&f);
}

/* Multiplies *v by a factor of at least 0, and rounds it. */
static inline void fixed_scale(struct fixed *v, double by)
{
    if (by != 1) *v = fixed_of(by * fixed_value(v));
}

#endif
