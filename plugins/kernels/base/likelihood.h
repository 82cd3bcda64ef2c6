/* likelihood.h -- how much a feature tells about two kinds of records.
 *
 * The gain is the logarithm of the likelihood ratio of two rates of kind 1, that of the records
 * with the feature and that of the others, against one rate for all records. It is in nats. It is
 * large if the feature is frequent, and its rate far from that of the others. The gain is the
 * mutual information of feature and kind, times the number of records.
 *
 * Example. Of 10 records of kind 1 and 90 of kind 0, 8 and 2 have a feature. Its gain is 17.9.
 *
 * Source: the G test, S. S. Wilks, Annals of Mathematical Statistics 9, 1938 (twice the gain). */
#ifndef LEAT_KERNELS_BASE_LIKELIHOOD_H
#define LEAT_KERNELS_BASE_LIKELIHOOD_H

#include "loss.h"

/* Returns x log(x / expected). */
static inline double likelihood_term(double x, double expected)
{
    return x > 0 ? x * loss_log(x / expected) : 0;
}

/* Returns the gain of a feature that n1 of N1 records of kind 1 have, and n0 of N0 of kind 0. If
 * the feature is rarer in kind 1 than in kind 0, returns the gain with a minus. */
static inline double likelihood_gain(double n1, double n0, double N1, double N0)
{
    double with = n1 + n0, all = N1 + N0, without = all - with;
    if (!(with > 0) || !(without > 0)) return 0;
    double gain = likelihood_term(n1, with * N1 / all) + likelihood_term(n0, with * N0 / all) +
                  likelihood_term(N1 - n1, without * N1 / all) +
                  likelihood_term(N0 - n0, without * N0 / all);
    return n1 * N0 < n0 * N1 ? -gain : gain;
}

#endif
