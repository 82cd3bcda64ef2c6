/* fd_eigen.c -- see fd_eigen.h. */
#include "plugins/kernels/fd_eigen.h"

#include <lapacke.h>

size_t fd_eigen_work(uint32_t n)
{
    return (size_t)1 + 6 * (size_t)n + 2 * (size_t)n * n + 3 + 5 * (size_t)n;
}

const double *fd_eigen(uint32_t n, double *a, uint32_t ld, double *lambda, double *work)
{
    lapack_int k = (lapack_int)n, lwork = 1 + 6 * k + 2 * k * k, liwork = 3 + 5 * k;
    /* A row-major lower triangle is a column-major upper one. */
    if (n && LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', k, a, (lapack_int)ld, lambda, work,
                                 lwork, (lapack_int *)(work + lwork), liwork))
        return NULL;
    for (uint32_t i = 0; i < n / 2; i++) {
        double swap = lambda[i];
        lambda[i] = lambda[n - 1 - i];
        lambda[n - 1 - i] = swap;
    }
    return a + (size_t)(n ? n - 1 : 0) * ld;
}
