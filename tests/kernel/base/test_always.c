/* test_always.c -- always: against libm, over all draws, and over streams that are asked often. */
/* tier: long (9 s) */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/base/always.h"
#include "support/random.h"

/* Returns E by its definition: the mixture, and H factor by factor. */
static long double naive(int a, int b, int N1, int N0)
{
    long double weights = 0, sum = 0, h = 1, q = (long double)N1 / (N1 + N0);
    for (long double t = 0.005L; t < 6; t *= 1.3L) {
        long double w = 1 / (1 + logl(t) * logl(t)), p = expl(t) * q / (1 - q + expl(t) * q);
        weights += w;
        sum += w * powl(p, a) * powl(1 - p, b);
    }
    for (int i = 0; i < a; i++)
        h *= N1 - i;
    for (int i = 0; i < b; i++)
        h *= N0 - i;
    for (int i = 0; i < a + b; i++)
        h /= N1 + N0 - i;
    return sum / weights / h;
}

START_TEST(small_counts_have_the_ratio_of_the_definition)
{
    uint64_t rng = seed_given();
    for (int i = 0; i < 20000; i++) {
        int N1 = (int)below(&rng, 60) + 1, N0 = (int)below(&rng, 60) + 1;
        int a = (int)below(&rng, (uint32_t)N1) + 1, b = (int)below(&rng, (uint32_t)N0 + 1);
        double want = fmin(1, (double)(1 / naive(a, b, N1, N0)));
        ck_assert_double_eq_tol(always_tail(a, b, N1, N0), want, 1e-8 * want);
    }
    ck_assert(always_tail(0, 3, 10, 10) == 1 && always_tail(0, 0, 0, 0) == 1);
    ck_assert_double_eq_tol(always_tail(6, 4, 100, 900), 3.0e-3, 5e-5); /* of the header */
    ck_assert_double_eq_tol(hypergeometric_tail(6, 4, 100, 900), 1.3e-4, 5e-6);
}
END_TEST

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return k < 0 || k > n ? 0 : c;
}

/* For given totals the mean of E over all draws is at most 1, so it is a test at any one time. */
START_TEST(the_mean_over_all_draws_is_at_most_1)
{
    for (int N1 = 1; N1 <= 24; N1 += 3)
        for (int N0 = 1; N0 <= 24; N0 += 3)
            for (int n = 1; n <= N1 + N0; n++) {
                double mean = 0;
                for (int a = 1; a <= n && a <= N1; a++) {
                    double draws = choose(N1, a) * choose(N0, n - a) / choose(N1 + N0, n);
                    double p = draws > 0 ? always_tail(a, n - a, N1, N0) : 1;
                    mean += p < 1 ? draws / p : 0;
                }
                ck_assert_double_le(mean, 1 + 1e-6);
            }
}
END_TEST

START_TEST(large_counts_stay_finite_and_grow_with_the_difference)
{
    for (double N = 1e3; N < 1e14; N *= 10) {
        double before = 1;
        for (double a = 0.01 * N; a < 0.02 * N; a *= 1.05) {
            double p = always_tail(a, 0.1 * N - a, 0.1 * N, 0.9 * N);
            ck_assert(p >= 0 && p <= before * (1 + 1e-9));
            before = p;
        }
        ck_assert(before < 1 || N < 1e4);
    }
}
END_TEST

/* A stream of records, and the counts of each of its features by kind. */
enum { VALUES = 50, COLUMNS = 3, FEATURES = VALUES * COLUMNS };
struct stream {
    double all[2], of[FEATURES][2];
    uint64_t rng;
};

/* Adds n records, a share q of which is of kind 1. The values of a column are the less frequent the
 * larger `skew` is. */
static void add_records(struct stream *s, int n, double q, double skew)
{
    for (int i = 0; i < n; i++) {
        int y = uniform(&s->rng, 0, 1) < q;
        s->all[y]++;
        for (int c = 0; c < COLUMNS; c++) {
            double u = uniform(&s->rng, 0, 1);
            s->of[c * VALUES + (int)(VALUES * (skew > 1 ? u * u * u : u))][y]++;
        }
    }
}

/* True if a feature is named: its p, times the number of features, is at most 0.05. Leaves out
 * those that cannot be, as they are within 2.5 standard deviations. */
static bool names_one(const struct stream *s, double (*tail)(double, double, double, double))
{
    double N1 = s->all[1], N0 = s->all[0], q = N1 / (N1 + N0);
    for (int f = 0; f < FEATURES; f++) {
        double a = s->of[f][1], b = s->of[f][0], over = a - (a + b) * q;
        if (over <= 0 || over * over < 6.25 * (a + b) * q * (1 - q)) continue;
        if (FEATURES * tail(a, b, N1, N0) <= 0.05) return true;
    }
    return false;
}

/* Returns how many of `streams` without any effect, asked `looks` times, ever name a feature. */
static int ever_named(int streams, int looks, int between, double q, double skew,
                      double (*tail)(double, double, double, double))
{
    int named = 0;
    for (int k = 0; k < streams; k++) {
        struct stream s = {.rng = mix64((uint64_t)k + 1000 * seed_given())};
        bool any = false;
        for (int look = 0; look < looks && !any; look++) {
            add_records(&s, between, q, skew);
            any = names_one(&s, tail);
        }
        named += any;
    }
    return named;
}

START_TEST(few_streams_without_an_effect_ever_name_a_feature)
{
    ck_assert_int_le(ever_named(60, 400, 20, 0.1, 1, always_tail), 3);
    ck_assert_int_le(ever_named(60, 400, 20, 0.01, 3, always_tail), 3);
    ck_assert_int_gt(ever_named(20, 400, 20, 0.1, 1, hypergeometric_tail), 3); /* Fisher's does */
}
END_TEST

START_TEST(of_1000_streams_asked_1000_times_at_most_50_name_one)
{
    ck_assert_int_le(ever_named(1000, 1000, 100, 0.1, 1, always_tail), 50);
    ck_assert_int_le(ever_named(250, 1000, 100, 0.01, 3, always_tail), 12);
    ck_assert_int_le(ever_named(250, 1000, 100, 0.5, 3, always_tail), 12);
}
END_TEST

static int ascending(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* A feature in 1 % of the records has three times the rate of the others. Each stream has the look
 * at which it is named first; `fixed` has how many streams Fisher's test names at a look. */
START_TEST(a_factor_of_3_is_named_within_1_5_times_the_records_of_a_single_test)
{
    enum { STREAMS = 200, LOOKS = 200, BETWEEN = 100 };
    static int first[STREAMS], fixed[LOOKS];
    for (int k = 0; k < STREAMS; k++) {
        double all[2] = {0, 0}, of[2] = {0, 0};
        uint64_t rng = mix64((uint64_t)k + seed_given());
        first[k] = LOOKS;
        for (int look = 0; look < LOOKS; look++) {
            for (int i = 0; i < BETWEEN; i++) {
                int x = uniform(&rng, 0, 1) < 0.01, y = uniform(&rng, 0, 1) < (x ? 0.3 : 0.1);
                all[y]++;
                of[y] += x;
            }
            fixed[look] += FEATURES * hypergeometric_tail(of[1], of[0], all[1], all[0]) <= 0.05;
            bool named = FEATURES * always_tail(of[1], of[0], all[1], all[0]) <= 0.05;
            if (named && first[k] == LOOKS) first[k] = look;
        }
    }
    int half = 0, most = 0;
    while (fixed[half] < STREAMS / 2)
        half++;
    while (fixed[most] < STREAMS * 9 / 10)
        most++;
    qsort(first, STREAMS, sizeof *first, ascending);
    ck_assert_int_le(first[STREAMS / 2] + 1, (int)(1.5 * (half + 1)));
    ck_assert_int_le(first[STREAMS * 9 / 10] + 1, (int)(1.5 * (most + 1)));
}
END_TEST

LEAT_TIERS("always",
           (small_counts_have_the_ratio_of_the_definition, the_mean_over_all_draws_is_at_most_1,
            large_counts_stay_finite_and_grow_with_the_difference,
            few_streams_without_an_effect_ever_name_a_feature,
            a_factor_of_3_is_named_within_1_5_times_the_records_of_a_single_test),
           (of_1000_streams_asked_1000_times_at_most_50_name_one))
