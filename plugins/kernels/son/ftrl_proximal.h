/* ftrl_proximal.h -- FTRL-Proximal: logistic regression with per-feature rates and sparse weights
 *
 * For feature i the learner stores two numbers, z_i and n_i. They determine the weight:
 *
 *   w_i = 0                                                             |z_i| <= l1
 *   w_i = -(z_i - sgn(z_i) l1) / ((beta + sqrt(n_i)) / alpha + l2)      otherwise
 *
 * An example x of label y, weight c (algorithm 1; p is the probability of y = +1):
 *
 *   1  p = 1 / (1 + e^-w'x)                                             predict
 *   2  g_i = c (p - [y = +1]) x_i                                       gradient of the log loss
 *   3  sigma_i = (sqrt(n_i + g_i^2) - sqrt(n_i)) / alpha                1/eta_t - 1/eta_{t-1}
 *   4  z_i += g_i - sigma_i w_i;  n_i += g_i^2
 *
 * Example: alpha = 0.1, beta = 1, no penalties, no bias. A new feature arrives with x_i = 2,
 * y = +1: p = 1/2, g_i = -1, sigma_i = 10, so z_i = -1 and n_i = 1. Its weight is now
 * 1 / (2 / 0.1) = 0.05, and the same x has the margin 0.1.
 *
 * So each w_i minimises, in its coordinate,
 *
 *   g_{1:t}'w + (1/2) sum_s sigma_s |w - w_s|^2 + l1 |w|_1 + (l2 + beta/alpha)/2 |w|^2.
 *
 * An example costs O(nnz): two roots and three divisions for each of its nnz entries.
 *
 * The bias is optional: it is the weight of a feature that is 1 in every example. l2 applies to it
 * and l1 does not (the paper does not mention a bias).
 *
 * Range. |z_i| <= t sqrt(n_i) + |g_i| after t examples. With values and weights within the limits
 * of son.h, no number exceeds 1e200. beta > 0 keeps w_i finite if g_i^2 underflows to 0.
 *
 * Memory. The learner's doubles of a feature are z_i and n_i.
 *
 * Paper letter = field. Source: H. B. McMahan, G. Holt, D. Sculley et al., Ad click prediction: a
 * view from the trenches, KDD 2013, algorithm 1.
 */
#ifndef LEAT_KERNELS_SON_FTRL_PROXIMAL_H
#define LEAT_KERNELS_SON_FTRL_PROXIMAL_H

#include "son.h"

enum { FTRL_PROXIMAL_STRIDE = 2 }; /* doubles of the learner per feature */

struct ftrl_proximal {
    double alpha, beta, l1, l2; /* alpha, beta > 0; l1, l2 >= 0 */
    bool has_bias;
    double bias_z, bias_n;
};

/* Kernel whose options and model are a struct ftrl_proximal. learn() sets *z to the margin and
 * always returns SON_OK. */
extern const struct son_kernel ftrl_proximal_kernel;
double ftrl_proximal_bias(const struct ftrl_proximal *m);
/* Returns the number of features whose weight is not 0. */
uint32_t ftrl_proximal_nonzero(const struct ftrl_proximal *m, const struct son_features *f);

/* One of two models to be merged, and its features. Each of its examples counts `count` times, and
 * its weights have a `share` in the mean. */
struct ftrl_proximal_side {
    const struct ftrl_proximal *model;
    struct son_features features;
    double count, share;
};
/* Makes m the mean of a and b. m was just initialised; f has zeroed rows for the features of both.
 * Averages the weights by their shares, adds up n_i, and sets z_i so that w_i is the mean weight.
 * If the mean weight is 0, z_i is the mean of the z_i, limited to [-l1, l1]. number[j] is the
 * number in m of b's feature j; a's features keep their numbers. */
void ftrl_proximal_merge(struct ftrl_proximal *m, const struct son_features *f,
                         const struct ftrl_proximal_side *a, const struct ftrl_proximal_side *b,
                         const uint32_t *number);

#endif
