/* covariance.c -- see covariance.h. LAPACK reads our row-major lower triangle as a column-major
 * upper one. */
#include "covariance.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#define BLOCK 34 /* dsytrd works by blocks of 32 if it has this many vectors */

void covariance_add(uint32_t d, double *s, uint32_t n, const uint32_t *feature, const double *x)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (feature[j] <= feature[i]) s[(size_t)feature[i] * d + feature[j]] += x[i] * x[j];
}

size_t covariance_work(uint32_t d) { return (size_t)d * (BLOCK + 1) + 1; }

bool covariance_extremes(uint32_t d, const double *restrict s, uint32_t r, const double *restrict c,
                         uint32_t ld, double *restrict D, double *restrict work, double *low,
                         double *high)
{
    lapack_int n = (lapack_int)d, none;
    assert(d >= 1 && ld >= r);
    memcpy(D, s, (size_t)d * d * sizeof *D);
    if (r) /* D = S - C C' */
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, (int)r, -1.0, c, (int)ld, 1.0, D,
                    n);
    double *w = work, *rest = work + d;
    if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'N', 'U', n, D, n, w, rest,
                            (lapack_int)(d * BLOCK + 1), &none, 1))
        return false;
    *low = w[0];
    *high = w[d - 1];
    return true;
}
