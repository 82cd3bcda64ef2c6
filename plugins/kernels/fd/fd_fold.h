/* fd_fold.h -- what a shrink does to the rows of a sketch: from their Gram matrix to a map W.
 *
 *   G = U diag(lambda) U',  lambda descending;  rank: the eigenvalues that are not rounding
 *   rank >= m:  delta = lambda_m,  W_i = sqrt((lambda_i - delta) / lambda_i) U_i',  i < m
 *   rank <  m:  delta = 0,         W_i = U_i',                                      i <= rank
 *
 * W B has the Gram matrix diag(lambda_i - delta). These are steps 2 to 4 of fd.h.
 */
#ifndef LEAT_KERNELS_FD_FD_FOLD_H
#define LEAT_KERNELS_FD_FD_FOLD_H

#include <stddef.h>
#include <stdint.h>

struct fd_fold {
    uint32_t kept; /* rows of W: less than m */
    double delta;
};

/*   gram    n x n, lower triangle, row-major, ld_gram a row
 *   w       the first rows become W; ld_w a row, n numbers each
 *   lambda  n numbers; the first `kept` become the diagonal of the new Gram matrix
 *   work    fd_eigen_work(n) doubles, aligned to 32 */
struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work);

#endif
