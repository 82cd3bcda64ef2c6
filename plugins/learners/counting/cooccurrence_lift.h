/* cooccurrence_lift.h -- how much more often a pair came than by chance, and whether that is luck.
 *
 * Tokens u and v came n(u) and n(v) times among N, and the pair n times among M pairs. By chance it
 * comes E = M n(u)/N n(v)/N times (twice that without `ordered`, if u and v differ).
 *
 *     lift = n / E = exp PMI
 *
 * Bounds. Given its tokens, the number of times that a pair comes is about a Poisson variable. So
 * the lift that the stream has lies between L(n) / E and U(n) / E with a confidence of 95 %. L and
 * U are Byar's limits of the mean of a Poisson variable that is n:
 *
 *     L(n) = n (1 - 1 / 9n - z / 3 sqrt n)^3       U(n) = L(n + 1) with + z       z = 1.96
 *
 * Each count is at the end of its own bounds.
 *
 * Example. n = 3 of E = 0.3: the lift is 10, and surely above 2. n = 900 of E = 100: the lift is 9,
 * and surely above 8.4. So the second pair stands above the first.
 *
 * Source: N. Breslow, N. Day, Statistical methods in cancer research II, 1987, p. 69 (Byar). */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_LIFT_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_LIFT_H

#include "kernels/counting/cooccurrence/cooccurrence.h"

/* From this luck on, a pair may be no more than chance. */
static const double COOCCURRENCE_CHANCE = 0.05;

/* Returns the lift, its low and its high end. The lift lies between them, and above 0. */
struct cooccurrence_lift {
    double shown, low, high;
};
struct cooccurrence_lift cooccurrence_lift(const struct cooccurrence *m, uint32_t pair);

/* Returns the number of pairs that could be rows: those of tokens frequent enough for a pair that
 * came min_count times. */
double cooccurrence_could_be_rows(const struct cooccurrence *m, double min_count);

/* Returns how many of so many pairs come as often by chance, at most (Fisher's exact test). If
 * `again`, the bound holds for all queries together (kernels/base/always.h). */
double cooccurrence_luck(const struct cooccurrence *m, uint32_t pair, double could_be_rows,
                         bool again);

#endif
