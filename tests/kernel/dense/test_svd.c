/* test_svd.c -- singular values and vectors: residuals, and LAPACK's dgesvd as the oracle. */
#include "support/suite.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/svd.h"
#include "support/fd_rig.h"
#include "support/random.h"
#include "support/zeroed.h"

enum kind {
    RANDOM,
    ZERO,
    UNIT,
    RANK_ONE,
    INTEGERS,
    CLUSTERS,
    GRADED,
    GRADED_UP,
    STEEP,
    TINY,
    HUGE_ONES,
    ZERO_COLUMNS,
    BIDIAGONAL,
    KINDS
};

static double number(enum kind kind, uint32_t m, uint32_t n, uint32_t i, uint32_t j, double x)
{
    switch (kind) {
    case ZERO:
        return 0;
    case UNIT:
        return i == j;
    case RANK_ONE:
        return (i + 1.0) / (j + 1.0);
    case INTEGERS:
        return (i % 3) * (j % 4) + (i % 5 == j % 2);
    case CLUSTERS:
        return (i == j ? 1 + i / 8 : 0) + 1e-9 * x;
    case GRADED:
        return x * pow(10, -(double)(i + j) / 3);
    case GRADED_UP:
        return x * pow(10, ((double)i - m + j - n) / 3);
    case STEEP:
        return x * pow(10, 150 - 300 * ((double)i / m));
    case TINY:
        return x * 1e-290;
    case HUGE_ONES:
        return x * 1e200;
    case ZERO_COLUMNS:
        return j % 3 && i % 4 ? x : 0;
    case BIDIAGONAL:
        return i == j ? (i % 7 ? x : 0) : j == i + 1 ? 1 : 0;
    default:
        return x;
    }
}

/* Returns the largest of |M - U diag(sigma) Vt| / norm, |U'U - I| and |Vt Vt' - I|. */
static double residual(uint32_t m, uint32_t n, const double *M, const double *sigma,
                       const double *U, const double *Vt, double norm)
{
    uint32_t s = m < n ? m : n;
    double worst = 0;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            double r = -M[i * n + j];
            for (uint32_t k = 0; k < s; k++)
                r += U[i * s + k] * sigma[k] * Vt[k * n + j];
            worst = fd_larger(worst, norm > 0 ? fabs(r) / norm : fabs(r));
        }
    for (uint32_t p = 0; p < s; p++)
        for (uint32_t q = 0; q <= p; q++) {
            double u = -(double)(p == q), v = u;
            for (uint32_t i = 0; i < m; i++)
                u += U[i * s + p] * U[i * s + q];
            for (uint32_t j = 0; j < n; j++)
                v += Vt[p * n + j] * Vt[q * n + j];
            worst = fd_larger(worst, fd_larger(fabs(u), fabs(v)));
        }
    return worst;
}

static void check_signs(uint32_t s, uint32_t n, const double *Vt)
{
    for (uint32_t k = 0; k < s; k++, Vt += n) {
        uint32_t top = 0;
        for (uint32_t j = 1; j < n; j++)
            if (fabs(Vt[j]) > fabs(Vt[top])) top = j;
        ck_assert(Vt[top] > 0);
    }
}

static void check_one(enum kind kind, uint32_t m, uint32_t n)
{
    uint32_t s = m < n ? m : n;
    uint64_t seed = 1000 * (uint64_t)kind + m + 7 * n;
    size_t all = (size_t)m * n;
    double *M = zeroed(all * 8), *copy = zeroed(all * 8), *sigma = zeroed(s * 8),
           *w = zeroed(s * 8), *U = zeroed(all * 8), *Vt = zeroed(all * 8), *rest = zeroed(s * 8),
           *work = zeroed(svd_work(m > n ? m : n) * 8);
    for (uint32_t i = 0; i < m * n; i++)
        copy[i] = M[i] = number(kind, m, n, i / n, i % n, normal(&seed));
    ck_assert(svd(m, n, M, sigma, U, Vt, work));
    ck_assert_mem_eq(M, copy, all * 8);
    ck_assert(svd(m, n, M, w, NULL, NULL, work));
    ck_assert_mem_eq(w, sigma, s * 8);
    LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', (int)m, (int)n, copy, (int)n, w, NULL, (int)m, NULL,
                   (int)n, rest);
    double worst = residual(m, n, M, sigma, U, Vt, w[0]);
    for (uint32_t k = 0; k < s; k++) {
        ck_assert(sigma[k] >= 0 && (!k || sigma[k] <= sigma[k - 1]));
        ck_assert_double_le(fabs(sigma[k] - w[k]), 1e-14 * w[0]);
    }
    ck_assert_msg(worst <= 3e-14, "kind %d, %u x %u: %g", kind, m, n, worst);
    check_signs(s, n, Vt);
    free(M), free(copy), free(sigma), free(w), free(U), free(Vt), free(rest), free(work);
}

START_TEST(values_and_vectors_are_exact_to_rounding)
{
    for (uint32_t m = 1; m <= 24; m += m < 8 ? 1 : 5)
        for (uint32_t n = 1; n <= 24; n += n < 8 ? 1 : 5)
            check_one((enum kind)_i, m, n);
    check_one((enum kind)_i, 70, 70);
    check_one((enum kind)_i, 130, 37);
    check_one((enum kind)_i, 41, 150);
}
END_TEST

START_TEST(the_same_matrix_gives_the_same_bits_whatever_is_in_the_work)
{
    double M[20 * 15], x[15], y[15], U[2][20 * 15], Vt[2][15 * 15];
    double *p = zeroed(svd_work(20) * 8), *q = zeroed(svd_work(60) * 8);
    uint64_t seed = 4;
    for (int i = 0; i < 300; i++)
        M[i] = normal(&seed);
    for (size_t i = 0; i < svd_work(60); i++)
        q[i] = NAN;
    ck_assert(svd(20, 15, M, x, U[0], Vt[0], p) && svd(20, 15, M, y, U[1], Vt[1], q));
    ck_assert_mem_eq(x, y, sizeof x);
    ck_assert_mem_eq(U[0], U[1], sizeof U[0]);
    ck_assert_mem_eq(Vt[0], Vt[1], sizeof Vt[0]);
    free(p), free(q);
}
END_TEST

START_TEST(a_matrix_that_is_not_finite_is_refused)
{
    double sigma[2], U[4], Vt[6], *work = zeroed(svd_work(3) * 8);
    for (int at = 0; at < 6; at++)
        for (int kind = 0; kind < 3; kind++) {
            double M[6] = {1, 2, 3, 4, 5, 6};
            M[at] = kind == 0 ? NAN : kind == 1 ? INFINITY : -INFINITY;
            ck_assert(!svd(2, 3, M, sigma, U, Vt, work));
            ck_assert(!svd(3, 2, M, sigma, NULL, NULL, work));
        }
    free(work);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const double M[] = {3, 0, 4, 5};
    double sigma[2], U[4], Vt[4], *work = zeroed(svd_work(2) * 8);
    ck_assert(svd(2, 2, M, sigma, U, Vt, work));
    ck_assert_double_eq_tol(sigma[0], sqrt(45), 1e-14);
    ck_assert_double_eq_tol(sigma[1], sqrt(5), 1e-14);
    ck_assert_double_eq_tol(Vt[0], sqrt(0.5), 1e-14);
    ck_assert_double_eq_tol(Vt[1], sqrt(0.5), 1e-14);
    ck_assert_double_eq_tol(fabs(Vt[2]), sqrt(0.5), 1e-14);
    ck_assert_double_eq_tol(Vt[2], -Vt[3], 1e-14);
    free(work);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("svd");
    TCase *c = tcase_create("svd");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, values_and_vectors_are_exact_to_rounding, 0, KINDS);
    tcase_add_test(c, the_same_matrix_gives_the_same_bits_whatever_is_in_the_work);
    tcase_add_test(c, a_matrix_that_is_not_finite_is_refused);
    tcase_add_test(c, the_example_of_the_header_is_what_happens);
    suite_add_tcase(s, c);
    return s;
}
