/* fd_eigen.h -- eigenvalues and eigenvectors of a small symmetric matrix, A = Z' diag(lambda) Z
 *
 * Also computes the map of a shrink (fd.h) from them.
 *
 * Matrices of up to FD_EIGEN_QL_MAX rows use Householder's tridiagonal form and the implicit QL
 * method, because LAPACK takes 1.1 (n = 40) to 1.8 (n = 10) times as long. Larger matrices use
 * LAPACK's dsyevd, which is faster from n = 50 on. With both methods, |A Z' - Z' diag(lambda)| /
 * |A| and |Z Z' - I| are a few units in the last place, growing with n, at any scale.
 *
 * Source: J. H. Wilkinson, C. Reinsch, Handbook for Automatic Computation, vol. II: Linear Algebra,
 * 1971, contributions II/2 (tred2) and II/4 (imtql2).
 */
#ifndef LEAT_KERNELS_FD_FD_EIGEN_H
#define LEAT_KERNELS_FD_FD_EIGEN_H

#include <stddef.h>
#include <stdint.h>

#define FD_EIGEN_QL_MAX 40

/* Returns the number of doubles from row to row of Z. */
static inline uint32_t fd_eigen_ld(uint32_t n) { return (n + 3) & ~3u; }
/* Returns the number of doubles in `work` for n x n matrices. */
size_t fd_eigen_work(uint32_t n);
/* Computes the eigenvalues and eigenvectors of a.
 *   a       n x n, finite, lower triangle, row-major, ld doubles from row to row
 *   lambda  becomes the n eigenvalues, descending
 *   work    fd_eigen_work(n) doubles, aligned to 32
 * Returns Z, which lies in work: the eigenvectors as rows, in the order of lambda. */
const double *fd_eigen(uint32_t n, const double *a, uint32_t ld, double *lambda, double *work);

/* Effect of a shrink on the rows of a sketch B: the map W, from the Gram matrix G of B.
 *
 *   G = U diag(lambda) U',  lambda descending;  rank: number of eigenvalues above rounding
 *   rank >= m:  delta = lambda_m,  W_i = sqrt((lambda_i - delta) / lambda_i) U_i',  i < m
 *   rank <  m:  delta = 0,         W_i = U_i',                                      i <= rank
 *
 * Example: G = [2 1; 1 2] and m = 2. lambda = 3, 1, so delta = 1. W has one row, sqrt(2/3) (1, 1) /
 * sqrt(2) = (0.577, 0.577) or its negative, and W B has the Gram matrix 2.
 *
 * W B has the Gram matrix diag(lambda_i - delta). These are steps 2 to 4 of fd.h. */

struct fd_fold {
    uint32_t kept; /* rows of W, fewer than m */
    double delta;
};

/* Computes the map of a shrink.
 *   gram    n x n, lower triangle, row-major, ld_gram doubles from row to row
 *   w       the first `kept` rows become W; n numbers each, ld_w doubles from row to row
 *   lambda  n numbers; the first `kept` become the diagonal of the new Gram matrix
 *   work    fd_eigen_work(n) doubles, aligned to 32 */
struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work);

#endif
