/* adagrad.h -- AdaGrad with the projection of online Newton: H is diagonal.
 *
 *   s_j = sum of (g x_j)^2,   H = diag(alpha0 + sqrt(s_j)) / eta,   w -= g H^-1 x
 *
 * A feature's own doubles: w_j, s_j. There is nothing else. Steps are as in son.h, with the
 * gradients themselves instead of mu.
 * Source: J. Duchi et al., Adaptive subgradient methods, JMLR 2011 (the diagonal form).
 */
#ifndef LEAT_KERNELS_SON_ADAGRAD_H
#define LEAT_KERNELS_SON_ADAGRAD_H

#include "son.h"

enum { ADAGRAD_STRIDE = 2 };

struct adagrad {
    struct son_options opt;
    double eta;
};

/* Predict (*z), then learn. SON_OVERFLOW: no weight has changed. */
enum son_result adagrad_learn(const struct adagrad *m, const struct son_features *f,
                              const struct son_row *r, double *z);
double adagrad_weight(const struct son_features *f, uint32_t feature);

#endif
