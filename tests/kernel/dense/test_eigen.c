/* test_eigen.c -- the symmetric eigenproblem: residuals, and LAPACK's dsyev as the oracle. */
#include "support/suite.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/eigen.h"
#include "support/fd_rig.h"

enum { MOST = 560 };
enum kind {
    ZERO,
    UNIT,
    DIAGONAL,
    RANDOM,
    BORDERED,
    RANK_ONE,
    CLUSTERS,
    GRADED,
    STEEP,
    KNOWN,
    TINY,
    HUGE_ONES,
    PATH, /* tridiagonal with a zero diagonal: the first pivots are exactly 0 */
    KINDS
};

/* Sets a = H diag(1, -2, 3, -4, ..) H for a reflector H = I - 2 v v' / v'v. */
static void make_known(uint32_t n, uint32_t ld, const double *v, double *a)
{
    double square = 0, inner = 0;
    for (uint32_t k = 0; k < n; k++) {
        square += v[k] * v[k];
        inner += v[k] * v[k] * (k % 2 ? -1.0 - k : 1.0 + k);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double di = i % 2 ? -1.0 - i : 1.0 + i, dj = j % 2 ? -1.0 - j : 1.0 + j;
            a[i * ld + j] =
                (i == j ? di : 0) + v[i] * v[j] / square * (4 * inner / square - 2 * di - 2 * dj);
        }
}

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
            if (kind == PATH) x = i == j + 1;
            if (kind == CLUSTERS) x = (i == j ? i / 8 : 0) + 1e-9 * x;
            if (kind == GRADED) x *= pow(10, -(double)(i + j) / 3);
            if (kind == STEEP) x *= pow(10, 150 - 150 * ((double)(i + j) / n));
            a[i * ld + j] = j > i ? NAN : x;
        }
    if (kind == KNOWN) make_known(n, ld, v, a);
}

/* Returns the largest element of |A z_i - lambda_i z_i| and |z_i' z_j - (i == j)|; NaN if any is
 * NaN. */
static void residuals(uint32_t n, uint32_t ld, const double *a, const double *lambda,
                      const double *z, double *equation, double *orthogonal)
{
    uint32_t ldz = eigen_ld(n);
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

/* Asserts that eigen_values() finds the same bits. */
static void check_values(uint32_t n, uint32_t ld, const double *a, const double *lambda)
{
    uint32_t to = eigen_ld(n);
    double *copy = calloc((size_t)n * to, 8), *work = calloc(eigen_values_work(n), 8), w[MOST];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < to; j++)
            copy[i * to + j] = j <= i ? a[i * ld + j] : NAN;
    ck_assert(eigen_values(n, copy, w, work));
    ck_assert_mem_eq(w, lambda, n * sizeof *w);
    free(copy), free(work);
}

static void check_one(enum kind kind, uint32_t n)
{
    uint32_t ld = n + 3;
    double *a = calloc((size_t)n * ld, 8), *copy = calloc((size_t)n * ld, 8), lambda[MOST], w[MOST];
    double *work = calloc(eigen_work(n), 8), norm = 0, worst = 0, wrong = 0;
    double equation, orthogonal, limit = fmax(1e-14, 4e-17 * n);
    make(kind, n, ld, a);
    memcpy(copy, a, (size_t)n * ld * 8);
    ck_assert(eigen(n, a, ld, lambda, work));
    ck_assert_mem_eq(a, copy, (size_t)n * ld * 8);
    check_values(n, ld, a, lambda);
    LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (int)n, copy, (int)ld, w);
    for (uint32_t i = 0; i < n; i++) {
        norm = fmax(norm, fabs(w[i]));
        worst = fd_larger(worst, fabs(w[n - 1 - i] - lambda[i]));
        worst = fd_larger(worst, i && lambda[i] > lambda[i - 1] ? INFINITY : 0);
    }
    residuals(n, ld, a, lambda, work, &equation, &orthogonal);
    for (uint32_t i = 0; kind == KNOWN && i < n; i++) { /* .., 3, 1, -2, -4, .. */
        uint32_t odd = (n + 1) / 2;
        double exact = i < odd ? 2.0 * (odd - i) - 1 : -2.0 * (i - odd + 1);
        wrong = fd_larger(wrong, fabs(lambda[i] - exact));
    }
    ck_assert_msg(wrong <= limit * norm, "kind %d, n %u: lambda off by %g", kind, n, wrong / norm);
    /* LAPACK's own error depends on the processor, and is as large. */
    ck_assert_msg(worst <= 2 * limit * norm, "kind %d, n %u: %g from LAPACK", kind, n,
                  worst / norm);
    ck_assert_msg(equation <= 3e-14 * norm, "kind %d, n %u: %g", kind, n, equation / norm);
    ck_assert_msg(orthogonal <= 3e-14, "kind %d, n %u: orthogonal to %g", kind, n, orthogonal);
    free(a), free(copy), free(work);
}

START_TEST(values_and_vectors_are_exact_to_rounding)
{
    for (uint32_t n = 1; n < 210; n += n < 45 ? 1 : n < 70 ? 6 : 63)
        check_one((enum kind)_i, n);
}
END_TEST

/* Above 512 rows, the last ones are reduced in panels. */
START_TEST(large_matrices_are_exact_to_rounding)
{
    check_one(RANDOM, 513);
    check_one(KNOWN, 546);
    check_one(STEEP, 555);
}
END_TEST

/* Errors of single rotations must not add up. With cosines from square roots, the mean of |z|^2 - 1
 * is -12 * 2^-53 here. */
START_TEST(vectors_do_not_become_shorter_with_each_sweep)
{
    uint32_t n = 120, ld = eigen_ld(n);
    double *a = calloc((size_t)n * ld, 8), *z = calloc(eigen_work(n), 8), lambda[MOST];
    long double sum = 0;
    uint64_t s = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            a[i * ld + j] = pow(10, -(double)(i + j) / 20) * fd_normal(&s);
    ck_assert(eigen(n, a, ld, lambda, z));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            sum += (long double)z[i * ld + j] * z[i * ld + j];
        sum -= 1;
    }
    ck_assert_msg(fabsl(sum / n) < 4 * 0x1p-53, "mean of |z|^2 - 1: %Lg", sum / n);
    free(a), free(z);
}
END_TEST

START_TEST(the_same_matrix_gives_the_same_bits)
{
    double a[30 * 30], x[30], y[30], *p = calloc(eigen_work(30), 8),
                                     *q = malloc(eigen_work(60) * 8);
    make(RANDOM, 30, 30, a);
    for (size_t i = 0; i < eigen_work(60); i++)
        q[i] = NAN;
    ck_assert(eigen(30, a, 30, x, p) && eigen(30, a, 30, y, q));
    ck_assert_mem_eq(x, y, sizeof x);
    ck_assert_mem_eq(p, q, (size_t)30 * eigen_ld(30) * 8);
    free(p), free(q);
}
END_TEST

START_TEST(a_matrix_that_is_not_finite_is_refused)
{
    double lambda[3], work[64] __attribute__((aligned(32)));
    for (int at = 0; at < 9; at++)
        for (int kind = 0; kind < 3; kind++) {
            double a[12] = {2, 0, 0, 0, 1, 2, 0, 0, 1, 0, 2, 0};
            bool lower = at % 3 <= at / 3;
            a[at / 3 * 4 + at % 3] = kind == 0 ? NAN : kind == 1 ? INFINITY : -INFINITY;
            ck_assert(eigen(3, a, 4, lambda, work) == !lower);
            ck_assert(!lower == !isnan(lambda[0]));
            ck_assert(eigen_values(3, a, lambda, work) == !lower);
        }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const double a[] = {2, NAN, 1, 2};
    double lambda[2], z[64] __attribute__((aligned(32)));
    ck_assert_uint_le(eigen_work(2), 64);
    ck_assert(eigen(2, a, 2, lambda, z));
    ck_assert_double_eq_tol(lambda[0], 3, 1e-14);
    ck_assert_double_eq_tol(lambda[1], 1, 1e-14);
    ck_assert_double_eq_tol(fabs(z[0]), sqrt(0.5), 1e-14);
    ck_assert_double_eq_tol(z[0], z[1], 1e-14);
    ck_assert_double_eq_tol(fabs(z[4]), sqrt(0.5), 1e-14);
    ck_assert_double_eq_tol(z[4], -z[5], 1e-14);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("eigen");
    TCase *c = tcase_create("eigen");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, values_and_vectors_are_exact_to_rounding, 0, KINDS);
    tcase_add_test(c, large_matrices_are_exact_to_rounding);
    tcase_add_test(c, vectors_do_not_become_shorter_with_each_sweep);
    tcase_add_test(c, the_same_matrix_gives_the_same_bits);
    tcase_add_test(c, a_matrix_that_is_not_finite_is_refused);
    tcase_add_test(c, the_example_of_the_header_is_what_happens);
    suite_add_tcase(s, c);
    return s;
}
