/* test_fd_eigen.c -- the eigenproblem of a shrink: residuals, and LAPACK's dsyev as the oracle. */
#include "support/suite.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fd/fd_eigen.h"
#include "support/fd_rig.h"

enum { MOST = 70 };
enum kind {
    ZERO,
    UNIT,
    DIAGONAL,
    RANDOM,
    BORDERED,
    RANK_ONE,
    CLUSTERS,
    GRADED,
    TINY,
    HUGE_ONES,
    KINDS
};

/* Fills the lower triangle of n x n with ld numbers a row. The upper one has rubbish that must not
 * be read. */
static void make(enum kind kind, uint32_t n, uint32_t ld, double *a)
{
    uint64_t s = 1000 * (uint64_t)kind + n;
    double v[MOST], scale = kind == TINY ? 1e-290 : kind == HUGE_ONES ? 1e200 : 1;
    for (uint32_t i = 0; i < n; i++)
        v[i] = fd_normal(&s);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < ld; j++) {
            double x = scale * fd_normal(&s);
            if (kind == ZERO) x = 0;
            if (kind == UNIT) x = i == j;
            if (kind == DIAGONAL || (kind == BORDERED && i < n / 2)) x = i == j ? fabs(v[i]) : 0;
            if (kind == RANK_ONE && j < n) x = v[i] * v[j];
            if (kind == CLUSTERS) x = (i == j ? i / 8 : 0) + 1e-9 * x;
            if (kind == GRADED) x *= pow(10, -(double)(i + j) / 3);
            a[i * ld + j] = j > i ? NAN : x;
        }
}

/* Returns the largest element of |A z_i - lambda_i z_i| and |z_i' z_j - (i == j)|; NaN if any is
 * NaN. */
static void residuals(uint32_t n, uint32_t ld, const double *a, const double *lambda,
                      const double *z, double *equation, double *orthogonal)
{
    uint32_t ldz = fd_eigen_ld(n);
    *equation = *orthogonal = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double r = -lambda[i] * z[i * ldz + j], q = -(double)(i == j);
            for (uint32_t k = 0; k < n; k++) {
                r += (j > k ? a[j * ld + k] : a[k * ld + j]) * z[i * ldz + k];
                q += z[i * ldz + k] * z[j * ldz + k];
            }
            *equation = fd_larger(*equation, fabs(r));
            *orthogonal = fd_larger(*orthogonal, fabs(q));
        }
}

static void check_one(enum kind kind, uint32_t n)
{
    uint32_t ld = n + 3;
    double *a = calloc((size_t)n * ld, 8), *copy = calloc((size_t)n * ld, 8), lambda[MOST], w[MOST];
    double *work = calloc(fd_eigen_work(n), 8), norm = 0, worst = 0, equation, orthogonal;
    make(kind, n, ld, a);
    memcpy(copy, a, (size_t)n * ld * 8);
    const double *z = fd_eigen(n, a, ld, lambda, work);
    ck_assert_mem_eq(a, copy, (size_t)n * ld * 8);
    LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (int)n, copy, (int)ld, w);
    for (uint32_t i = 0; i < n; i++) {
        norm = fmax(norm, fabs(w[i]));
        worst = fd_larger(worst, fabs(w[n - 1 - i] - lambda[i]));
        worst = fd_larger(worst, i && lambda[i] > lambda[i - 1] ? INFINITY : 0);
    }
    residuals(n, ld, a, lambda, z, &equation, &orthogonal);
    ck_assert_msg(worst <= 1e-14 * norm, "kind %d, n %u: lambda off by %g", kind, n, worst / norm);
    ck_assert_msg(equation <= 2e-14 * norm, "kind %d, n %u: %g", kind, n, equation / norm);
    ck_assert_msg(orthogonal <= 2e-14, "kind %d, n %u: orthogonal to %g", kind, n, orthogonal);
    free(a), free(copy), free(work);
}

START_TEST(values_and_vectors_are_exact_to_rounding)
{
    for (uint32_t n = 1; n < MOST; n += n < 45 ? 1 : 6)
        check_one((enum kind)_i, n);
}
END_TEST

START_TEST(the_same_matrix_gives_the_same_bits)
{
    double a[30 * 30], x[30], y[30], *p = calloc(fd_eigen_work(30), 8),
                                     *q = malloc(fd_eigen_work(60) * 8);
    make(RANDOM, 30, 30, a);
    for (size_t i = 0; i < fd_eigen_work(60); i++)
        q[i] = NAN;
    const double *z = fd_eigen(30, a, 30, x, p), *t = fd_eigen(30, a, 30, y, q);
    ck_assert_mem_eq(x, y, sizeof x);
    for (uint32_t i = 0; i < 30; i++)
        ck_assert_mem_eq(z + i * fd_eigen_ld(30), t + i * fd_eigen_ld(30), 30 * 8);
    free(p), free(q);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const double gram[] = {2, 0, 1, 2};
    double w[8], lambda[2], work[64] __attribute__((aligned(32)));
    ck_assert_uint_le(fd_eigen_work(2), 64);
    struct fd_fold f = fd_fold(2, 2, gram, 2, w, 4, lambda, work);
    ck_assert_uint_eq(f.kept, 1);
    ck_assert_double_eq_tol(f.delta, 1, 1e-14);
    ck_assert_double_eq_tol(lambda[0], 2, 1e-14);
    ck_assert_double_eq_tol(w[0], w[1], 1e-14);
    ck_assert_double_eq_tol(fabs(w[0]), 0.577, 5e-4);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("fd_eigen");
    TCase *c = tcase_create("fd_eigen");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, values_and_vectors_are_exact_to_rounding, 0, KINDS);
    tcase_add_test(c, the_same_matrix_gives_the_same_bits);
    tcase_add_test(c, the_example_of_the_header_is_what_happens);
    suite_add_tcase(s, c);
    return s;
}
