/* test_lanczos.c -- the largest eigenvalue by Lanczos' method, against LAPACK's dsyev. */
#include "kernels/fm/lanczos.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"
#include "support/zeroed.h"

enum { MAX = 150 };

static double a[MAX * MAX];
static uint32_t n;

static void times(const void *self, const double *in, double *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            out[i] += a[(size_t)i * n + j] * in[j];
    }
}

/* a = sum over k of lambda[k] q q' with random orthonormal q. */
static void make_matrix(uint64_t *s, uint32_t size, const double *lambda, uint32_t rank)
{
    static double q[MAX * MAX];
    n = size;
    memset(a, 0, sizeof a);
    for (uint32_t k = 0; k < rank; k++) {
        double *v = q + (size_t)k * n, norm = 0;
        for (uint32_t i = 0; i < n; i++)
            v[i] = normal(s);
        for (uint32_t twice = 0; twice < 2 * k; twice++) {
            const double *w = q + (size_t)(twice % k) * n;
            double dot = 0;
            for (uint32_t i = 0; i < n; i++)
                dot += v[i] * w[i];
            for (uint32_t i = 0; i < n; i++)
                v[i] -= dot * w[i];
        }
        for (uint32_t i = 0; i < n; i++)
            norm += v[i] * v[i];
        for (uint32_t i = 0; i < n; i++)
            v[i] /= sqrt(norm);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                a[(size_t)i * n + j] += lambda[k] * v[i] * v[j];
    }
}

/* Solves from a random start. *rayleigh: the value as u'Au, where u has length 1. */
static struct lanczos_result solve(uint64_t *s, double *rayleigh)
{
    double u[MAX], v[MAX], square = 0;
    void *work = zeroed(lanczos_bytes(n));
    const struct lanczos_operator m = {n, NULL, times};
    for (uint32_t i = 0; i < n; i++)
        u[i] = normal(s);
    struct lanczos_result r = lanczos_largest(&m, u, work);
    times(NULL, u, v);
    *rayleigh = 0;
    for (uint32_t i = 0; i < n; i++)
        *rayleigh += u[i] * v[i], square += u[i] * u[i];
    ck_assert_msg(fabs(square - 1) < 1e-12, "|u|^2 is %.15g", square);
    free(work);
    return r;
}

static void check_against_lapack(uint64_t *s, const char *what)
{
    static double copy[MAX * MAX];
    double lambda[MAX], rayleigh;
    memcpy(copy, a, sizeof a);
    ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)n, copy, (int)n, lambda), 0);
    double largest = fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
    struct lanczos_result r = solve(s, &rayleigh);
    ck_assert_msg(r.converged, "%s, n = %u: %u products were not enough", what, n, r.products);
    ck_assert_msg(fabs(fabs(r.value) - largest) <= 1e-8 * largest, "%s, n = %u: %.15g, not %.15g",
                  what, n, r.value, largest);
    ck_assert_msg(fabs(rayleigh - r.value) <= 1e-10 * largest,
                  "%s, n = %u: u'Au = %.15g, not %.15g", what, n, rayleigh, r.value);
}

static const uint32_t sizes[] = {1, 2, 3, 8, 31, 32, 33, 34, 70, MAX};

/* Spectra with which a power method fails: both ends alike, clusters, slow decay. */
START_TEST(the_largest_eigenvalue_is_that_of_lapack)
{
    uint64_t s = 3;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t d = sizes[k];
        double both[MAX], cluster[MAX], slow[MAX], falling[MAX];
        for (uint32_t i = 0; i < d; i++) {
            both[i] = (i % 2 ? -1 : 1) * (1 - 1e-3 * i) * 7;
            cluster[i] = i < 5 ? -1e8 * (1 + 1e-9 * i) : uniform(&s, -9e7, 9e7);
            slow[i] = 1e-4 / (1 + i);
            falling[i] = pow(0.5, i) * (i % 3 ? 1 : -1);
        }
        make_matrix(&s, d, both, d), check_against_lapack(&s, "both ends alike");
        make_matrix(&s, d, cluster, d), check_against_lapack(&s, "a cluster");
        make_matrix(&s, d, slow, d), check_against_lapack(&s, "slow decay");
        make_matrix(&s, d, falling, d), check_against_lapack(&s, "fast decay");
        make_matrix(&s, d, falling, d < 3 ? d : 3), check_against_lapack(&s, "low rank");
    }
}
END_TEST

static void near(double x, double y) { ck_assert_double_eq_tol(x, y, 1e-12); }

/* A start that is zero in a block would never see that block. A random start is not zero there. */
START_TEST(blocks_that_do_not_meet_are_all_seen)
{
    uint64_t s = 4;
    n = 60;
    memset(a, 0, sizeof a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i - i % 3; j < i - i % 3 + 3; j++)
            a[(size_t)i * n + j] = i == 40 || j == 40 ? -2 : 1;
    check_against_lapack(&s, "blocks of three");
}
END_TEST

/* The sizes of 2 and -2 are equal but for rounding, and so are the numbers of u. */
START_TEST(ties_are_decided_by_rules)
{
    for (int k = 0; k < 8; k++) {
        uint64_t s = 20 + (uint64_t)k;
        double u[4], down = k & 1 ? 1e-15 : 0;
        void *work = zeroed(lanczos_bytes(4));
        const struct lanczos_operator m = {4, NULL, times};
        n = 4;
        memset(a, 0, sizeof a);
        a[0 * 4 + 1] = a[1 * 4 + 0] = 2;    /* eigenvalues 2 and -2: (1, 1) and (1, -1) */
        a[2 * 4 + 2] = -2 * (1 + 8 * down); /* eigenvalue -2 or a little below */
        for (uint32_t i = 0; i < n; i++)
            u[i] = normal(&s);
        struct lanczos_result r = lanczos_largest(&m, u, work);
        near(r.value, 2), near(u[0], sqrt(0.5)), near(u[1], sqrt(0.5));
        near(u[2], 0), near(u[3], 0);
        free(work);
    }
}
END_TEST

START_TEST(a_matrix_of_zeros_has_the_eigenvalue_0)
{
    uint64_t s = 5;
    double rayleigh;
    n = 40;
    memset(a, 0, sizeof a);
    struct lanczos_result r = solve(&s, &rayleigh);
    ck_assert(r.value == 0 && rayleigh == 0 && r.converged);
    ck_assert_uint_eq(r.products, 1);
}
END_TEST

START_TEST(a_start_at_the_eigenvector_takes_few_products)
{
    uint64_t s = 6;
    struct lanczos_result first;
    double lambda[MAX], u[MAX], noise[MAX];
    for (uint32_t i = 0; i < MAX; i++)
        lambda[i] = 1.0 / (1 + i);
    make_matrix(&s, MAX, lambda, MAX);
    void *work = zeroed(lanczos_bytes(n));
    const struct lanczos_operator m = {n, NULL, times};
    for (uint32_t i = 0; i < n; i++)
        u[i] = normal(&s), noise[i] = 1e-6 * normal(&s);
    first = lanczos_largest(&m, u, work);
    for (uint32_t i = 0; i < n; i++)
        u[i] += noise[i];
    struct lanczos_result again = lanczos_largest(&m, u, work);
    ck_assert_msg(fabs(again.value - first.value) < 1e-12, "%.15g, not %.15g", again.value,
                  first.value);
    ck_assert_msg(again.products + 4 <= first.products, "%u products after %u", again.products,
                  first.products);
    free(work);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    double u[] = {1, 1};
    void *work = zeroed(lanczos_bytes(2));
    const struct lanczos_operator m = {2, NULL, times};
    n = 2;
    a[0] = 3, a[1] = a[2] = 0, a[3] = -5;
    struct lanczos_result r = lanczos_largest(&m, u, work);
    ck_assert_double_eq_tol(r.value, -5, 1e-14);
    ck_assert_uint_eq(r.products, 2);
    ck_assert_double_eq_tol(u[0], 0, 1e-14);
    ck_assert_double_eq_tol(u[1], 1, 1e-14);
    free(work);
}
END_TEST

LEAT_SUITE("lanczos", the_largest_eigenvalue_is_that_of_lapack,
           blocks_that_do_not_meet_are_all_seen, ties_are_decided_by_rules,
           a_matrix_of_zeros_has_the_eigenvalue_0, a_start_at_the_eigenvector_takes_few_products,
           the_example_of_the_header_is_what_happens)
