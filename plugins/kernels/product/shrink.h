/* shrink.h -- reduces the columns of a pair of sketches (A, B), and factors a pair of buffers
 *
 * Dense shrinkage of co-occurring directions (Y. Mroueh, E. Marcheret, V. Goel, AISTATS 2017):
 *
 *   A = Q_x R_x,  B = Q_y R_y,  R_x R_y' = U diag(sigma) V',  gamma = sigma_level
 *   D = diag(sqrt(max(sigma - gamma, 0))),  A <- Q_x U D,  B <- Q_y V D
 *
 * Q_x and Q_y are never formed: Q_x U = A R_y' V diag(1 / sigma), as R_x R_y' V = U diag(sigma).
 *
 * A B' changes by gamma in the spectral norm, and fewer than `level` columns remain. Sigmas below
 * the rounding error of the largest sigma count as 0, so a product of a rank below `level` loses
 * nothing.
 *
 * Frequent directions of the stacked Z = (A above B): with Z'Z = V diag(lambda) V', Z <- Z V
 * diag(sqrt((lambda - delta) / lambda)), delta = lambda_level. Z Z' decreases by at most delta I,
 * so A B', its upper right block, changes by at most delta / 2.
 *
 * Example: A = diag(2, 1), B = diag(1, 1), level = 2. A B' has the sigmas 2 and 1, so gamma = 1 and
 * A B' becomes diag(1, 0). Stacked, Z'Z = diag(5, 2), so delta = 2 and A B' becomes diag(2 * 3/5,
 * 0) = diag(1.2, 0), which loses delta / 2 = 1.
 */
#ifndef LEAT_KERNELS_PRODUCT_SHRINK_H
#define LEAT_KERNELS_PRODUCT_SHRINK_H

#include "kernels/base/layout.h"
#include "kernels/dense/tall_matrix.h"

struct shrink_work {
    struct tall_matrix_work *tall;
    double *R[2], *M, *U, *Vt; /* k x k doubles each */
    double *sigma;             /* k doubles          */
    double *stack;             /* tall_matrix_stack(k) doubles */
};

/* Lays out the work space for k columns, including that of tall_matrix.h. */
void shrink_work_init(struct shrink_work *w, struct tall_matrix_work *tall, uint32_t k,
                      struct layout *c);

/* Returns the rounding error of n descending singular values of a product of k columns. A value up
 * to this limit may really be 0. */
double shrink_rounding(const double *value, uint32_t n, uint32_t k);

/* Sets R to the triangle of A, r x k, by gram.h if that is exact enough, else by QR. Returns r.
 * The errors of R'R, and so those of sigmas, are of the order of rounding in both cases. */
uint32_t shrink_triangle(struct tall_matrix A, uint32_t k, double *R, struct shrink_work *w);

/* Sets T, k x n, to R' W with column i multiplied by factor[i]. W is r x n, or, if `transposed`,
 * n x r; its rows have ld doubles. */
void shrink_map(uint32_t k, uint32_t n, const double *R, uint32_t r, const double *W, uint32_t ld,
                bool transposed, const double *factor, double *T);

/* Shrink A and B, of k columns each. Set *left to the number of columns that remain; the others
 * become 0. A B' changes by at most *lost. If level is 0, nothing is subtracted. Return false if
 * there is no convergence, or an overflow. */
bool shrink_pair(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                 double *lost, struct shrink_work *w);
bool shrink_stacked(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                    double *lost, struct shrink_work *w);

/* Simultaneous iteration: a low-rank factorisation of the product of two sparse buffers, which uses
 * only sparse products, and a certificate, an upper bound of its error.
 *
 * SI (C. Musco and C. Musco, Randomized block Krylov methods, NIPS 2015; for products: Y. Wan and
 * L. Zhang, Approximate multiplication of sparse matrices with limited space, AAAI 2021, algorithm
 * 2): with P = S_x S_y' and G random normal,
 *
 *   Q = orth((P P')^q P G),    C = Q,    D = P'Q,    so that C D' = Q Q'P is close to P.
 *
 * Q is made orthonormal after each pass, because otherwise rounding errors of the largest direction
 * would hide the others. With l columns and q = O(log(m) / eps), |P - C D'| <= (1 + eps)
 * sigma_{l+1}(P) with probability >= 0.9. q = 1 or 2 is enough for most data.
 *
 * Certificate. Let E = P - C D', and let x be random on the unit sphere of R^m. k steps of
 * Lanczos' method for E E' from x find a value xi <= |E|^2, and for any E
 *
 *   Prob(xi < (1 - epsilon) |E|^2) <= 1.648 sqrt(m) exp(-sqrt(epsilon) (2k - 1))
 *
 * (J. Kuczynski, H. Wozniakowski, Estimating the largest eigenvalue by the power and Lanczos
 * algorithms with a random start, SIAM J. Matrix Anal. Appl. 13, 1992). So |E| <= sqrt(xi /
 * (1 - epsilon)) with probability 1 - delta or more, if k is large enough. k is chosen for an
 * epsilon of 1 - 1 / 1.21, so the certificate is at most 1.1 |E|. xi is the square of the largest
 * singular value of a bidiagonal matrix (G. Golub, W. Kahan 1965). The verification of Wan and
 * Zhang (VSI, algorithm 3) uses the power method, which needs four times as many steps. The
 * factorisation is accepted if the certificate is at most 1.1 Delta. If |E| <= Delta, it always is.
 *
 * Stacked form. simultaneous_stacked() does the same for W W', where W is S_x above S_y (sparse
 * frequent directions, M. Ghashami et al., KDD 2016): T = Q U sqrt(Lambda), T T' = Q Q' W W' Q
 * Q'. */

struct simultaneous_work {
    struct tall_matrix_work *tall;
    double *t;     /* k                             */
    double *R;     /* k x k                         */
    double *pair;  /* 2k x k; k x k if not stacked  */
    double *sigma; /* k                             */
};

/* Product P = S_x S_y' of two buffers, and the columns C, D that approximate it. */
struct simultaneous_product {
    const struct sparse_columns *x, *y; /* S_x, S_y, with the same number of columns        */
    struct tall_matrix C, D;            /* with as many rows as S_x and S_y                 */
    uint32_t k;                         /* columns of C and D; at most those of the buffers */
};

/* Sets C to Q and D to P'Q. k is at most the number of rows of S_x, and of S_y. Advances the
 * counter *random (random.h). */
void simultaneous(const struct simultaneous_product *p, uint32_t q, uint64_t *random,
                  struct simultaneous_work *w);

/* Sets C and D, stacked (C above D), to T. k is at most the number of rows of S_x and S_y
 * together. C and D have 2k columns: the first k become T, the others are scratch. Returns false
 * if there is no convergence. */
bool simultaneous_stacked(const struct simultaneous_product *p, uint32_t q, uint64_t *random,
                          struct simultaneous_work *w);

/* Returns an upper bound of |S_x S_y' - C D'|, wrong with a probability of at most delta > 0. u and
 * v are scratch, with as many numbers as C and D have rows. */
double simultaneous_certificate(const struct simultaneous_product *p, double delta,
                                uint64_t *random, double *u, double *v,
                                struct simultaneous_work *w);

#endif
