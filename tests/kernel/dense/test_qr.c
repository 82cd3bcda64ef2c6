/* test_qr.c -- A = Q R: residuals of each column, and LAPACK's dgeqrf as the oracle. */
#include "support/suite.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/qr.h"
#include "support/fd_rig.h"
#include "support/random.h"
#include "support/zeroed.h"

enum kind { RANDOM, ZERO, RANK_TWO, SAME_COLUMNS, GRADED, COLUMN_SCALES, EXTREMES, SPARSE, KINDS };

static double number(enum kind kind, uint32_t i, uint32_t j, double x)
{
    switch (kind) {
    case ZERO:
        return 0;
    case RANK_TWO:
        return (i % 7) * (j % 4) + (j % 5 == 0);
    case SAME_COLUMNS:
        return (i % 11) - 5.0 + 1e-9 * x * (j % 2);
    case GRADED:
        return x * pow(10, -(double)((i % 40) + (j % 40)) / 8);
    case COLUMN_SCALES:
        return x * pow(10, (double)(j % 13) * 25 - 150);
    case EXTREMES:
        return x * (j % 3 == 0 ? 1e-305 : j % 3 == 1 ? 1 : 1e300);
    case SPARSE:
        return (i * 7 + j * 5) % 31 ? 0 : x;
    default:
        return x;
    }
}

/* Returns the length of column j, which may have squares that overflow. */
static double length(uint32_t m, uint32_t ld, const double *A, uint32_t j)
{
    double max = 0, sum = 0;
    for (uint32_t i = 0; i < m; i++)
        max = fmax(max, fabs(A[(size_t)i * ld + j]));
    for (uint32_t i = 0; max > 0 && i < m; i++)
        sum += A[(size_t)i * ld + j] / max * (A[(size_t)i * ld + j] / max);
    return max * sqrt(sum);
}

/* Returns the largest number of A_j - Q R_j, as a share of |A_j|, over the columns j, and of Q'Q -
 * I. */
static double residual(uint32_t m, uint32_t k, uint32_t ld, const double *A, const double *Q,
                       const double *R)
{
    uint32_t r = m < k ? m : k;
    double worst = 0;
    for (uint32_t j = 0; j < k; j++) {
        double norm = length(m, ld, A, j), off = 0;
        for (uint32_t i = 0; i < m; i++) {
            double sum = -A[(size_t)i * ld + j];
            for (uint32_t p = 0; p < r && p <= j; p++)
                sum += Q[(size_t)i * ld + p] * R[(size_t)p * k + j];
            off = fd_larger(off, fabs(sum));
        }
        worst = fd_larger(worst, norm > 0 ? off / norm : off);
    }
    for (uint32_t p = 0; p < r; p++)
        for (uint32_t q = 0; q <= p; q++) {
            double sum = -(double)(p == q);
            for (uint32_t i = 0; i < m; i++)
                sum += Q[(size_t)i * ld + p] * Q[(size_t)i * ld + q];
            worst = fd_larger(worst, fabs(sum));
        }
    return worst;
}

/* Asserts that |R| is that of LAPACK, for a matrix of full rank. */
static void check_lapack(uint32_t m, uint32_t k, uint32_t ld, const double *A, const double *R)
{
    uint32_t r = m < k ? m : k;
    double *copy = zeroed((size_t)m * ld * 8), *tau = zeroed(r * 8);
    memcpy(copy, A, (size_t)m * ld * 8);
    LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)m, (int)k, copy, (int)ld, tau);
    for (uint32_t i = 0; i < r; i++)
        for (uint32_t j = i; j < k; j++)
            ck_assert_double_eq_tol(fabs(R[i * k + j]), fabs(copy[(size_t)i * ld + j]),
                                    1e-11 * (1 + fabs(copy[j])));
    free(copy), free(tau);
}

static void check_one(enum kind kind, uint32_t m, uint32_t k)
{
    uint32_t r = m < k ? m : k, ld = k + 3;
    uint64_t seed = 1000 * (uint64_t)kind + m + 7 * k;
    size_t all = (size_t)m * ld;
    double *A = zeroed(all * 8), *Q = zeroed(all * 8), *R = zeroed((size_t)r * k * 8),
           *again = zeroed((size_t)r * k * 8), *stack = zeroed(qr_stack(k) * 8),
           *work = zeroed(qr_work(k) * 8);
    for (size_t i = 0; i < all; i++)
        A[i] = number(kind, (uint32_t)(i / ld), (uint32_t)(i % ld), normal(&seed));
    memcpy(Q, A, all * 8);
    ck_assert_uint_eq(qr_triangle(m, k, A, ld, again, stack, work), r);
    ck_assert_mem_eq(A, Q, all * 8);
    ck_assert_uint_eq(qr(m, k, Q, ld, R, work), r);
    ck_assert_mem_eq(R, again, (size_t)r * k * 8);
    double worst = residual(m, k, ld, A, Q, R);
    ck_assert_msg(worst <= 5e-16 * sqrt(m) * k + 2e-15, "kind %d, %u x %u: %g", kind, m, k, worst);
    for (uint32_t i = 0; i < r; i++)
        for (uint32_t j = 0; j < i; j++)
            ck_assert(R[i * k + j] == 0);
    for (uint32_t i = 0; i < m; i++) /* numbers after the columns stay */
        ck_assert_mem_eq(Q + (size_t)i * ld + k, A + (size_t)i * ld + k, 3 * 8);
    if (kind == RANDOM) check_lapack(m, k, ld, A, R);
    free(A), free(Q), free(R), free(again), free(stack), free(work);
}

START_TEST(each_column_is_exact_to_rounding_and_q_is_orthonormal)
{
    for (uint32_t k = 1; k <= 40; k += k < 6 ? 1 : k < 30 ? 7 : 3)
        for (uint32_t m = 1; m < 600; m = m < 6 ? m + 1 : 2 * m - 3)
            check_one((enum kind)_i, m, k);
    check_one((enum kind)_i, 128, 64);
    check_one((enum kind)_i, 129, 65);
    check_one((enum kind)_i, 700, 110);
}
END_TEST

START_TEST(infinities_and_nan_do_not_hang)
{
    double *work = zeroed(qr_work(2) * 8), R[4];
    for (int at = 0; at < 6; at++)
        for (int kind = 0; kind < 2; kind++) {
            double a[6] = {1, 2, 3, 4, 5, 6};
            bool finite = true;
            a[at] = kind ? INFINITY : NAN;
            ck_assert_uint_eq(qr(3, 2, a, 2, R, work), 2);
            for (int i = 0; i < 4; i++)
                finite = finite && isfinite(R[i]);
            ck_assert(!finite);
        }
    free(work);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    double a[] = {3, 0, 4, 5}, R[4], *work = zeroed(qr_work(2) * 8);
    ck_assert_uint_eq(qr(2, 2, a, 2, R, work), 2);
    ck_assert_double_eq_tol(R[0], -5, 1e-14);
    ck_assert_double_eq_tol(R[1], -4, 1e-14);
    ck_assert(R[2] == 0);
    ck_assert_double_eq_tol(fabs(R[3]), 3, 1e-14);
    free(work);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("qr");
    TCase *c = tcase_create("qr");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, each_column_is_exact_to_rounding_and_q_is_orthonormal, 0, KINDS);
    tcase_add_test(c, infinities_and_nan_do_not_hang);
    tcase_add_test(c, the_example_of_the_header_is_what_happens);
    suite_add_tcase(s, c);
    return s;
}
