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

/* Copies of A and B, to be shrunk. */
struct shrink_copies {
    double *copy[2];
    struct tall_matrix_work tall;
    struct shrink_work work;
};
/* Lays out copies of m[0] and m[1] rows and k columns. */
void shrink_copies_init(struct shrink_copies *s, const uint32_t m[2], uint32_t k, struct layout *c);

/* A and B: k columns. *left: columns that remain, the others are zero. *lost: A B' has changed by
 * at most that. level 0: nothing is subtracted; w->sigma holds the singular values of A B'. false:
 * no convergence, or an overflow. */
bool shrink_pair(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                 double *lost, struct shrink_work *w);
bool shrink_stacked(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                    double *lost, struct shrink_work *w);
/* copy becomes factor times k columns of `side`, brought to A = U sqrt(Sigma), B = V sqrt(Sigma) by
 * shrink_pair() at level 0: *left columns. */
bool shrink_copies(struct shrink_copies *s, const struct tall_matrix side[2], uint32_t k,
                   double factor, struct tall_matrix copy[2], uint32_t *left);

#endif
