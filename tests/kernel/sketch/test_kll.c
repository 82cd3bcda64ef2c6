/* test_kll.c -- KLL against exact ranks, and against its theorem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/sketch/kll.h"
#include "base/mix64.h"
#include "support/suite.h"
#include "support/random.h"

static struct kll *sketch(uint32_t k, uint64_t seed)
{
    struct kll *s = malloc(kll_bytes(k));
    kll_init(s, k, seed);
    return s;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *v, size_t n)
{
    double *c = malloc(n * sizeof *c);
    memcpy(c, v, n * sizeof *c);
    qsort(c, n, sizeof *c, by_value);
    return c;
}

/* How many of sorted[0..n) are <= x: the oracle. */
static uint64_t true_rank(const double *sorted, size_t n, double x)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (sorted[mid] <= x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

enum order {
    RANDOM,
    ASCENDING,
    DESCENDING,
    DUPLICATES,
    SAWTOOTH,
    INWARD,
    SPIKES,
    HUGE_RANGE,
    ORDERS
};

static double value_at(enum order o, size_t i, size_t n, uint64_t *rng)
{
    double u = uniform(rng, 0, 1);
    switch (o) {
    case ASCENDING:
        return (double)i;
    case DESCENDING:
        return (double)(n - i);
    case DUPLICATES: /* 80 % zeros, the rest small whole numbers: a usual metric */
        return u < 0.8 ? 0.0 : floor((u - 0.8) * 100.0);
    case SAWTOOTH: /* a period next to k: compactions see the same part of each tooth */
        return (double)(i % 199);
    case INWARD: /* each value falls in the middle of all before it */
        return i % 2 ? (double)i : -(double)i;
    case SPIKES:
        return i % 1000 == 999 ? 1e6 + (double)i : u;
    case HUGE_RANGE:
        return ldexp(u - 0.5, (int)(mix64_next(rng) % 2000) - 1000);
    default:
        return u;
    }
}

static double *stream(enum order o, size_t n)
{
    uint64_t rng = 1000 + (uint64_t)o;
    double *v = malloc(n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        double x = value_at(o, i, n, &rng);
        v[i] = o == INWARD ? 1.0 / x : x; /* 1/x: the middle is where all comes together */
    }
    if (o == INWARD) v[0] = 2.0;
    return v;
}

static double abs_diff(uint64_t a, uint64_t b) { return a > b ? (double)(a - b) : (double)(b - a); }

/* Largest rank error over 200 places, as a share of n. Checks quantiles on the way: the answer's
 * interval of true ranks (ties) must come within the error of what was asked for. */
static double worst_error(struct kll *s, const double *sorted, size_t n, double bound)
{
    double worst = 0.0;
    for (int i = 0; i <= 200; i++) {
        double q = i / 200.0;
        double x = sorted[(size_t)(q * (double)(n - 1))];
        worst = fmax(worst, abs_diff(kll_rank(s, x), true_rank(sorted, n, x)) / (double)n);
        double z = kll_quantile(s, q);
        double at_most = (double)true_rank(sorted, n, z) / (double)n;
        double below = (double)true_rank(sorted, n, nextafter(z, -INFINITY)) / (double)n;
        ck_assert_msg(at_most >= q - bound - 1e-12, "q %g: only %g of all are <= %g", q, at_most,
                      z);
        ck_assert_msg(below <= q + bound + 1e-12, "q %g: as many as %g are < %g", q, below, z);
    }
    return worst;
}

START_TEST(rank_error_within_bound_on_every_order)
{
    static const size_t sizes[] = {1000, 30000, 1000000};
    for (int o = 0; o < ORDERS; o++)
        for (int j = 0; j < 3; j++) {
            size_t n = o > ASCENDING && sizes[j] > 200000 ? 200000 : sizes[j];
            double *v = stream((enum order)o, n), *sorted = sorted_copy(v, n);
            struct kll *s = sketch(200, 7 + (uint64_t)o);
            size_t taken = 0;
            for (size_t i = 0; i < n; i++)
                taken += (size_t)kll_insert(s, v[i]);
            ck_assert_uint_eq(taken, n);
            ck_assert(kll_check(s));
            double bound = kll_error(s, 1e-6);
            double worst = worst_error(s, sorted, n, bound);
            ck_assert_msg(worst <= bound, "order %d, n %zu: %g > %g", o, n, worst, bound);
            free(s);
            free(v);
            free(sorted);
        }
}
END_TEST

/* The schedule of compactions knows only counts, so each n checked here is settled for good. */
START_TEST(error_never_exceeds_what_was_said_ahead)
{
    static const uint32_t ks[] = {8, 9, 13, 64, 200, 1000};
    for (int j = 0; j < 6; j++) {
        struct kll *s = sketch(ks[j], 1);
        double ahead = kll_error_ahead(ks[j], 0.01);
        for (int i = 0; i < 300000; i++) {
            kll_insert(s, i);
            if (s->spread * ks[j] * ks[j] > (double)s->n * (double)s->n)
                ck_abort_msg("k %u, after %d", ks[j], i + 1);
        }
        ck_assert_double_le(kll_error(s, 0.01), ahead);
        ck_assert_double_gt(kll_error(s, 0.01), 0.0);
        free(s);
    }
    ck_assert_double_eq_tol(kll_error_ahead(200, 0.01), 0.0163, 0.0001);
}
END_TEST

/* At one place fixed beforehand, over 300 seeds: about one in a hundred may pass the 99 % error. */
START_TEST(error_at_a_fixed_place_keeps_to_what_was_said_ahead)
{
    const size_t n = 20000;
    double *v = stream(RANDOM, n), *sorted = sorted_copy(v, n);
    double ahead = kll_error_ahead(200, 0.01), sum = 0.0;
    int beyond = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct kll *s = sketch(200, seed);
        for (size_t i = 0; i < n; i++)
            kll_insert(s, v[i]);
        double x = sorted[n / 2];
        double e = ((double)kll_rank(s, x) - (double)true_rank(sorted, n, x)) / (double)n;
        beyond += fabs(e) > ahead;
        sum += e;
        free(s);
    }
    ck_assert_int_le(beyond, 12);                /* 4 expected */
    ck_assert_double_le(fabs(sum / 300), 0.002); /* unbiased: one deviation is about .0003 */
    free(v);
    free(sorted);
}
END_TEST

START_TEST(exact_while_all_values_fit)
{
    for (uint32_t k = KLL_MIN_K; k <= 300; k += 73) {
        struct kll *s = sketch(k, 3);
        uint64_t rng = 5;
        double v[300];
        for (uint32_t n = 1; n <= k; n++) {
            v[n - 1] = (double)(mix64_next(&rng) % 50);
            kll_insert(s, v[n - 1]);
            double *sorted = sorted_copy(v, n);
            for (int i = 0; i < 50; i++)
                ck_assert_uint_eq(kll_rank(s, i), true_rank(sorted, n, i));
            for (uint32_t i = 1; i <= n; i++) /* (i - ½)/n: no rounding decides */
                ck_assert_double_eq(kll_quantile(s, (i - 0.5) / n), sorted[i - 1]);
            free(sorted);
        }
        ck_assert_double_eq(kll_error(s, 1e-9), 0.0);
        free(s);
    }
}
END_TEST

START_TEST(quantile_is_the_smallest_value_that_reaches_the_rank)
{
    struct kll *s = sketch(8, 1);
    double v[] = {4, 1, 3, 2, 5};
    for (int i = 0; i < 5; i++)
        kll_insert(s, v[i]);
    ck_assert_double_eq(kll_quantile(s, 0.8), 4);
    ck_assert_double_eq(kll_quantile(s, 0.81), 5);
    ck_assert_double_eq(kll_quantile(s, 0.0), 1);
    ck_assert_double_eq(kll_quantile(s, 1.0), 5);
    free(s);
}
END_TEST

START_TEST(quantile_agrees_with_a_scan_over_all_values_held)
{
    struct kll *s = sketch(50, 9);
    uint64_t rng = 77;
    for (int n = 0; n < 20000; n++) {
        kll_insert(s, (double)(mix64_next(&rng) % 1000));
        if (n % 997) continue;
        kll_rank(s, 0); /* puts level 0 in order before it is read below */
        for (int i = 1; i < 40; i++) {
            double q = i / 40.0, min = INFINITY;
            for (uint32_t j = s->start[0]; j < s->start[s->levels]; j++)
                if ((double)kll_rank(s, s->item[j]) >= q * (double)s->n)
                    min = fmin(min, s->item[j]);
            ck_assert_double_eq(kll_quantile(s, q), fmin(min, s->max));
        }
    }
    free(s);
}
END_TEST

START_TEST(invariants_hold_after_every_insert)
{
    for (uint32_t k = KLL_MIN_K; k < 40; k += 5) {
        struct kll *s = sketch(k, k);
        uint64_t rng = k;
        for (int i = 0; i < 6000; i++) {
            kll_insert(s, (double)(mix64_next(&rng) % 5000));
            if (i % 7 == 0) ck_assert_msg(kll_check(s), "k %u, after %d", k, i);
        }
        free(s);
    }
}
END_TEST

START_TEST(merged_parts_stay_within_bound)
{
    const size_t n = 60000, parts = 7;
    for (int o = 0; o < ORDERS; o++) {
        double *v = stream((enum order)o, n), *sorted = sorted_copy(v, n);
        struct kll *whole = sketch(200, 99);
        double spread = 0.0;
        for (size_t p = 0; p < parts; p++) { /* parts of very different sizes */
            struct kll *part = sketch(200, 100 + p);
            for (size_t i = n * p * p / (parts * parts);
                 i < n * (p + 1) * (p + 1) / (parts * parts); i++)
                kll_insert(part, v[i]);
            ck_assert_int_eq(kll_merge(whole, part), 1);
            ck_assert(kll_check(whole));
            spread += part->spread;
            ck_assert_double_ge(whole->spread, spread); /* their errors came along */
            free(part);
        }
        ck_assert_uint_eq(whole->n, n);
        double bound = kll_error(whole, 1e-6);
        ck_assert_double_le(bound, 0.08);
        ck_assert_double_le(worst_error(whole, sorted, n, bound), bound);
        free(whole);
        free(v);
        free(sorted);
    }
}
END_TEST

START_TEST(merge_into_an_empty_or_small_sketch_keeps_all)
{
    struct kll *small = sketch(16, 1), *big = sketch(16, 2), *empty = sketch(16, 3);
    for (int i = 0; i < 100000; i++)
        kll_insert(big, i);
    for (int i = 0; i < 3; i++)
        kll_insert(small, -1 - i);
    ck_assert(kll_merge(small, big));
    ck_assert(kll_merge(small, empty));
    ck_assert(kll_merge(empty, big));
    ck_assert(kll_check(small) && kll_check(empty));
    ck_assert_uint_eq(small->n, 100003);
    ck_assert_double_eq(kll_quantile(small, 0), -3);
    ck_assert_double_eq(kll_quantile(small, 1), 99999);
    ck_assert_uint_eq(kll_rank(small, 1e9), 100003);
    for (int i = 0; i < 100000; i += 1000)
        ck_assert_uint_eq(kll_rank(empty, i), kll_rank(big, i));
    free(small);
    free(big);
    free(empty);
}
END_TEST

START_TEST(merge_refuses_another_k_and_too_many)
{
    struct kll *a = sketch(16, 1), *b = sketch(17, 1), *c = sketch(16, 2);
    kll_insert(a, 1);
    kll_insert(b, 1);
    kll_insert(c, 1);
    ck_assert_int_eq(kll_merge(a, b), 0);
    c->n = KLL_MAX_COUNT;
    ck_assert_int_eq(kll_merge(a, c), 0);
    ck_assert_int_eq(kll_insert(c, 1), 0);
    ck_assert_uint_eq(a->n, 1);
    ck_assert(kll_check(a));
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(nan_is_refused_and_infinities_are_ordered)
{
    struct kll *s = sketch(8, 1);
    ck_assert(isnan(kll_quantile(s, 0.5)));
    ck_assert_int_eq(kll_insert(s, NAN), 0);
    ck_assert_uint_eq(s->n, 0);
    kll_insert(s, INFINITY);
    kll_insert(s, -INFINITY);
    kll_insert(s, 0);
    ck_assert_double_eq(kll_quantile(s, 0.5), 0);
    ck_assert_uint_eq(kll_rank(s, -INFINITY), 1);
    ck_assert_uint_eq(kll_rank(s, 1e308), 2);
    ck_assert(kll_check(s));
    free(s);
}
END_TEST

START_TEST(same_seed_same_bytes_and_questions_change_no_answer)
{
    struct kll *a = sketch(64, 5), *b = sketch(64, 5), *c = sketch(64, 6);
    uint64_t rng = 3;
    for (int i = 0; i < 50000; i++) {
        double x = (double)mix64_next(&rng);
        kll_insert(a, x);
        kll_insert(b, x);
        kll_insert(c, x);
        if (i % 13 == 0) kll_quantile(b, 0.9); /* b is asked, a is not */
    }
    double q = kll_quantile(a, 0.37);
    ck_assert_double_eq(q, kll_quantile(b, 0.37));
    ck_assert_mem_eq(a, b, kll_bytes(64));
    kll_quantile(c, 0.37);
    ck_assert_mem_ne(a, c, kll_bytes(64));
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(memory_is_what_was_promised)
{
    size_t bytes = kll_bytes(200);
    ck_assert_uint_le(bytes, 8192);
    char *block = malloc(bytes + 64);
    memset(block + bytes, 0x5a, 64);
    struct kll *s = (struct kll *)block;
    kll_init(s, 200, 1);
    for (int i = 0; i < 500000; i++)
        kll_insert(s, i ^ 0x2a5a5);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(block[bytes + i], 0x5a);
    free(block);
}
END_TEST

/* A merge doubles the count each time, so 2^48 values come about in 40 steps. */
START_TEST(holds_as_many_values_as_it_says)
{
    for (uint32_t k = KLL_MIN_K; k <= 256; k *= 2) {
        struct kll *s = sketch(k, 1), *t = malloc(kll_bytes(k));
        for (int i = 0; i < 256; i++)
            kll_insert(s, i);
        for (int step = 8; step < 48; step++) {
            memcpy(t, s, kll_bytes(k));
            ck_assert_int_eq(kll_merge(s, t), 1);
            ck_assert(kll_check(s));
        }
        ck_assert(s->n == KLL_MAX_COUNT);
        ck_assert_int_eq(kll_insert(s, 1), 0);
        ck_assert_int_eq(kll_merge(s, t), 0);
        free(s);
        free(t);
    }
}
END_TEST

START_TEST(check_sees_a_damaged_state)
{
    struct kll *s = sketch(32, 1), *t = malloc(kll_bytes(32));
    for (int i = 0; i < 5000; i++)
        kll_insert(s, i % 177);
    ck_assert(kll_check(s));
#define DAMAGED(CHANGE)                                                                            \
    memcpy(t, s, kll_bytes(32));                                                                   \
    CHANGE;                                                                                        \
    ck_assert_msg(!kll_check(t), #CHANGE)
    DAMAGED(t->n++);
    DAMAGED(t->levels = 60);
    DAMAGED(t->levels = 0);
    DAMAGED(t->k = 33);
    DAMAGED(t->start[1] = 1u << 30);
    DAMAGED(t->start[t->levels]++);
    DAMAGED(t->cap[3]++);
    DAMAGED(t->item[t->start[t->levels] - 1] = NAN);
    DAMAGED(t->item[t->start[t->levels - 1]] = 1e9);
    DAMAGED(t->spread = NAN);
    free(s);
    free(t);
}
END_TEST

LEAT_SUITE("kll", rank_error_within_bound_on_every_order, error_never_exceeds_what_was_said_ahead,
           error_at_a_fixed_place_keeps_to_what_was_said_ahead, exact_while_all_values_fit,
           quantile_is_the_smallest_value_that_reaches_the_rank,
           quantile_agrees_with_a_scan_over_all_values_held, invariants_hold_after_every_insert,
           merged_parts_stay_within_bound, merge_into_an_empty_or_small_sketch_keeps_all,
           merge_refuses_another_k_and_too_many, nan_is_refused_and_infinities_are_ordered,
           same_seed_same_bytes_and_questions_change_no_answer, memory_is_what_was_promised,
           holds_as_many_values_as_it_says, check_sees_a_damaged_state)
