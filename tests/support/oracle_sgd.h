/* oracle_sgd.h -- the clock of sgd.h, written plainly, without fading and folding, for the slow
 * twins. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_SGD_H
#define LEAT_TESTS_SUPPORT_ORACLE_SGD_H

#include "kernels/linear/linear.h"

struct oracle_sgd {
    double alpha, bias, plus, minus, penalty;
    uint64_t t;
};

/* Effect of an example on a weight, before the division by alpha. */
struct oracle_gradient {
    double eta, g, curvature, share;
    int y; /* 0 for label -1, 1 for label +1 */
};

/* Advances the clock by an example with margin z. The caller still has to add the share of the
 * penalty. */
struct oracle_gradient oracle_sgd_advance(struct oracle_sgd *s, const struct sgd_options *opt,
                                          const struct linear_row *row, double z);
/* Returns the decrease of a stored weight for a value x. `accumulator` is the weight's own, if it
 * has a rate. */
float oracle_sgd_step(const struct oracle_sgd *s, const struct sgd_options *opt,
                      const struct oracle_gradient *d, float x, float *accumulator);
/* True if it is time to multiply alpha into the weights. */
bool oracle_sgd_must_fold(const struct oracle_sgd *s, const struct sgd_options *opt);
/* Returns w moved by `by` towards 0. */
float oracle_shrunk(float w, float by);
/* Returns the median of v. Sorts v. */
float oracle_median(float *v, uint32_t n);

#endif
