/* fm_adagrad.h -- factorization machine with k factors for each feature, by AdaGrad (non-convex)
 *
 *   z = centre + sum_j w_j x_j + 1/2 sum_f ((sum_j v_jf x_j)^2 - sum_j v_jf^2 x_j^2)
 *
 * centre is the mean label or the log odds so far (bias.h). Each number theta of w and v has an
 * accumulator, which begins as 1:
 *
 *   G = phi'(z) dz/dtheta + lambda theta,    acc += G^2,    theta -= rate G / sqrt(acc)
 *
 * With the squared loss this is so in the unit s of the labels: s is the power of two next to the
 * root mean square of y - centre. There z, y and w are divided by s, and v by sqrt(s). So labels of
 * any unit are learned alike, and nothing changes where s is 1. The first label only sets the
 * centre.
 *
 * Example: squared loss, k = 1, rate = 1, lambda = 0, after a first label 0. Two features have
 * w = 0 and v = 0.5 each.
 * With x = 1, 1 their pair predicts z = 0.25. With the label 1, phi' = -0.75. w has G = -0.75,
 * acc = 1.5625, so w = 0.75 / 1.25 = 0.6. v has dz/dv = 0.5, G = -0.375, acc = 1.140625, so
 * v = 0.5 + 0.375 / 1.068 = 0.851.
 *
 * A feature's factors begin uniform in -init .. init, computed by a hash of seed and id, so they do
 * not depend on the order of the features.
 *
 * Sources: S. Rendle, Factorization machines, ICDM 2010; J. Duchi, E. Hazan, Y. Singer, Adaptive
 * subgradient methods for online learning and stochastic optimization, JMLR 2011.
 * A feature's row has fm_adagrad_stride() doubles: fm_gather's, w, w's accumulator (0 if the
 * feature is new), v, v's accumulators.
 */
#ifndef LEAT_KERNELS_FM_FM_ADAGRAD_H
#define LEAT_KERNELS_FM_FM_ADAGRAD_H

#include "bias.h"

#define FM_ADAGRAD_MAX_FACTORS 1024

struct fm_adagrad {
    enum fm_loss loss;
    uint32_t k;
    double rate, lambda, init;
    uint64_t seed;
    struct bias centre; /* only its centre is used, not its weights */
    double square;      /* sum of the squares of y - centre         */
    double *sum;        /* scratch: k doubles                       */
};

static inline uint32_t fm_adagrad_stride(uint32_t k) { return 1 + 2 + 2 * k; }
double fm_adagrad_predict(struct fm_adagrad *m, struct feature_table *t,
                          const struct fm_example *e);
/* Predicts, then learns; returns the prediction. */
double fm_adagrad_learn(struct fm_adagrad *m, struct feature_table *t, const struct fm_example *e);
double fm_adagrad_weight(const struct feature_table *t, uint32_t feature);
/* Returns the k factors of a feature. The pair (i, j) weighs V_i' V_j. */
const double *fm_adagrad_factors(const struct feature_table *t, uint32_t feature);
/* Checks the model. Returns NULL, or a text that names the fault. */
const char *fm_adagrad_check(const struct fm_adagrad *m, const struct feature_table *t);

#endif
