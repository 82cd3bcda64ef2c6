/* hypergeometric.h -- tail of the hypergeometric distribution: Fisher's exact test.
 *
 * The test computes how likely it is by chance that at least `a` of a feature's records are of kind
 * 1. There are N1 records of kind 1 and N0 records of kind 0. If n of them are drawn, and X of the
 * drawn records are of kind 1, then
 *
 *     P(X = a) = C(N1, a) C(N0, n - a) / C(N1 + N0, n)
 *
 * The logarithm of P is -G / 2, where G is the likelihood-ratio statistic of the four counts, plus
 * the remainders of Stirling's formula for the nine factorials. So no large numbers are subtracted.
 * Each later term (for a + 1, a + 2, ...) is the term before it times a quotient, and these
 * quotients fall. After 500 terms, a geometric series bounds the rest of the sum.
 *
 * Example. 5 of 10 records are of kind 1. A feature occurs in 4 records, all of kind 1. By chance
 * this happens with P(X >= 4) = C(5, 4) C(5, 0) / C(10, 4) = 5 / 210 = 0.0238.
 *
 * Sources: R. Fisher, The logic of inductive inference, 1935 (the exact test); C. Loader, Fast and
 * accurate computation of binomial probabilities, 2000 (separate deviance and remainders). */
#ifndef LEAT_KERNELS_BASE_HYPERGEOMETRIC_H
#define LEAT_KERNELS_BASE_HYPERGEOMETRIC_H

/* Returns P(X >= a) for a draw of a + b records, of which a are of kind 1 and b of kind 0. The
 * result is at most 1. Counts may be fractions, such as faded counts: Gamma functions interpolate
 * between whole numbers. Requires 0 <= a <= N1 < 1e15 and 0 <= b <= N0 < 1e15. A result below 0.05
 * is 0 to 10 % above the exact sum, up to a relative error of 1e-9 + 1e-15 (N1 + N0). Computes at
 * most 500 terms. */
double hypergeometric_tail(double a, double b, double N1, double N0);

/* Returns log P(X = a) for the draw, minus the log of its probability if each of the a + b records
 * is put back after it is drawn. Requires what hypergeometric_tail() requires. */
double hypergeometric_log_excess(double a, double b, double N1, double N0);

#endif
