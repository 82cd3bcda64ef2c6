/* fd_fold.h -- what a shrink does to the rows of a sketch: from their Gram matrix to a map.
 *
 *   G = U diag(lambda) U',  lambda descending;  rank: eigenvalues that are not rounding
 *   rank >= m:  delta = lambda_m,  W = diag(sqrt((lambda_i - delta) / lambda_i)) U_i',  i < m
 *   rank <  m:  delta = 0,         W = U_i',                                           i <= rank
 *
 * W B has the Gram matrix diag(lambda_i - delta).
 */
#ifndef LEAT_KERNELS_FD_FD_FOLD_H
#define LEAT_KERNELS_FD_FD_FOLD_H

#include <stddef.h>
#include <stdint.h>

struct fd_fold {
    uint32_t kept; /* rows of W: less than m */
    double delta;
};

/* Doubles of work for n rows. */
size_t fd_fold_work(uint32_t n);
/* gram: n x n, lower triangle, row-major, ld_gram a row. w: W in its first rows, ld_w a
 * row, n numbers each. lambda: room for n; the new Gram matrix's diagonal in its first `kept`. */
struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work);

#endif
