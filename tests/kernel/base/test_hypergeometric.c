/* test_hypergeometric.c -- tails against exact integers and against sums over all draws. */
#include <math.h>

#include "core/log_gamma.h"
#include "kernels/base/hypergeometric.h"
#include "support/random.h"
#include "support/suite.h"

/* Whole numbers up to 2^113: C(n, k), n <= 60. */
static unsigned __int128 choose(unsigned n, unsigned k)
{
    unsigned __int128 c = 1;
    if (k > n) return 0;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

START_TEST(small_tails_are_those_of_counting_all_draws)
{
    uint64_t rng = seed_given();
    for (int i = 0; i < 20000; i++) {
        unsigned N1 = below(&rng, 30) + 1, N0 = below(&rng, 30) + 1;
        unsigned a = below(&rng, N1 + 1), b = below(&rng, N0 + 1);
        unsigned __int128 draws = 0;
        for (unsigned x = a; x <= a + b; x++)
            draws += choose(N1, x) * choose(N0, a + b - x);
        double want = (double)((long double)draws / (long double)choose(N1 + N0, a + b));
        ck_assert_double_eq_tol(hypergeometric_tail(a, b, N1, N0), want, 1e-9 * want);
    }
}
END_TEST

/* Sums a recurrence over the whole support, from the mode, and divides by the sum. */
static long double tail_by_all(double a, double n, double N1, double N0)
{
    long double sum = 0, tail = 0;
    double mode = floor((n + 1) * (N1 + 1) / (N1 + N0 + 2));
    long double p = 1;
    for (double x = mode; x <= fmin(n, N1) && p > 0; x++) {
        sum += p, tail += x >= a ? p : 0;
        p *= (long double)(n - x) * (N1 - x) / ((x + 1) * (N0 - n + x + 1));
    }
    p = 1;
    for (double x = mode; x > fmax(0, n - N0) && p > 0; x--) {
        p *= (long double)x * (N0 - n + x) / ((n - x + 1) * (long double)(N1 - x + 1));
        sum += p, tail += x - 1 >= a ? p : 0;
    }
    return tail / sum;
}

START_TEST(large_tails_are_never_too_small_and_at_most_a_tenth_too_large)
{
    uint64_t rng = seed_given();
    int below_a_twentieth = 0;
    for (int i = 0; i < 400; i++) {
        double N1 = floor(exp(uniform(&rng, 0, 14))), N0 = floor(exp(uniform(&rng, 8, 18)));
        double n = floor(exp(uniform(&rng, 0, 1) * log(N1 + N0))), q = N1 / (N1 + N0);
        double sd = sqrt(n * q * (1 - q)), a = ceil(n * q + uniform(&rng, 0, 12) * (sd + 1));
        if (a > fmin(n, N1) || n - a > N0) continue;
        double want = (double)tail_by_all(a, n, N1, N0),
               got = hypergeometric_tail(a, n - a, N1, N0);
        ck_assert_msg(got >= want * (1 - 1e-9 - 1e-15 * (N1 + N0)), "%g of %g, %g %g: %g, not %g",
                      a, n, N1, N0, got, want);
        if (want > 0.05) continue;
        ck_assert_msg(got <= 1.1 * want, "%g of %g, %g %g: %g, not %g", a, n, N1, N0, got, want);
        below_a_twentieth++;
    }
    ck_assert_int_gt(below_a_twentieth, 100);
}
END_TEST

START_TEST(what_can_be_no_other_way_is_certain)
{
    ck_assert_double_eq_tol(hypergeometric_tail(0, 5, 10, 90), 1, 1e-12);
    ck_assert_double_eq_tol(hypergeometric_tail(10, 90, 10, 90), 1, 1e-12);
    ck_assert_double_eq_tol(hypergeometric_tail(3, 0, 3, 0), 1, 1e-12);
    ck_assert_double_eq_tol(hypergeometric_tail(0, 7, 0, 7), 1, 1e-12);
    ck_assert(hypergeometric_tail(1e6, 0, 1e6, 1e9) >= 0); /* 0, and not NaN */
    ck_assert(hypergeometric_tail(1e14, 1e14, 2e14, 2e14) <= 1);
}
END_TEST

START_TEST(faded_counts_are_between_whole_ones)
{
    for (double a = 4; a < 9; a += 0.125) {
        double tail = hypergeometric_tail(a, 20, 100, 1000);
        ck_assert(tail < hypergeometric_tail(a - 0.125, 20, 100, 1000));
    }
}
END_TEST

START_TEST(log_gamma_is_that_of_libm)
{
    uint64_t rng = seed_given();
    for (int i = 0; i < 100000; i++) {
        double x = exp(uniform(&rng, -0.69, 30)), want = lgamma(x);
        ck_assert_double_eq_tol(log_gamma(x), want, 1e-10 + 2e-15 * fabs(want));
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    ck_assert_double_eq_tol(hypergeometric_tail(4, 0, 5, 5), 5.0 / 210, 1e-10);
    ck_assert_double_eq_tol(hypergeometric_tail(4, 0, 5, 5), 0.0238, 5e-5);
}
END_TEST

LEAT_SUITE("hypergeometric", small_tails_are_those_of_counting_all_draws,
           large_tails_are_never_too_small_and_at_most_a_tenth_too_large,
           what_can_be_no_other_way_is_certain, faded_counts_are_between_whole_ones,
           log_gamma_is_that_of_libm, the_example_of_the_header_is_what_happens)
