/* bench_dense.c -- products of dense matrices beside OpenBLAS, at the sizes of sketches.
 *
 *     bench_dense        OPENBLAS_CORETYPE=SkylakeX or Haswell chooses the kernels of OpenBLAS
 *
 * Each row has the median microseconds of both, in turns, and their median ratio. */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "kernels/dense/multiply.h"
#include "support/random.h"
#include "figures.h"

enum { TURNS = 7 };
#define TURN_NS 10000000

enum kind { NN, TN, NT, SQUARE_NT, SQUARE_TN };
static const char *const kind_name[] = {"A B", "A'B", "A B'", "A A'", "A'A"};

struct job {
    enum kind kind;
    uint32_t m, n, k;
    double *a, *b, *c;
};

static void own(const struct job *j)
{
    size_t m = j->m, n = j->n, k = j->k;
    if (j->kind == NN) multiply_nn(m, n, k, 1, j->a, k, j->b, n, false, j->c, n);
    if (j->kind == TN) multiply_tn(m, n, k, 1, j->a, m, j->b, n, false, j->c, n);
    if (j->kind == NT) multiply_nt(m, n, k, 1, j->a, k, j->b, k, false, j->c, n);
    if (j->kind == SQUARE_NT) multiply_square_nt(m, k, 1, j->a, k, false, j->c, m);
    if (j->kind == SQUARE_TN) multiply_square_tn(m, k, 1, j->a, m, false, j->c, m);
}

static void blas(const struct job *j)
{
    int m = (int)j->m, n = (int)j->n, k = (int)j->k;
    CBLAS_TRANSPOSE ta = j->kind == TN || j->kind == SQUARE_TN ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = j->kind == NT ? CblasTrans : CblasNoTrans;
    int lda = ta == CblasTrans ? m : k, ldb = tb == CblasTrans ? k : n;
    if (j->kind >= SQUARE_NT)
        cblas_dsyrk(CblasRowMajor, CblasLower, ta, m, k, 1, j->a, lda, 0, j->c, m);
    else
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, j->a, lda, j->b, ldb, 0, j->c, n);
}

/* Returns the microseconds of one product. */
static double once(void (*run)(const struct job *), const struct job *j)
{
    uint64_t begin = clock_thread_ns(), used;
    uint32_t runs = 0;
    do
        run(j), runs++;
    while ((used = clock_thread_ns() - begin) < TURN_NS);
    return (double)used / runs / 1e3;
}

static double *numbers(size_t n)
{
    uint64_t s = 1;
    double *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = uniform(&s, -1, 1);
    return x;
}

static void measure(enum kind kind, uint32_t m, uint32_t n, uint32_t k)
{
    struct job j = {
        kind, m, n, k, numbers((size_t)m * k), numbers((size_t)n * k), numbers((size_t)m * n)};
    double a[TURNS], b[TURNS], ratio[TURNS];
    own(&j), blas(&j);
    for (int i = 0; i < TURNS; i++) {
        a[i] = once(own, &j), b[i] = once(blas, &j);
        ratio[i] = a[i] / b[i];
    }
    printf("%-5s %4u x %6u, inner %6u: %10.1f us, OpenBLAS %10.1f us, ratio %.2f\n",
           kind_name[kind], m, n, k, figures_median(a, TURNS), figures_median(b, TURNS),
           figures_median(ratio, TURNS));
    free(j.a), free(j.b), free(j.c);
}

int main(void)
{
    static const uint32_t sizes[] = {10, 20, 40, 100, 200};
    printf("OpenBLAS: %s\n", openblas_get_corename());
    openblas_set_num_threads(1);
    for (int i = 0; i < 5; i++) {
        uint32_t m = sizes[i];
        measure(SQUARE_NT, m, m, 1000); /* G = B B' */
        measure(NN, m, 1000, 2 * m);    /* W B */
        measure(NT, 256, m, 2 * m);     /* columns of slots */
        measure(TN, m, m, 256);
        measure(SQUARE_TN, m, m, 20000); /* X'X of a tall matrix */
        measure(NN, 128, m, m);          /* A W, a block of rows */
        measure(NN, m, m, m);
    }
    measure(NN, 20, 50, 40);
    measure(NN, 20, 100000, 40);
    measure(SQUARE_NT, 20, 20, 100000);
    return 0;
}
