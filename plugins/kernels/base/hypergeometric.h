/* hypergeometric.h -- tail of the hypergeometric distribution: Fisher's exact test.
 *
 * The test asks how likely it is by chance that so many of a feature's records are of one kind. Of
 * N1 + N0 records, N1 are of kind 1. If n of all are drawn, and X of the drawn are of kind 1,
 *
 *     P(X = a) = C(N1, a) C(N0, n - a) / C(N1 + N0, n)
 *
 * Its logarithm is -G / 2, where G is the likelihood ratio of the four counts, plus the remainders
 * of Stirling's formula for the nine factorials. So no large numbers are subtracted. Further terms
 * follow by their quotients, which fall. If 500 terms do not suffice, a geometric series bounds the
 * rest.
 *
 * Example. Of 10 records 5 are of kind 1. A feature has 4 records, all of kind 1. By chance this
 * happens with P(X >= 4) = C(5, 4) C(5, 0) / C(10, 4) = 5 / 210 = 0.0238.
 *
 * Sources: R. Fisher, The logic of inductive inference, 1935 (the exact test); C. Loader, Fast and
 * accurate computation of binomial probabilities, 2000 (separate deviance and remainders). */
#ifndef LEAT_KERNELS_BASE_HYPERGEOMETRIC_H
#define LEAT_KERNELS_BASE_HYPERGEOMETRIC_H

/* P(X >= a), at most 1, if a + b records are drawn and b of them are of kind 0. Counts may be
 * fractions, such as faded counts; Gamma functions then interpolate between whole counts. a <= N1,
 * b <= N0, all >= 0 and below 1e15. A result below 0.05 is 0 to 10 % above the exact sum, up to a
 * relative error of 1e-9 + 1e-15 (N1 + N0). O(500). */
double hypergeometric_tail(double a, double b, double N1, double N0);

#endif
