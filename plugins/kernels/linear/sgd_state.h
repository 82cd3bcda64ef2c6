/* sgd_state.h -- two linear learners become one: their clocks, and what a mean of them is.
 *
 * Parameter mixing (Mann, McDonald et al., Efficient Large-Scale Distributed Training of
 * Conditional Maximum Entropy Models, NIPS 2009): weights of models that learned from different
 * data are averaged, here by the examples that each has learned:
 *
 *   w = (n_a w_a + c n_b w_b) / (n_a + c n_b)        n = t, c = how often b counts
 *
 * and so is a bias that was learned. What is counted adds up: examples, records, masses,
 * accumulators of own rates, counts of features. A prior bias follows from the masses. Scales are
 * folded in: the merged model has alpha 1.
 *
 * Mixing is commutative, and associative up to rounding. The mean is not the model that one learner
 * would have become on all the data: each of the two took its steps without those of the other.
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_STATE_H
#define LEAT_KERNELS_LINEAR_SGD_STATE_H

#include "sgd.h"

/* How often b may count: 0 .. SGD_MAX_SHARE. */
#define SGD_MAX_SHARE 1e9

/* Shares of a and b in the mean. With no example in either, a has all of it. */
struct sgd_shares {
    double a, b;
};
struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count);

/* The clock of the merged model; the options are a's. By event time a and b have met. */
struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count);
/* a + count b for what is counted in 32 bits (held at the largest), and for accumulators. */
uint32_t sgd_add_count(uint32_t a, uint32_t b, double count);
float sgd_add_accumulator(float a, float b, double count);
/* `grown` of the merged clock: 1, but by event time. */
double sgd_merged_grown(const struct sgd *a, const struct sgd *b, double count);
/* What the learner with the merged clock, that of `grown`, has of a count, or an accumulator, that
 * is in_a under clock a and in_b under clock b. */
uint32_t sgd_mix_count(double grown, const struct sgd *a, uint32_t in_a, const struct sgd *b,
                       uint32_t in_b, double count);
float sgd_mix_accumulator(double grown, const struct sgd *a, float in_a, const struct sgd *b,
                          float in_b, double count);

#endif
