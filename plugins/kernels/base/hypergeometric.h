/* hypergeometric.h -- how likely luck puts so many of the records that have a feature among those
 * of one kind.
 *
 * Of N1 + N0 records, N1 are of kind 1; n of all are drawn, X of these are of kind 1:
 *
 *     P(X = a) = C(N1, a) C(N0, n - a) / C(N1 + N0, n)
 *
 * Its logarithm is -G / 2 with the likelihood ratio G of the four counts, and what Stirling's
 * formula leaves of the nine factorials: nothing large is subtracted. Further terms follow by
 * their quotients, which fall; where 500 do not suffice the rest is bounded by a geometric series.
 *
 * Sources: R. Fisher, The logic of inductive inference, 1935 (the exact test); C. Loader, Fast and
 * accurate computation of binomial probabilities, 2000 (deviance and remainders apart). */
#ifndef LEAT_KERNELS_BASE_HYPERGEOMETRIC_H
#define LEAT_KERNELS_BASE_HYPERGEOMETRIC_H

/* P(X >= a) for a + b records drawn, b of them of kind 0; at most 1. Counts need not be whole
 * (faded ones): those of Gamma functions are then between those of their neighbours. a <= N1,
 * b <= N0, all >= 0 and below 1e15. Where it is below 0.05, 0 to 10 % above the sum and never below
 * (but for 1e-9 + 1e-15 (N1 + N0) of it). O(500). */
double hypergeometric_tail(double a, double b, double N1, double N0);

#endif
