/* oracle_sgd.h -- what the slow twins of the linear kernels share: the clock of sgd.h, written once
 * more as plainly as it reads, without fading and folding.
 */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_SGD_H
#define LEAT_TESTS_SUPPORT_ORACLE_SGD_H

#include "kernels/linear/linear.h"

struct oracle_sgd {
    double alpha, bias, plus, minus, penalty;
    uint64_t t;
};

/* What an example does to a weight, before the division by alpha. */
struct oracle_gradient {
    double eta, g, curvature, share;
    int y; /* 0: label -1, 1: label +1 */
};

/* The example had margin z. The share of the penalty is yet to be added. */
struct oracle_gradient oracle_sgd_advance(struct oracle_sgd *s, const struct sgd_options *opt,
                                          const struct linear_row *row, double z);
/* How much a stored weight goes down for a value x; the accumulator is that of its own rate. */
float oracle_sgd_step(const struct oracle_sgd *s, const struct sgd_options *opt,
                      const struct oracle_gradient *d, float x, float *accumulator);
/* Is it time to multiply alpha into the weights? */
bool oracle_sgd_must_fold(const struct oracle_sgd *s, const struct sgd_options *opt);
/* w moved by `by` towards 0. */
float oracle_shrunk(float w, float by);
/* The median of v, which is put in order. */
float oracle_median(float *v, uint32_t n);

#endif
