/* log_loss.h -- the log loss of a margin, to the same bits everywhere.
 *
 * Why not libm: glibc picks its exp by CPU (with or without fused multiply-add), and results differ
 * in the last bit; error rates of two machines could then not be compared byte by byte.
 *
 * The functions here have no branch, no comparison and no call, so that the compiler works on
 * several examples at once (margin_losses() in progressive.c), which halves the time. Rounding to
 * an integer is done by adding and subtracting 1.5 * 2^52, which leaves the nearest integer in the
 * low bits of the sum. */
#ifndef LEAT_METRICS_LOG_LOSS_H
#define LEAT_METRICS_LOG_LOSS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define ROUNDER 0x1.8p52
#define FAR     700.0 /* exp(-700) is nothing that log1p could tell from 0 */

/* exp(-a), 0 <= a <= FAR: 2^-k * exp(r), |r| <= ln(2) / 2, Taylor to the 12th power. The sums are
 * grouped in pairs (Estrin) because each step of a plain Horner scheme waits for the one before. */
static inline double exp_minus(double a)
{
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    double shifted = a * 1.4426950408889634 + ROUNDER, k = shifted - ROUNDER;
    double r = (k * ln2_hi - a) + k * ln2_lo;
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double p0 = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    double p4 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    double p8 = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    double p = (p0 + r4 * p4) + r8 * (p8 + r4 * (1.0 / 479001600));
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (1023 - bits) << 52; /* the exponent of 2^-k; what lies above k's 11 bits falls off */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* log(1 + t), 0 <= t <= 1: log(x) = 2 atanh((x - 1) / (x + 1)), with x halved above sqrt(2) so that
 * the argument stays below .172 and nine terms do. */
static inline double log1p_unit(double t)
{
    double upper = (t + 0.0857864376269049 + ROUNDER) - ROUNDER; /* 0, or 1 from sqrt(2) - 1 */
    double s = (t - upper) / (2.0 + upper + t);
    double z = s * s, z2 = z * z, z4 = z2 * z2;
    double p0 = (2.0 + z * (2.0 / 3)) + z2 * (2.0 / 5 + z * (2.0 / 7));
    double p4 = (2.0 / 9 + z * (2.0 / 11)) + z2 * (2.0 / 13 + z * (2.0 / 15));
    return s * (p0 + z4 * (p4 + z4 * (2.0 / 17))) + upper * 0.69314718055994531;
}

/* The loss of a margin for class `sign` (1 or -1), and the probability of +1 that it stood for.
 * t = exp(-|margin|). */
static inline double log_loss(double margin, double sign, double t)
{
    return 0.5 * (fabs(margin) - margin * sign) + log1p_unit(t); /* the first: 0, or |margin| */
}

static inline double chance(double margin, double t)
{
    double decided = 0.5 + copysign(0.5, margin);
    return (decided + (1.0 - decided) * t) / (1.0 + t);
}

static inline double capped(double margin) { return fabs(margin) < FAR ? fabs(margin) : FAR; }

#endif
