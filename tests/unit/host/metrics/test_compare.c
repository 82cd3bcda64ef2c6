/* test_compare.c -- the paired comparison against a paired bootstrap over single records.
 *
 * It is also compared with normal theory, and with streams whose true difference is known. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/metrics/compare.h"
#include "support/random.h"

enum { MAX = 20000 };

static uint64_t state;

/* Losses of two learners, which share most of their noise. */
struct losses {
    int n;
    double a[MAX], b[MAX];
};
static struct losses drawn;

static void draw(int n, double gap)
{
    drawn.n = n;
    for (int i = 0; i < n; i++) {
        double hard = normal(&state);
        drawn.a[i] = pow(hard + 0.3 * normal(&state), 2);
        drawn.b[i] = pow(hard + 0.3 * normal(&state), 2) + gap;
    }
}

static void feed(struct compare *a, struct compare *b)
{
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    for (int i = 0; i < drawn.n; i++) {
        compare_add(a, (uint64_t)i, (float)(i % 5), 1, drawn.a[i], sqrt(drawn.a[i]));
        compare_add(b, (uint64_t)i, (float)(i % 5), 1, drawn.b[i], sqrt(fabs(drawn.b[i])));
    }
}

static struct compare a, b;

/* Returns false if they differ. */
static bool compare_two(const struct compare *x, const struct compare *y, enum compare_measure m,
                        struct compare_result *r)
{
    static struct compare_draws of_x, of_y;
    compare_draw(x, &of_x);
    compare_draw(y, &of_y);
    if (!compare_alike(x, y)) return false;
    compare_learners(x, &of_x, y, &of_y, m, r);
    return true;
}

static struct compare_result compared(enum compare_measure m)
{
    struct compare_result r;
    feed(&a, &b);
    ck_assert_int_eq(compare_two(&a, &b, m, &r), 1);
    return r;
}

static double mean_difference(double *variance)
{
    double mean = 0, square = 0;
    for (int i = 0; i < drawn.n; i++)
        mean += (drawn.a[i] - drawn.b[i]) / drawn.n;
    for (int i = 0; i < drawn.n; i++)
        square += pow(drawn.a[i] - drawn.b[i] - mean, 2);
    *variance = square / (drawn.n - 1.0) / drawn.n;
    return mean;
}

START_TEST(interval_of_a_mean_is_that_of_normal_theory)
{
    static const int lengths[] = {200, 1000, 5000, MAX};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        state = k;
        draw(lengths[k], 0.02);
        struct compare_result r = compared(COMPARE_LOSS);
        double variance, mean = mean_difference(&variance), half = 1.96 * sqrt(variance);
        ck_assert_double_eq_tol(r.difference, mean, 1e-12);
        ck_assert_double_eq_tol(r.low, mean - half, 0.2 * half);
        ck_assert_double_eq_tol(r.high, mean + half, 0.2 * half);
    }
}
END_TEST

static int ascending(const void *x, const void *y)
{
    double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}

/* Returns the 95 % percentile interval of the difference of root means over records drawn one by
 * one. */
static void exact_bootstrap(double *low, double *high)
{
    enum { DRAWS = 2000 };
    static double d[DRAWS];
    for (int k = 0; k < DRAWS; k++) {
        double of_a = 0, of_b = 0;
        for (int i = 0; i < drawn.n; i++) {
            int j = (int)(uniform(&state, 0, 1) * drawn.n);
            of_a += drawn.a[j];
            of_b += drawn.b[j];
        }
        d[k] = sqrt(of_a / drawn.n) - sqrt(of_b / drawn.n);
    }
    qsort(d, DRAWS, sizeof *d, ascending);
    *low = d[DRAWS / 40];
    *high = d[DRAWS - DRAWS / 40];
}

START_TEST(interval_of_a_root_mean_is_that_of_a_bootstrap_over_single_records)
{
    for (uint64_t seed = 10; seed < 13; seed++) {
        state = seed;
        draw(4000, 0.01);
        double low, high;
        struct compare_result r = compared(COMPARE_ROOT_LOSS);
        exact_bootstrap(&low, &high);
        ck_assert_double_eq_tol(r.low, low, 0.1 * (high - low));
        ck_assert_double_eq_tol(r.high, high, 0.1 * (high - low));
    }
}
END_TEST

/* 300 streams: 95 % of 300 is 285 with a standard deviation of 3.8. */
START_TEST(interval_covers_the_true_difference_as_often_as_it_says)
{
    int covered = 0;
    state = 77;
    for (int k = 0; k < 300; k++) {
        draw(600, 0.05);
        struct compare_result r = compared(COMPARE_LOSS);
        covered += r.low <= -0.05 && -0.05 <= r.high;
    }
    ck_assert_msg(covered >= 270 && covered <= 297, "%d of 300", covered);
}
END_TEST

START_TEST(pairing_narrows_the_interval)
{
    state = 5;
    draw(MAX, 0);
    struct compare_result paired = compared(COMPARE_LOSS);
    for (int i = 0; i < MAX / 2; i++) { /* b's losses on other records */
        double t = drawn.b[i];
        drawn.b[i] = drawn.b[MAX - 1 - i];
        drawn.b[MAX - 1 - i] = t;
    }
    struct compare_result apart = compared(COMPARE_LOSS);
    ck_assert_double_eq_tol(apart.difference, paired.difference, 1e-12);
    ck_assert(apart.high - apart.low > 2 * (paired.high - paired.low));
}
END_TEST

START_TEST(verdict_names_the_better_one_only_when_zero_is_outside)
{
    state = 6;
    draw(MAX, 0.1);
    struct compare_result r = compared(COMPARE_LOSS);
    ck_assert_int_eq(compare_verdict(&r), -1);
    struct compare_result reversed;
    ck_assert_int_eq(compare_two(&b, &a, COMPARE_LOSS, &reversed), 1);
    ck_assert_int_eq(compare_verdict(&reversed), 1);
    ck_assert(reversed.low == -r.high && reversed.high == -r.low);
    memcpy(drawn.b, drawn.a, sizeof drawn.b);
    r = compared(COMPARE_LOSS);
    ck_assert(r.difference == 0 && r.low == 0 && r.high == 0);
    ck_assert_int_eq(compare_verdict(&r), 0);
}
END_TEST

START_TEST(learners_that_saw_other_examples_are_not_compared)
{
    struct compare_result r;
    state = 8;
    draw(100, 0);
    feed(&a, &b);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 1);
    compare_add(&a, 100, 1, 1, 0.5, 1);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 0); /* one more */
    struct compare had = b;
    compare_add(&b, 101, 1, 1, 0.5, 1);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 0); /* another record */
    b = had;
    compare_add(&b, 100, -1, 1, 0.5, 1);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 0); /* another label */
    b = had;
    compare_add(&b, 100, 1, 2, 0.5, 1);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 0); /* another weight */
    b = had;
    compare_add(&b, 100, 1, 1, 0.7, 1);
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &r), 1); /* losses may differ */
    memset(&a, 0, sizeof a);
    ck_assert_int_eq(compare_two(&a, &a, COMPARE_LOSS, &r), 0); /* no examples */
}
END_TEST

START_TEST(few_records_give_a_difference_and_no_interval)
{
    state = 9;
    draw(20, 10);
    struct compare_result r = compared(COMPARE_LOSS);
    ck_assert(r.difference < -5 && isnan(r.low) && isnan(r.high));
    ck_assert_int_eq(compare_verdict(&r), 0);
}
END_TEST

/* Ten equal examples of each record are as much evidence as one. */
START_TEST(examples_of_one_record_count_as_one_piece_of_evidence)
{
    state = 12;
    draw(3000, 0.02);
    struct compare_result once = compared(COMPARE_LOSS), tenfold;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    for (int i = 0; i < 10 * drawn.n; i++) {
        compare_add(&a, (uint64_t)i / 10, 0, 1, drawn.a[i / 10], 0);
        compare_add(&b, (uint64_t)i / 10, 0, 1, drawn.b[i / 10], 0);
    }
    ck_assert_int_eq(compare_two(&a, &b, COMPARE_LOSS, &tenfold), 1);
    ck_assert_double_eq_tol(tenfold.high - tenfold.low, once.high - once.low,
                            0.1 * (once.high - once.low));
}
END_TEST

/* Each half numbers its records from 0. */
START_TEST(two_halves_merged_are_compared_like_the_whole)
{
    draw(MAX, 0.1);
    struct compare_result whole = compared(COMPARE_LOSS), merged;
    static struct compare half[2][2];
    memset(half, 0, sizeof half);
    for (int i = 0; i < MAX; i++) {
        int h = i >= MAX / 3;
        uint64_t record = (uint64_t)(h ? i - MAX / 3 : i);
        compare_add(&half[0][h], record, (float)(i % 5), 1, drawn.a[i], 0);
        compare_add(&half[1][h], record, (float)(i % 5), 1, drawn.b[i], 0);
    }
    compare_merge(&half[0][0], &half[0][1]);
    compare_merge(&half[1][1], &half[1][0]); /* in the other order: the same examples */
    ck_assert_int_eq(compare_two(&half[0][0], &half[1][1], COMPARE_LOSS, &merged), 1);
    ck_assert_double_eq_tol(merged.difference, whole.difference, 1e-12);
    ck_assert_double_eq_tol(merged.high - merged.low, whole.high - whole.low,
                            0.2 * (whole.high - whole.low));
    ck_assert_int_eq(compare_verdict(&merged), compare_verdict(&whole));
    ck_assert_int_eq(compare_two(&half[0][1], &half[1][1], COMPARE_LOSS, &merged), 0);
}
END_TEST

LEAT_SUITE("compare", interval_of_a_mean_is_that_of_normal_theory,
           interval_of_a_root_mean_is_that_of_a_bootstrap_over_single_records,
           interval_covers_the_true_difference_as_often_as_it_says, pairing_narrows_the_interval,
           verdict_names_the_better_one_only_when_zero_is_outside,
           learners_that_saw_other_examples_are_not_compared,
           few_records_give_a_difference_and_no_interval,
           examples_of_one_record_count_as_one_piece_of_evidence,
           two_halves_merged_are_compared_like_the_whole)
