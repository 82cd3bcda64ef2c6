/* test_multiply.c -- products of dense matrices beside sums in long double. */
#include "support/suite.h"

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
    for (int i = 0; i < 3000; i++)
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
    for (int i = 0; i < 1000; i++)
        check_square(i % 2, below(&s, 71), below(&s, 71), below(&s, 4), uniform(&s, -2, 2),
                     below(&s, 2));
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

LEAT_SUITE("multiply", products_are_sums_up_to_rounding, squares_are_sums_up_to_rounding,
           the_examples_of_the_headers_are_what_happens)
