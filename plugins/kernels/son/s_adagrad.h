/* s_adagrad.h -- S-AdaGrad: full-matrix AdaGrad with its matrix sketched by frequent directions.
 *
 *   H = (alpha I + B'B)^(1/2),  B: a frequent directions sketch (fd.h) of the gradients g x
 *
 * alpha grows by all that a shrink subtracts (rho, the escaped mass), where RFD-SON adds half. The
 * sketch shrinks at every gradient, and before the step, so that its rows are orthogonal:
 * BB' = diag(lambda). With p = Bx
 *
 *   H^-1 x = alpha^(-1/2) x + B'q,
 *                     q_i = ((alpha + lambda_i)^(-1/2) - alpha^(-1/2)) p_i / lambda_i
 *
 *   1  s = w'x;  z = s clipped to [-C, C]
 *   2  w -= (s - z) / (x'H^-1 x) H^-1 x
 *   3  g = c f'(z)
 *   4  B gets the row g x; u += B'c, c = 0; B shrinks; alpha += lambda_m
 *   5  w -= eta g H^-1 x
 *
 * The model is a struct rfd_son with the option `root`: its sketch and weights w = u + B'c, its
 * memory, state and merges. L is not in use. Of labels that are numbers g is
 * divided by C in step 4.
 *
 * Cost of an example: that of fd.h with a shrink each time, O(m nnz + m^3).
 *
 * Paper letter = field: l = m, rho_(1:t) = alpha - alpha0, Gbar_t = B'B, G~_t = B'B + alpha I, eta
 * as here. The paper's G~ has no alpha0: with the pseudo-inverse. Here alpha0 > 0. Source: V.
 * Feinberg, X. Chen, Y. J. Sun, R. Anil, E. Hazan, Sketchy: memory-efficient adaptive
 * regularization with frequent directions, NeurIPS 2023, algorithms 1 and 2.
 */
#ifndef LEAT_KERNELS_SON_S_ADAGRAD_H
#define LEAT_KERNELS_SON_S_ADAGRAD_H

#include "rfd_son.h"

/* s has the option `root`. As rfd_son_learn(). */
enum son_result s_adagrad_learn(struct rfd_son *s, const struct son_features *f,
                                const struct son_row *r, double *z);

#endif
