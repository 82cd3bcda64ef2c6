/* test_tail_quantile.c -- tail_quantile against exact ranks of sorted values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/summaries/tail_quantile.h"
#include "support/random.h"
#include "support/suite.h"

static struct tail_quantile *sketch(double q, uint32_t k, uint64_t seed)
{
    struct tail_quantile *s = malloc(tail_quantile_bytes(q, k));
    tail_quantile_init(s, q, k, seed);
    return s;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the smallest x of v[0 .. n) with |{v <= x}| >= q n: the oracle. */
static double exact(const double *v, size_t n, double q)
{
    double *sorted = malloc(n * sizeof *sorted), x;
    memcpy(sorted, v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    size_t i = 0;
    while ((double)(i + 1) < q * (double)n)
        i++;
    x = sorted[i];
    free(sorted);
    return x;
}

enum order { HEAVY_TAIL, ASCENDING, DESCENDING, OUTLIERS_FIRST, NEGATIVE, TIES, ORDERS };

static double value_at(enum order o, size_t i, size_t n, uint64_t *rng)
{
    double u = uniform(rng, 0, 1);
    switch (o) {
    case ASCENDING:
        return (double)i;
    case DESCENDING:
        return (double)(n - i);
    case OUTLIERS_FIRST:
        return i < n / 50 ? 1e6 + u : u;
    case NEGATIVE:
        return -exp(10 * u);
    case TIES:
        return floor(40 * u * u);
    default:
        return pow(1 - u, -2);
    }
}

static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999, 0.3, 0.001};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

START_TEST(a_short_stream_is_answered_exactly)
{
    for (int o = 0; o < ORDERS; o++)
        for (int j = 0; j < QUANTILES; j++) {
            double q = quantiles[j], v[600];
            uint64_t rng = 5;
            struct tail_quantile *s = sketch(q, 300, 9);
            for (size_t n = 1; n < 600; n++) {
                v[n - 1] = floor(8 * value_at((enum order)o, n - 1, 600, &rng));
                ck_assert(tail_quantile_insert(s, v[n - 1]));
                if (n % 37 == 0 || n < 40)
                    ck_assert_double_eq(tail_quantile_value(s), exact(v, n, q));
            }
            ck_assert(tail_quantile_check(s));
            free(s);
        }
}
END_TEST

enum { N = 60000, K = 64, ASKED = 3 };

/* Returns by how much the number of values on the rarer side of x is off, as a share of the wanted
 * one. Values equal to x may be on either side, and the wanted number may be a fraction. */
static double share_off(const double *v, size_t n, double q, double x)
{
    double beyond = 0, ties = 0, wanted = (q < 0.5 ? q : 1 - q) * (double)n;
    for (size_t i = 0; i < n; i++)
        beyond += q < 0.5 ? v[i] < x : v[i] > x, ties += v[i] == x;
    return fmax(0, fmax(beyond - wanted, wanted - beyond - ties) - 1) / wanted;
}

/* Returns how many of the ASKED answers about a stream are off by more than the stated error. */
static int beyond_error(double q, enum order o, uint64_t seed, double *v)
{
    struct tail_quantile *s = sketch(q, K, seed);
    int beyond = 0, asked = 0;
    for (size_t n = 1; n <= N; n++) {
        v[n - 1] = value_at(o, n - 1, N, &seed);
        tail_quantile_insert(s, v[n - 1]);
        if (n != N / 30 && n != N / 7 && n != N) continue;
        beyond += share_off(v, n, q, tail_quantile_value(s)) > tail_quantile_error(q, K);
        asked++;
    }
    ck_assert_int_eq(asked, ASKED);
    ck_assert(tail_quantile_check(s));
    free(s);
    return beyond;
}

START_TEST(ninety_nine_of_a_hundred_answers_are_within_the_error_in_any_order)
{
    enum { SEEDS = 12 };
    double *v = malloc(N * sizeof *v);
    int beyond = 0;
    for (int o = 0; o < ORDERS; o++)
        for (int j = 0; j < QUANTILES; j++)
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                beyond += beyond_error(quantiles[j], (enum order)o, mix64(seed + seed_given()), v);
    ck_assert_int_le(beyond, ORDERS * QUANTILES * SEEDS * ASKED / 100);
    free(v);
}
END_TEST

START_TEST(equal_values_are_their_own_quantile)
{
    for (int j = 0; j < QUANTILES; j++) {
        struct tail_quantile *s = sketch(quantiles[j], 16, 1);
        ck_assert(isnan(tail_quantile_value(s)));
        for (int i = 0; i < 5000; i++)
            tail_quantile_insert(s, -0.0);
        ck_assert_double_eq(tail_quantile_value(s), 0);
        ck_assert(!signbit(tail_quantile_value(s)));
        free(s);
    }
}
END_TEST

START_TEST(a_damaged_sketch_is_found)
{
    struct tail_quantile *s = sketch(0.9, 64, 3);
    for (int i = 0; i < 1000; i++)
        tail_quantile_insert(s, i * 377 % 1000);
    ck_assert(tail_quantile_check(s));
    double kept = s->item[0];
    s->item[0] = 1e9;
    ck_assert(!tail_quantile_check(s));
    s->item[0] = NAN;
    ck_assert(!tail_quantile_check(s));
    s->item[0] = kept;
    s->held[1]--;
    ck_assert(!tail_quantile_check(s));
    s->held[1]++;
    s->sampled[2] = s->n + 1;
    ck_assert(!tail_quantile_check(s));
    free(s);
}
END_TEST

START_TEST(a_full_sketch_takes_nothing_more)
{
    size_t bytes = tail_quantile_bytes(0.9, 20);
    struct tail_quantile *s = sketch(0.9, 20, 3), *before = malloc(bytes);
    for (int i = 0; i < 100; i++)
        ck_assert(tail_quantile_insert(s, i));
    s->n = TAIL_MAX_COUNT - 1;
    ck_assert(tail_quantile_insert(s, 1));
    memcpy(before, s, bytes);
    ck_assert(!tail_quantile_insert(s, 1000));
    ck_assert(!memcmp(before, s, bytes));
    free(s);
    free(before);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct tail_quantile *s = sketch(0.99, 16, 1);
    for (int x = 1; x <= 1000; x++)
        tail_quantile_insert(s, x);
    ck_assert_uint_eq(s->held[0], 16);
    ck_assert_double_eq(s->item[0], 985); /* the smallest is at the root */
    ck_assert_double_eq(tail_quantile_value(s), 990);
    free(s);
}
END_TEST

LEAT_SUITE("tail_quantile", a_short_stream_is_answered_exactly,
           ninety_nine_of_a_hundred_answers_are_within_the_error_in_any_order,
           equal_values_are_their_own_quantile, a_damaged_sketch_is_found,
           a_full_sketch_takes_nothing_more, the_example_of_the_header_is_what_happens)
