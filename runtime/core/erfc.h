/* erfc.h -- the chance that a normal number is far from 0, with the same bits on every machine. */
#ifndef LEAT_CORE_ERFC_H
#define LEAT_CORE_ERFC_H

#include "exp.h"

#define ERFC_ROOT_PI 0x1.c5bf891b4ef6bp+0 /* sqrt(pi) */

enum { ERFC_SUMMANDS = 50, ERFC_FRACTIONS = 60 };

/* Returns erfc(x) for x >= 0, within 1e-12 relative; 0 if it is below 1e-307. Up to 2 it sums
 * e^-x^2 (2x)^(2n+1) n! / (2n+1)! (all positive) for erf(x); above it computes Laplace's continued
 * fraction, the last denominator first. */
static inline double erfc_of(double x)
{
    double sum = 0, term = 2 * x, below = x, even = exp_all(-x * x) / ERFC_ROOT_PI;
    if (x < 2) {
        for (int n = 1; n <= ERFC_SUMMANDS; n++) {
            sum += term;
            term *= x * x / (n + 0.5);
        }
        return 1 - even * sum;
    }
    for (int n = ERFC_FRACTIONS; n; n--)
        below = x + 0.5 * n / below;
    return even / below;
}

#endif
