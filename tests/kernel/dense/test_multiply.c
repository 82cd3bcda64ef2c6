/* test_multiply.c -- vectors and products of dense matrices, beside sums in long double, CBLAS, and
 * plain loops in the order of the headers. */
#include "support/suite.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"
#include "support/random.h"

/* Unit of the standard bound: a sum of n products, in any order, is off by at most
 * (n + 2) * ROUNDING times the sum of their sizes. */
#define ROUNDING (DBL_EPSILON / 2 * 1.01)

enum form { NN, TN, NT, TT, FORMS };

static double *numbers(size_t n, uint64_t seed)
{
    double *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = normal(&seed);
    return x;
}

/* A matrix of rows x columns, with rubbish between its rows that must not be read. */
struct box {
    size_t rows, columns, ld;
    double *a;
};

static struct box box_new(size_t rows, size_t columns, size_t gap, uint64_t seed)
{
    struct box b = {rows, columns, columns + gap, numbers(rows * (columns + gap), seed)};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = columns; j < b.ld; j++)
            b.a[i * b.ld + j] = NAN;
    return b;
}

static double box_at(struct box b, bool transposed, size_t i, size_t j)
{
    return transposed ? b.a[j * b.ld + i] : b.a[i * b.ld + j];
}

/* Asserts that c_ij = start + alpha (A B)_ij up to rounding, and that gaps have not changed. */
static void check_product(struct box A, bool ta, struct box B, bool tb, double alpha, bool add,
                          struct box start, struct box C, bool lower)
{
    size_t inner = ta ? A.rows : A.columns;
    for (size_t i = 0; i < C.rows; i++)
        for (size_t j = 0; j < C.ld; j++) {
            double got = C.a[i * C.ld + j], before = start.a[i * C.ld + j];
            if (j >= C.columns || (lower && j > i)) {
                ck_assert_mem_eq(&got, &before, sizeof got);
                continue;
            }
            long double sum = add ? before : 0, size = fabsl(sum);
            for (size_t k = 0; k < inner; k++) {
                long double x = (long double)alpha * box_at(A, ta, i, k) * box_at(B, tb, k, j);
                sum += x, size += fabsl(x);
            }
            ck_assert_msg(
                fabsl(got - sum) <= (long double)ROUNDING * (long double)(inner + 2) * size,
                "%zu x %zu, inner %zu: (%zu, %zu) is %g", C.rows, C.columns, inner, i, j, got);
        }
}

static struct box box_copy(struct box b)
{
    size_t bytes = b.rows * b.ld * sizeof *b.a;
    double *a = malloc(bytes + 1);
    memcpy(a, b.a, bytes);
    b.a = a;
    return b;
}

static void (*const product[FORMS])(size_t m, size_t n, size_t k, double alpha, const double *a,
                                    size_t lda, const double *b, size_t ldb, bool add, double *c,
                                    size_t ldc) = {multiply_nn, multiply_tn, multiply_nt,
                                                   multiply_tt};

static void check_form(enum form form, size_t m, size_t n, size_t k, size_t gap, double alpha,
                       bool add)
{
    bool ta = form == TN || form == TT, tb = form == NT || form == TT;
    struct box A = ta ? box_new(k, m, gap, 1) : box_new(m, k, gap, 1);
    struct box B = tb ? box_new(n, k, gap, 2) : box_new(k, n, gap, 2);
    struct box start = box_new(m, n, gap, 3), C = box_copy(start);
    product[form](m, n, k, alpha, A.a, A.ld, B.a, B.ld, add, C.a, C.ld);
    check_product(A, ta, B, tb, alpha, add, start, C, false);
    free(A.a), free(B.a), free(start.a), free(C.a);
}

START_TEST(products_are_sums_up_to_rounding)
{
    uint64_t s = seed_given();
    for (int i = 0; i < 120; i++)
        check_form((enum form)(i % FORMS), below(&s, 71), below(&s, 71), below(&s, 71),
                   below(&s, 4), uniform(&s, -2, 2), below(&s, 2));
}
END_TEST

static void check_square(bool transposed, size_t n, size_t k, size_t gap, double alpha, bool add)
{
    struct box A = transposed ? box_new(k, n, gap, 1) : box_new(n, k, gap, 1);
    struct box start = box_new(n, n, gap, 3), C = box_copy(start);
    (transposed ? multiply_square_tn : multiply_square_nt)(n, k, alpha, A.a, A.ld, add, C.a, C.ld);
    check_product(A, transposed, A, !transposed, alpha, add, start, C, true);
    free(A.a), free(start.a), free(C.a);
}

START_TEST(squares_are_sums_up_to_rounding)
{
    uint64_t s = seed_given();
    for (int i = 0; i < 60; i++)
        check_square(i % 2, below(&s, 71), below(&s, 71), below(&s, 4), uniform(&s, -2, 2),
                     below(&s, 2));
}
END_TEST

/* ---- products by a library ---- */

static uint32_t library_calls;

static void counted_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
                          const double *a, int lda, const double *b, int ldb, double beta,
                          double *c, int ldc)
{
    library_calls++;
    cblas_dgemm((CBLAS_LAYOUT)order, (CBLAS_TRANSPOSE)ta, (CBLAS_TRANSPOSE)tb, m, n, k, alpha, a,
                lda, b, ldb, beta, c, ldc);
}

static void counted_dsyrk(int order, int triangle, int transposed, int n, int k, double alpha,
                          const double *a, int lda, double beta, double *c, int ldc)
{
    library_calls++;
    cblas_dsyrk((CBLAS_LAYOUT)order, (CBLAS_UPLO)triangle, (CBLAS_TRANSPOSE)transposed, n, k, alpha,
                a, lda, beta, c, ldc);
}

START_TEST(large_products_go_to_the_library)
{
    uint64_t s = seed_given();
    multiply_use(&(struct multiply_library){counted_dgemm, counted_dsyrk});
    for (uint32_t i = 0; i < 32; i++) {
        size_t m = 32 + below(&s, 40), n = 32 + below(&s, 40), k = 32 + below(&s, 40);
        check_form((enum form)(i % FORMS), m, n, k, below(&s, 4), uniform(&s, -2, 2), i & 4);
        check_square(i & 1, m, 2 * k, below(&s, 4), uniform(&s, -2, 2), i & 2);
        ck_assert_uint_eq(library_calls, 2 * i + 2);
    }
    check_form(NN, 31, 32, 32, 0, 1, false);
    check_form(TN, 15, 1000, 1000, 0, 1, false);
    ck_assert_uint_eq(library_calls, 64);
    multiply_use(&(struct multiply_library){NULL, NULL});
    check_form(NN, 64, 64, 64, 0, 1, false);
    ck_assert_uint_eq(library_calls, 64);
}
END_TEST

/* ---- the order of sums ---- */

/* Returns the sum that multiply.h defines for number (i, j) of alpha A B. */
static double sum_of(struct box A, bool ta, struct box B, bool tb, double alpha, double start,
                     size_t i, size_t j)
{
    for (size_t k = 0; k < (ta ? A.rows : A.columns); k++) {
        double b = alpha * box_at(B, tb, k, j);
        start += box_at(A, ta, i, k) * b;
    }
    return start;
}

/* Asserts that x and y have equal bits. */
static void same(double x, double y) { ck_assert_mem_eq(&x, &y, sizeof x); }

static void check_order(bool ta, bool tb, size_t m, size_t n, size_t k, double alpha, bool add)
{
    struct box A = ta ? box_new(k, m, 1, 1) : box_new(m, k, 1, 1);
    struct box B = tb ? box_new(n, k, 2, 2) : box_new(k, n, 2, 2);
    struct box start = box_new(m, n, 0, 3), C = box_copy(start);
    product[ta && tb ? TT
            : ta     ? TN
            : tb     ? NT
                     : NN](m, n, k, alpha, A.a, A.ld, B.a, B.ld, add, C.a, C.ld);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            same(C.a[i * n + j], sum_of(A, ta, B, tb, alpha, add ? start.a[i * n + j] : 0, i, j));
    free(A.a), free(B.a), free(start.a), free(C.a);
}

static void check_order_of_square(bool transposed, size_t n, size_t k, double alpha, bool add)
{
    struct box A = transposed ? box_new(k, n, 1, 1) : box_new(n, k, 1, 1);
    struct box start = box_new(n, n, 0, 3), C = box_copy(start);
    (transposed ? multiply_square_tn : multiply_square_nt)(n, k, alpha, A.a, A.ld, add, C.a, C.ld);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            same(C.a[i * n + j],
                 sum_of(A, transposed, A, !transposed, alpha, add ? start.a[i * n + j] : 0, i, j));
    free(A.a), free(start.a), free(C.a);
}

/* Sizes are around those at which an implementation may divide its work. */
static const size_t around[] = {1,  2,  3,  5,  6,  7,  8,   9,   12,  13,  16, 17,
                                31, 63, 64, 65, 95, 97, 127, 129, 191, 257, 300};
enum { SIZES = sizeof around / sizeof *around };

START_TEST(products_have_the_order_of_the_header)
{
    uint64_t s = seed_given();
    for (int i = 0; i < 150; i++) {
        size_t m = around[below(&s, i % 9 ? 12 : SIZES)], n = around[below(&s, i % 5 ? 12 : SIZES)];
        check_order(i & 1, i & 2, m, n, around[below(&s, SIZES)], uniform(&s, -2, 2), i & 4);
    }
    for (size_t n = 1; n < 30; n++)
        check_order(n & 1, n & 2, n, 30 - n, n, 1, n & 4);
    for (int i = 0; i < 60; i++)
        check_order_of_square(i & 1, around[below(&s, i % 9 ? 14 : SIZES)],
                              around[below(&s, SIZES)], uniform(&s, -2, 2), i & 2);
}
END_TEST

static double naive_dot(size_t n, const double *x, const double *y)
{
    double l[8] = {0};
    for (size_t i = 0; i < n; i++)
        l[i % 8] += x[i] * y[i];
    return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

START_TEST(vectors_have_the_order_of_the_header)
{
    for (size_t n = 0; n < 70; n++) {
        double *x = numbers(n, 1), *y = numbers(n, 2), *z = numbers(n, 2);
        same(vectors_dot(n, x, y), naive_dot(n, x, y));
        vectors_add(n, 0.3, x, y);
        for (size_t i = 0; i < n; i++)
            same(y[i], z[i] + 0.3 * x[i]);
        vectors_scale(n, 1 / 3.0, z);
        for (size_t i = 0; i < n; i++)
            z[i] *= 3, same(fabs(z[i] - y[i] + 0.3 * x[i]) < 1e-14, 1);
        free(x), free(y), free(z);
    }
}
END_TEST

static void check_vector(size_t m, size_t n, double alpha, bool add)
{
    struct box A = box_new(m, n, 3, 1);
    double *x = numbers(m + n, 2), *start = numbers(m + n, 3), *y = numbers(m + n, 3);
    multiply_vector_n(m, n, alpha, A.a, A.ld, x, add, y);
    for (size_t i = 0; i < m; i++) {
        double t = alpha * naive_dot(n, A.a + i * A.ld, x);
        same(y[i], add ? start[i] + t : t);
    }
    for (size_t i = m; i < m + n; i++)
        same(y[i], start[i]);
    memcpy(y, start, (m + n) * sizeof *y);
    multiply_vector_t(m, n, alpha, A.a, A.ld, x, add, y);
    for (size_t j = 0; j < n; j++) {
        double s = add ? start[j] : 0;
        for (size_t i = 0; i < m; i++)
            s += A.a[i * A.ld + j] * (alpha * x[i]);
        same(y[j], s);
    }
    for (size_t i = n; i < m + n; i++)
        same(y[i], start[i]);
    free(A.a), free(x), free(y), free(start);
}

START_TEST(products_with_vectors_have_the_order_of_the_header)
{
    uint64_t s = seed_given();
    for (int i = 0; i < 300; i++)
        check_vector(below(&s, 40), below(&s, 70), uniform(&s, -2, 2), i & 1);
}
END_TEST

/* ---- packed matrices ---- */

static void check_packed(size_t n, double alpha, bool add)
{
    size_t size = n * (n + 1) / 2, at = 0;
    double *s = numbers(size, 1), *t = numbers(size, 1), *x = numbers(n, 2), *y = numbers(n, 3),
           *z = numbers(n, 3);
    multiply_packed_add(n, alpha, x, s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++, at++)
            same(s[at], t[at] + alpha * x[i] * x[j]);
    multiply_packed_vector(n, alpha, s, x, add, y);
    cblas_dspmv(CblasRowMajor, CblasLower, (int)n, alpha, s, x, 1, add, z, 1);
    for (size_t i = 0; i < n; i++)
        ck_assert_double_eq_tol(y[i], z[i], 1e-13 * (1 + fabs(z[i])));
    free(s), free(t), free(x), free(y), free(z);
}

START_TEST(packed_matrices_are_those_of_cblas)
{
    for (size_t n = 0; n < 40; n++)
        check_packed(n, n % 3 ? -0.7 : 1, n & 1);
}
END_TEST

START_TEST(packed_products_add_row_after_row)
{
    enum { N = 37 };
    double *s = numbers(N * (N + 1) / 2, 1), *x = numbers(N, 2), *y = numbers(N, 3), z[N];
    for (size_t i = 0, at = 0; i < N; at += ++i) {
        z[i] = 0.7 * naive_dot(i + 1, s + at, x);
        for (size_t j = 0; j < i; j++)
            z[j] += s[at + j] * (0.7 * x[i]);
    }
    multiply_packed_vector(N, 0.7, s, x, false, y);
    for (size_t i = 0; i < N; i++)
        same(y[i], z[i]);
    free(s), free(x), free(y);
}
END_TEST

/* ---- norms, and numbers that are none ---- */

/* Asserts that a vector of x, 2 x and 2 x has the norm 3 x, with 61 zeros around these. */
static void check_norm(double x)
{
    double v[64] = {0};
    v[3] = x, v[11] = -2 * x, v[60] = 2 * x;
    double norm = vectors_norm(64, v);
    ck_assert_msg(norm == 3 * x || fabs(norm / (3 * x) - 1) <= 2 * DBL_EPSILON, "%g: %g", x, norm);
}

START_TEST(norms_neither_overflow_nor_vanish)
{
    for (int power = -1074; power < 1022; power++)
        check_norm(ldexp(1, power));
    check_norm(0x1.7p-1030), check_norm(1.7e-162), check_norm(1.3e154), check_norm(5e307);
    double all[100];
    for (int i = 0; i < 100; i++)
        all[i] = DBL_MAX / 16;
    ck_assert_double_eq_tol(vectors_norm(100, all) / DBL_MAX, 10 / 16.0, 1e-15);
    all[7] = -INFINITY;
    ck_assert_double_eq(vectors_norm(100, all), INFINITY);
    all[8] = NAN;
    ck_assert(isnan(vectors_norm(100, all)));
    ck_assert_double_eq(vectors_norm(0, all), 0);
}
END_TEST

START_TEST(products_pass_nan_and_infinity_through)
{
    enum { M = 9, N = 13, K = 70 };
    for (enum form form = NN; form < FORMS; form++) {
        bool ta = form == TN || form == TT, tb = form == NT || form == TT;
        struct box A = ta ? box_new(K, M, 0, 1) : box_new(M, K, 0, 1);
        struct box B = tb ? box_new(N, K, 0, 2) : box_new(K, N, 0, 2);
        double c[M * N];
        for (size_t i = 0; i < M * K; i++)
            A.a[i] = 0;
        B.a[tb ? 12 * K + 66 : 66 * N + 12] = INFINITY; /* number (66, 12) */
        B.a[tb ? 5 * K + 2 : 2 * N + 5] = NAN;          /* number (2, 5) */
        product[form](M, N, K, 1, A.a, A.ld, B.a, B.ld, false, c, N);
        for (size_t i = 0; i < M * N; i++)
            ck_assert_int_eq(!!isnan(c[i]), i % N == 12 || i % N == 5);
        free(A.a), free(B.a);
    }
}
END_TEST

START_TEST(the_examples_of_the_headers_are_what_happens)
{
    const double a[] = {3, 0, 4, 5}, x[] = {3, 4}, y[] = {1, 2};
    double c[4] = {0, -1, 0, 0};
    ck_assert_double_eq(vectors_dot(2, x, y), 11);
    ck_assert_double_eq(vectors_norm(2, x), 5);
    multiply_square_nt(2, 2, 1, a, 2, false, c, 2);
    ck_assert(c[0] == 9 && c[1] == -1 && c[2] == 12 && c[3] == 41);
    multiply_tn(2, 2, 2, 1, a, 2, a, 2, false, c, 2);
    ck_assert(c[0] == 25 && c[1] == 20 && c[2] == 20 && c[3] == 25);
}
END_TEST

/* Sums in long double take most of the time, above all on emulated processors. */
LEAT_TIERS("multiply",
           (products_have_the_order_of_the_header, vectors_have_the_order_of_the_header,
            products_with_vectors_have_the_order_of_the_header, packed_matrices_are_those_of_cblas,
            packed_products_add_row_after_row, norms_neither_overflow_nor_vanish,
            products_pass_nan_and_infinity_through, the_examples_of_the_headers_are_what_happens),
           (products_are_sums_up_to_rounding, squares_are_sums_up_to_rounding,
            large_products_go_to_the_library))
