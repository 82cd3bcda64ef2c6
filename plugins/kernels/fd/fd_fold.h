/* fd_fold.h -- effect of a shrink on the rows of a sketch B: the map W, from the Gram matrix G of B
 *
 *   G = U diag(lambda) U',  lambda descending;  rank: number of eigenvalues above rounding
 *   rank >= m:  delta = lambda_m,  W_i = sqrt((lambda_i - delta) / lambda_i) U_i',  i < m
 *   rank <  m:  delta = 0,         W_i = U_i',                                      i <= rank
 *
 * Example: G = [2 1; 1 2] and m = 2. lambda = 3, 1, so delta = 1. W has one row, sqrt(2/3) (1, 1) /
 * sqrt(2) = (0.577, 0.577) or its negative, and W B has the Gram matrix 2.
 *
 * W B has the Gram matrix diag(lambda_i - delta). These are steps 2 to 4 of fd.h. */
#ifndef LEAT_KERNELS_FD_FD_FOLD_H
#define LEAT_KERNELS_FD_FD_FOLD_H

#include <stdint.h>

struct fd_fold {
    uint32_t kept; /* rows of W, fewer than m */
    double delta;
};

/* Computes the map of a shrink.
 *   gram    n x n, lower triangle, row-major, ld_gram doubles from row to row
 *   w       the first `kept` rows become W; n numbers each, ld_w doubles from row to row
 *   lambda  n numbers; the first `kept` become the diagonal of the new Gram matrix
 *   work    eigen_work(n) doubles, aligned to 32 */
struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work);

#endif
