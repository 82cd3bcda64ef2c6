/* always.h -- a test of two rates that holds however often it is asked: an e-value of the counts.
 *
 * a of n = a + b records with a feature are of kind 1, and N1 of all N1 + N0 records. Fisher's test
 * (hypergeometric.h) asks once. Asked after every record, it finds any p sooner or later, without
 * any effect. A ratio of likelihoods does not: if it is a martingale without an effect, it ever
 * exceeds 1 / p with a probability of at most p (J. Ville, 1939). The ratio here is
 *
 *     E = sum over t of w(t) p(t)^a (1 - p(t))^b / H         p(t) / (1 - p(t)) = e^t N1 / N0
 *     H = N1 (N1 - 1) ... N0 (N0 - 1) ... / (N (N - 1) ...)  a, b and n factors
 *
 * H is the probability of the n labels if the feature's records are drawn from all without
 * replacement, as in Fisher's test. The numerator is a mixture over factors e^t of the odds, with
 * weights w that sum to 1: t grows by steps of 30 %, from 0.005 to 6, and w falls with the distance
 * of log t from 0. So for given totals the mean of E is 1 at any one time. Over time E is a
 * martingale if the common rate is known, which many records without the feature tell. Its own
 * error is of the order 1 / sqrt(N); tests/kernel/base/test_always.c asks small and large streams.
 *
 * The price is a factor of about 20 in p. Where Fisher's test needs n records to find a factor of
 * 3, this one needs up to 1.5 n.
 *
 * Example. Of 1,000 records 100 are of kind 1. A feature has 10 records, 6 of kind 1. Fisher's
 * test gives 1.3e-4, and 1 / E is 3.0e-3.
 *
 * Sources: H. Robbins, Statistical methods related to the law of the iterated logarithm, 1970
 * (mixtures); S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform, nonparametric,
 * nonasymptotic confidence sequences, 2021; R. Turner, A. Ly, P. Gruenwald, Safe tests for 2x2
 * contingency tables, 2021 (e-values of two rates). */
#ifndef LEAT_KERNELS_BASE_ALWAYS_H
#define LEAT_KERNELS_BASE_ALWAYS_H

#include <stdbool.h>

#include "hypergeometric.h"

/* Returns min(1, 1 / E): the probability, at most, that a feature is at least so much more frequent
 * in kind 1 at any time, if labels are random. Counts may be fractions. Requires 0 <= a <= N1 <
 * 1e15 and 0 <= b <= N0 < 1e15. O(1), some 30 exponentials. */
double always_tail(double a, double b, double N1, double N0);

/* Returns always_tail() if the question comes again and again, or hypergeometric_tail() if it comes
 * once. */
static inline double always_tail_if(bool again, double a, double b, double N1, double N0)
{
    return again ? always_tail(a, b, N1, N0) : hypergeometric_tail(a, b, N1, N0);
}

#endif
