/* adagrad.h -- AdaGrad with the projection of online Newton: H is diagonal.
 *
 *   s_j = sum of (g x_j)^2;   H = diag(alpha0 + sqrt(s_j)) / eta;   w -= g H^-1 x
 *
 * The steps are those of son.h, but H is made of the gradients g x, not of the rows r x. eta does
 * not affect the projection. An example of nnz entries costs O(nnz).
 *
 * Example: squared loss, alpha0 = 1, eta = 1. A new feature arrives with x_j = 1, y = +1: z = 0,
 * g = -2, so s_j = 4 and w_j = 2 / (1 + 2) = 2/3.
 *
 * Memory. The learner's doubles of a feature are w_j and s_j; there is no other state.
 *
 * Paper letter = field: delta = alpha0, eta = eta, g_{t,j} = g x_j, diag(s_t) = sqrt(s_j).
 * Source: J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and
 * stochastic optimization, JMLR 12, 2011, figure 1 (the diagonal form).
 */
#ifndef LEAT_KERNELS_SON_ADAGRAD_H
#define LEAT_KERNELS_SON_ADAGRAD_H

#include "son.h"

enum { ADAGRAD_STRIDE = 2 }; /* doubles of the learner per feature */

struct adagrad {
    struct son_options opt;
    double eta;
};

/* Kernel whose options and model are a struct adagrad. If learn() returns SON_OVERFLOW, no weight
 * has changed. */
extern const struct son_kernel adagrad_kernel;

#endif
