/* shrink.h -- fewer columns for a pair of sketches (A, B) at a known loss.
 *
 * Dense shrinkage of co-occurring directions (Y. Mroueh, E. Marcheret, V. Goel, AISTATS 2017):
 *
 *   A = Q_x R_x,  B = Q_y R_y,  R_x R_y' = U diag(sigma) V',  gamma = sigma_level
 *   A <- Q_x U diag(sqrt(max(sigma - gamma, 0))),  B <- Q_y V diag(the same)
 *
 * A B' changes by gamma in the spectral norm, and fewer than `level` columns are left. What is
 * below the rounding error of the largest sigma counts as 0: a product of lower rank loses nothing.
 *
 * Frequent directions of the stacked Z = (A above B): with Z'Z = V diag(lambda) V',
 * Z <- Z V diag(sqrt((lambda - delta) / lambda)), delta = lambda_level. Z Z' gets smaller by at
 * most delta I, so A B', its upper right block, changes by at most delta / 2.
 */
#ifndef LEAT_KERNELS_PRODUCT_SHRINK_H
#define LEAT_KERNELS_PRODUCT_SHRINK_H

#include "kernels/base/layout.h"
#include "kernels/dense/tall_matrix.h"

struct shrink_work {
    struct tall_matrix_work *tall;
    double *R[2], *M, *U, *Vt; /* k x k each */
    double *sigma;             /* k          */
};

/* Lays out the work for k columns, that of tall_matrix.h among it. */
void shrink_work_init(struct shrink_work *w, struct tall_matrix_work *tall, uint32_t k,
                      struct layout *c);

/* Of n descending singular values of a product of k columns: up to there they may be what rounding
 * made of 0. */
double shrink_rounding(const double *value, uint32_t n, uint32_t k);

/* A and B: k columns. *left: columns that remain, the others are zero. *lost: A B' has changed by
 * at most that. level 0: nothing is subtracted. false: no convergence, or an overflow. */
bool shrink_pair(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                 double *lost, struct shrink_work *w);
bool shrink_stacked(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                    double *lost, struct shrink_work *w);

#endif
