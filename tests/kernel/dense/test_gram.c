/* test_gram.c -- orthonormal columns and triangles by Cholesky, against sums written out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/gram.h"
#include "support/random.h"
#include "support/suite.h"
#include "support/zeroed.h"

enum { N = 300, K = 23, LD = 25 };

/* Random columns; column j is multiplied by `by` to the power of j. */
static struct tall_matrix columns(double by)
{
    struct tall_matrix A = {calloc(N * LD, sizeof(double)), N, LD};
    uint64_t state = 7;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < LD; j++)
            A.a[i * LD + j] = (j < K ? pow(by, j) : 1) * (double)uniform(&state, -1, 1);
    return A;
}

static double dot(struct tall_matrix A, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t r = 0; r < A.n; r++)
        sum += A.a[r * A.ld + i] * A.a[r * A.ld + j];
    return sum;
}

static void orthonormalize(struct tall_matrix A, int passes)
{
    static double R[K * K], inverse[K * K];
    struct tall_matrix_work w;
    void *block = zeroed(tall_matrix_work_bytes(K));
    tall_matrix_work_init(&w, K, block);
    gram_orthonormal(A, K, passes, R, inverse, &w);
    free(block);
}

static void is_orthonormal(struct tall_matrix A, double error)
{
    for (uint32_t i = 0; i < K; i++)
        for (uint32_t j = 0; j < K; j++)
            ck_assert_double_eq_tol(dot(A, i, j), i == j, error);
}

START_TEST(a_triangle_has_the_products_of_the_columns)
{
    for (double by = 0.01; by < 1000; by *= 100) {
        struct tall_matrix A = columns(by);
        double R[K * K];
        ck_assert(gram_triangle(A, K, 0.1, R));
        for (uint32_t i = 0; i < K; i++)
            for (uint32_t j = 0; j < K; j++) {
                double sum = 0;
                for (uint32_t p = 0; p < K; p++)
                    sum += R[p * K + i] * R[p * K + j];
                if (j < i) ck_assert(R[i * K + j] == 0);
                ck_assert_double_eq_tol(sum, dot(A, i, j),
                                        1e-13 * sqrt(dot(A, i, i) * dot(A, j, j)));
            }
        free(A.a);
    }
}
END_TEST

START_TEST(columns_become_orthonormal_and_others_stay)
{
    for (double by = 0.01; by < 1000; by *= 100) {
        struct tall_matrix A = columns(by), Q = columns(by);
        orthonormalize(Q, 2);
        is_orthonormal(Q, 1e-14 * K);
        for (uint32_t i = 0; i < N; i++)
            ck_assert(!memcmp(Q.a + i * LD + K, A.a + i * LD + K, (LD - K) * sizeof *A.a));
        for (uint32_t j = 0; j < K; j++) { /* column j of A lies in the span of Q */
            double left = dot(A, j, j);
            for (uint32_t p = 0; p < K; p++) {
                double part = 0;
                for (uint32_t r = 0; r < N; r++)
                    part += Q.a[r * LD + p] * A.a[r * LD + j];
                left -= part * part;
            }
            ck_assert_double_le(fabs(left), 1e-12 * dot(A, j, j));
        }
        free(A.a), free(Q.a);
    }
}
END_TEST

/* Sets column 9 of A to column 3, plus `share` of itself. */
static void make_close(struct tall_matrix A, double share)
{
    for (uint32_t i = 0; i < N; i++)
        A.a[i * LD + 9] = A.a[i * LD + 3] + share * A.a[i * LD + 9];
}

START_TEST(columns_that_are_too_close_are_refused_and_made_orthonormal_by_qr)
{
    static const double share[] = {0, 1e-12, 1e-7, 1e-3};
    for (int k = 0; k < 4; k++) {
        struct tall_matrix A = columns(1);
        double R[K * K];
        make_close(A, share[k]);
        ck_assert(!gram_triangle(A, K, 1e-5, R));
        ck_assert(gram_triangle(A, K, 1e-8, R) == (k == 3));
        orthonormalize(A, 2);
        is_orthonormal(A, 1e-14 * K);
        free(A.a);
    }
}
END_TEST

START_TEST(squares_that_may_overflow_or_vanish_are_refused)
{
    static const double by[] = {0, 1e-120, 1e120, 1e200, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 6; k++) {
        struct tall_matrix A = columns(1);
        double R[K * K];
        for (uint32_t i = 0; i < N; i++)
            A.a[i * LD + 4] *= by[k];
        ck_assert(!gram_triangle(A, K, 0, R));
        free(A.a);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    double a[] = {3, 0, 4, 5}, R[4];
    struct tall_matrix A = {a, 2, 2};
    ck_assert(gram_triangle(A, 2, 9.0 / 25, R));
    ck_assert(R[0] == 5 && R[1] == 4 && R[2] == 0 && R[3] == 3);
    ck_assert(!gram_triangle(A, 2, 0.37, R));
}
END_TEST

LEAT_SUITE("gram", a_triangle_has_the_products_of_the_columns,
           columns_become_orthonormal_and_others_stay,
           columns_that_are_too_close_are_refused_and_made_orthonormal_by_qr,
           squares_that_may_overflow_or_vanish_are_refused,
           the_example_of_the_header_is_what_happens)
