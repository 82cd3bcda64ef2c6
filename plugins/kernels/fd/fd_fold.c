/* fd_fold.c -- implementation of fd_fold.h */
#include "fd_fold.h"

#include <assert.h>
#include <math.h>

#include "kernels/dense/eigen.h"

/* Returns the number of eigenvalues above rounding errors. These errors are a few units in the last
 * place of the largest eigenvalue, growing with n. */
static uint32_t fd_fold_rank_of(uint32_t n, const double *lambda)
{
    uint32_t rank = 0;
    while (rank < n && lambda[rank] > 8 * 0x1p-53 * n * lambda[0])
        rank++;
    return rank;
}

struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work)
{
    assert(m >= 1 && n <= ld_gram && n <= ld_w);
    if (!n) return (struct fd_fold){0};
    eigen(n, gram, ld_gram, lambda, work); /* if it fails, lambda is NaN and the rank is 0 */
    const double *u = work;
    uint32_t rank = fd_fold_rank_of(n, lambda);
    struct fd_fold fold = {.kept = rank < m ? rank : m - 1, .delta = rank < m ? 0 : lambda[m - 1]};
    for (uint32_t i = 0; i < fold.kept; i++) {
        double shrink = sqrt((lambda[i] - fold.delta) / lambda[i]);
        for (uint32_t r = 0; r < n; r++)
            w[(size_t)i * ld_w + r] = shrink * u[r]; /* W_i = shrink U_i' */
        u += eigen_ld(n);
        lambda[i] -= fold.delta;
    }
    return fold;
}
