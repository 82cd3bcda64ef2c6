/* bench_factor.c -- factorizations of dense matrices beside LAPACK's, in microseconds.
 *
 *     bench_factor eigen | svd | qr  [RUNS]
 *
 *     eigen   n x n, random: dense/eigen.h beside dsyevd; values only: beside dsyevd 'N'
 *     svd     n x n, random: dense/svd.h beside dgesdd
 *     qr      rows x columns, random: dense/qr.h beside dgelqf and dorglq of the transposed
 *
 * Prints medians of RUNS (default: 11) runs of both, in turns. OPENBLAS_CORETYPE=SkylakeX chooses
 * OpenBLAS's best kernels on processors with AVX-512. */
#include <lapacke.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "kernels/dense/eigen.h"
#include "kernels/dense/qr.h"
#include "kernels/dense/svd.h"
#include "rows.h"
#include "support/random.h"
#include "support/zeroed.h"

enum { MOST_RUNS = 101 };

static int runs = 11;

static double *random_numbers(size_t n)
{
    double *a = zeroed(n * sizeof *a);
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++)
        a[i] = uniform(&seed, -1, 1);
    return a;
}

/* One matrix, its copy that is overwritten, and what its factorization needs. */
struct matrix {
    uint32_t m, n;
    const double *a;
    double *copy, *values, *left, *right, *work;
    lapack_int n_work, *whole;
};

static void eigen_ours(struct matrix *x) { eigen(x->n, x->copy, x->n, x->values, x->work); }
static void eigen_lapack(struct matrix *x)
{
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', (int)x->n, x->copy, (int)x->n, x->values,
                        x->work, x->n_work, x->whole, 8 * (int)x->n + 8);
}

static void values_ours(struct matrix *x) { eigen_values(x->n, x->copy, x->values, x->work); }
static void values_lapack(struct matrix *x)
{
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'N', 'U', (int)x->n, x->copy, (int)eigen_ld(x->n),
                        x->values, x->work, x->n_work, x->whole, 8 * (int)x->n + 8);
}

static void svd_ours(struct matrix *x)
{
    svd(x->n, x->n, x->copy, x->values, x->left, x->right, x->work);
}
static void svd_lapack(struct matrix *x)
{
    int n = (int)x->n;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, n, x->copy, n, x->values, x->left, n, x->right, n,
                        x->work, x->n_work, x->whole);
}

static void qr_ours(struct matrix *x) { qr(x->m, x->n, x->copy, x->n, x->left, x->work); }
static void qr_lapack(struct matrix *x)
{
    int m = (int)x->m, n = (int)x->n;
    LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, n, m, x->copy, n, x->values, x->work, x->n_work);
    LAPACKE_dorglq_work(LAPACK_COL_MAJOR, n, m, n, x->copy, n, x->values, x->work, x->n_work);
}

static double once(struct matrix *x, void (*factor)(struct matrix *))
{
    memcpy(x->copy, x->a, (size_t)x->m * eigen_ld(x->n) * sizeof *x->copy);
    double start = rows_now();
    factor(x);
    return (rows_now() - start) * 1e6;
}

static void compare(const char *what, uint32_t m, uint32_t n, void (*ours)(struct matrix *),
                    void (*lapack)(struct matrix *))
{
    double t[2][MOST_RUNS];
    size_t all = (size_t)m * eigen_ld(n), square = (size_t)n * n;
    double *a = random_numbers(all);
    struct matrix x = {.m = m, .n = n, .a = a, .copy = zeroed(all * 8), .values = zeroed(n * 8)};
    x.left = zeroed(square * 8), x.right = zeroed(square * 8);
    size_t most = 4 * square + 140ul * n + 64;
    most = most > qr_work(n) ? most : qr_work(n);
    most = most > eigen_values_work(n) ? most : eigen_values_work(n);
    x.n_work = (lapack_int)most;
    x.work = zeroed(most * 8);
    x.whole = zeroed((8 * n + 8) * sizeof *x.whole);
    for (int r = 0; r < runs; r++) {
        t[0][r] = once(&x, ours);
        t[1][r] = once(&x, lapack);
    }
    double us = figures_median(t[0], (size_t)runs), them = figures_median(t[1], (size_t)runs);
    printf("%s %u x %u: %.0f, LAPACK %.0f, ratio %.2f\n", what, m, n, us, them, us / them);
    free(a), free(x.copy), free(x.values), free(x.left), free(x.right), free(x.work);
    free(x.whole);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const uint32_t n[] = {21, 41, 81, 100, 121, 200, 400}, rows[] = {1000, 10000, 100000};
    if (argc > 2) runs = atoi(argv[2]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (runs < 1 || runs > MOST_RUNS) return 2;
    if (!strcmp(what, "eigen")) {
        for (int i = 0; i < 7; i++)
            compare("eigen", n[i], n[i], eigen_ours, eigen_lapack);
        for (uint32_t d = 250; d <= 2000; d *= 2)
            compare("values", d, d, values_ours, values_lapack);
    } else if (!strcmp(what, "svd")) {
        for (int i = 0; i < 7; i++)
            compare("svd", n[i], n[i], svd_ours, svd_lapack);
    } else if (!strcmp(what, "qr")) {
        for (int i = 0; i < 3; i++)
            for (uint32_t k = 20; k <= 200; k = k == 20 ? 100 : k + 100)
                compare("qr", rows[i], k, qr_ours, qr_lapack);
    } else {
        fprintf(stderr, "usage: bench_factor eigen | svd | qr [RUNS]\n");
        return 2;
    }
    return 0;
}
