/* exp.h -- exp, log and log1p with the same bits on every machine.
 *
 * Why not libm: glibc selects its exp by CPU, with or without fused multiply-add, and the results
 * differ in the last bit. Models and error rates of two machines would then differ, too. This file
 * uses only +, -, * and / of doubles, which IEEE 754 defines exactly. Compile it without
 * contraction (-ffp-contract=off). Relative error below 1e-15.
 *
 * exp_within and exp_log1p have no branch, no comparison and no call, so a compiler can vectorise
 * them. To round to the nearest integer, they add 1.5 * 2^52, which leaves the integer in the low
 * bits of the sum, and subtract it again. They do not use rint(), which depends on the rounding
 * mode. Polynomials are summed in pairs (Estrin's scheme), because each step of Horner's scheme
 * waits for the step before. */
#ifndef LEAT_CORE_EXP_H
#define LEAT_CORE_EXP_H

#include <math.h>

#include "bits.h"

#define EXP_LIMIT   708.0    /* largest |x| of exp_within */
#define EXP_ROUNDER 0x1.8p52 /* 1.5 * 2^52                */

/* ln 2 in two parts. The first has 36 bits, so its product with k is exact for |k| < 2^16. */
#define EXP_LN2_HIGH 0x1.62e42fefa0000p-1
#define EXP_LN2_LOW  0x1.cf79abc9e3b3ap-40

/* e^x for |x| <= EXP_LIMIT, as 2^k e^r with x = k ln 2 + r and |r| <= (ln 2) / 2. e^r is its Taylor
 * polynomial of degree 13 (remainder 4e-18). */
static inline double exp_within(double x)
{
    double shifted = x * 0x1.71547652b82fep+0 + EXP_ROUNDER, k = shifted - EXP_ROUNDER;
    double r = (x - k * EXP_LN2_HIGH) - k * EXP_LN2_LOW;
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double a = 0.5 + r * (1.0 / 6);
    double b = 1.0 / 24 + r * (1.0 / 120);
    double c = 1.0 / 720 + r * (1.0 / 5040);
    double d = 1.0 / 40320 + r * (1.0 / 362880);
    double e = 1.0 / 3628800 + r * (1.0 / 39916800);
    double f = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double low = (a + r2 * b) + r4 * (c + r2 * d), high = e + r2 * f;
    double scale = double_of_bits((bits_of_double(shifted) + 1023) << 52); /* 2^k */
    return (1.0 + (r + r2 * (low + r8 * high))) * scale;
}

/* log((1 + s) / (1 - s)) for |s| < .18, by its series up to s^21 (remainder 1e-18). */
static inline double exp_two_atanh(double s)
{
    double q = s * s, q2 = q * q, q4 = q2 * q2;
    double a = 1.0 / 3 + q * (1.0 / 5);
    double b = 1.0 / 7 + q * (1.0 / 9);
    double c = 1.0 / 11 + q * (1.0 / 13);
    double d = 1.0 / 15 + q * (1.0 / 17);
    double e = 1.0 / 19 + q * (1.0 / 21);
    double tail = (a + q2 * b) + q4 * ((c + q2 * d) + q4 * e);
    return 2.0 * (s + s * (q * tail));
}

/* log(1 + t) for 0 <= t <= 1, accurate even for the smallest t. With x = 1 + t and s = (x - 1) / (x
 * + 1), log x = log((1 + s) / (1 - s)). If x > sqrt 2, x is halved first, which keeps |s| below
 * .172. */
static inline double exp_log1p(double t)
{
    double upper = (t + 0.0857864376269049 + EXP_ROUNDER) - EXP_ROUNDER; /* 1 if t > sqrt(2) - 1 */
    return upper * 0x1.62e42fefa39efp-1 + exp_two_atanh((t - upper) / (2.0 + upper + t));
}

/* Natural logarithm of a normal positive number, as k ln 2 + log m with x = 2^k m and m in
 * [sqrt(1/2), sqrt 2]. */
static inline double exp_log(double x)
{
    uint64_t bits = bits_of_double(x);
    int k = (int)(bits >> 52) - 1023;
    double m = double_of_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt 2 */
        m *= 0.5;
        k++;
    }
    return k * EXP_LN2_HIGH + (exp_two_atanh((m - 1.0) / (m + 1.0)) + k * EXP_LN2_LOW);
}

/* e^x: 0 if x < -708, infinity if x > 709. */
static inline double exp_all(double x)
{
    if (!(x <= 709.0)) return x > 0 ? (double)INFINITY : x;
    return x < -EXP_LIMIT ? 0.0 : exp_within(x);
}

/* Natural logarithm of any number: -infinity of 0, NaN below. */
static inline double exp_log_all(double x)
{
    if (x >= 0x1p-1022 && x <= 0x1.fffffffffffffp1023) return exp_log(x);
    if (x > 0 && x < 1) return exp_log(x * 0x1p54) - 54 * 0x1.62e42fefa39efp-1;
    return x > 0 ? x : x == 0 ? -(double)INFINITY : (double)NAN;
}

#endif
