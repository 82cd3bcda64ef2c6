/* test_adwin.c -- ADWIN against a window of all numbers, and the promises of its paper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/drift/adwin.h"
#include "support/random.h"
#include "support/suite.h"

/* ---- the naive twin, with every number ---- */

enum { MAX = 60000 };

static struct {
    double x[MAX];
    int n;         /* numbers, the oldest first */
    int size[MAX]; /* sizes of the buckets, the oldest first */
    int buckets;
} slow;

static void slow_drop_oldest(void)
{
    int k = slow.size[0];
    memmove(slow.x, slow.x + k, (size_t)(slow.n -= k) * sizeof *slow.x);
    memmove(slow.size, slow.size + 1, (size_t)--slow.buckets * sizeof *slow.size);
}

/* If more than ADWIN_BUCKETS have one size, the two oldest of that size become one. */
static void slow_compress(void)
{
    for (int size = 1; size < MAX; size *= 2) {
        int first = 0, n = 0;
        for (int b = slow.buckets; b-- > 0;)
            if (slow.size[b] == size) first = b, n++;
        if (n <= ADWIN_BUCKETS) return;
        slow.size[first] = 2 * size;
        memmove(slow.size + first + 1, slow.size + first + 2,
                (size_t)(--slow.buckets - first - 1) * sizeof *slow.size);
    }
}

static void slow_add(double x)
{
    slow.x[slow.n++] = x;
    slow.size[slow.buckets++] = 1;
    slow_compress();
}

static double mean_of(int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += slow.x[i];
    return sum / (to - from);
}

/* Returns how many numbers follow the cut at which the means differ most for their bound; 0 without
 * a change. */
static int slow_cut(double delta)
{
    double mean = mean_of(0, slow.n), variance = 0, most = 1;
    int newer = 0;
    for (int i = 0; i < slow.n; i++)
        variance += (slow.x[i] - mean) * (slow.x[i] - mean) / slow.n;
    for (int b = 0, cut = 0; b < slow.buckets; b++) {
        cut += slow.size[b];
        int n0 = cut, n1 = slow.n - cut;
        if (n0 < ADWIN_MIN || n1 < ADWIN_MIN) continue;
        double m = 1 / (1.0 / n0 + 1.0 / n1), l = log(2 / (delta / log(slow.n)));
        double bound = sqrt(2 / m * variance * l) + 2 / (3 * m) * l;
        double ratio = fabs(mean_of(0, cut) - mean_of(cut, slow.n)) / bound;
        if (ratio <= most) continue;
        most = ratio;
        newer = n1;
    }
    return newer;
}

static int slow_check(double delta)
{
    int before = slow.n;
    while (slow.n >= 2 * ADWIN_MIN && slow_cut(delta))
        slow_drop_oldest();
    return before - slow.n;
}

START_TEST(the_window_is_that_of_one_that_keeps_every_number)
{
    static const double means[] = {0.1, 0.3, 0.28, 0.9, 0.05, 0.5};
    struct adwin a;
    uint64_t s = seed_given();
    int drops = 0;
    adwin_init(&a, 0.01);
    for (int t = 0; t < 6000; t++) {
        double mean = means[t / 1000],
               x = t % 2 ? uniform(&s, 0, 1) < mean : uniform(&s, 0, 2 * mean);
        x = x > 1 ? 1 : x;
        adwin_add(&a, x);
        slow_add(x);
        if (t % 7) continue;
        struct adwin_change change;
        int cut = slow.n >= 2 * ADWIN_MIN ? slow_cut(0.01) : 0, n = slow.n;
        double before = cut ? mean_of(0, n - cut) : 0, after = cut ? mean_of(n - cut, n) : 0;
        int want = slow_check(0.01);
        ck_assert_int_eq(adwin_check(&a, &change), want > 0);
        ck_assert_double_eq(change.dropped, want);
        ck_assert_double_eq(change.newer, cut);
        ck_assert_double_eq_tol(change.before, before, 1e-12);
        ck_assert_double_eq_tol(change.after, after, 1e-12);
        struct adwin_part now = adwin_window(&a);
        ck_assert_double_eq(now.n, slow.n);
        ck_assert_double_eq_tol(adwin_mean(&now), mean_of(0, slow.n), 1e-12);
        drops += want > 0;
    }
    ck_assert_int_ge(drops, 4);
    ck_assert_ptr_null(adwin_broken(&a));
}
END_TEST

START_TEST(a_stationary_window_keeps_all_its_numbers_in_few_buckets)
{
    struct adwin a;
    uint64_t s = 3;
    adwin_init(&a, 1e-6);
    for (int t = 0; t < 1000000; t++)
        adwin_add(&a, uniform(&s, 0, 1));
    uint32_t buckets = 0;
    for (int l = 0; l < ADWIN_LEVELS; l++)
        buckets += a.used[l];
    struct adwin_part all = adwin_window(&a);
    struct adwin_change change;
    ck_assert_uint_le(buckets, ADWIN_BUCKETS * 20);
    ck_assert_double_eq(all.n, 1000000);
    ck_assert_double_eq_tol(adwin_mean(&all), 0.5, 2e-3);
    ck_assert_double_eq_tol(all.square / all.n, 1 / 12.0, 1e-3);
    ck_assert(!adwin_check(&a, &change));
}
END_TEST

/* At each check, the chance of a false alarm is at most delta. */
START_TEST(false_alarms_at_a_check_are_rarer_than_delta)
{
    static const double means[] = {0.02, 0.2, 0.5, 0.9};
    for (int k = 0; k < 4; k++) {
        uint64_t s = seed_given() + (uint64_t)k;
        int checks = 0, alarms = 0;
        for (int run = 0; run < 60; run++) {
            struct adwin a;
            adwin_init(&a, 0.05);
            for (int t = 1; t <= 4000; t++) {
                struct adwin_change change;
                adwin_add(&a, uniform(&s, 0, 1) < means[k]);
                if (t % 32) continue;
                checks++;
                alarms += adwin_check(&a, &change);
            }
        }
        ck_assert_msg(alarms <= 0.05 * checks, "mean %g: %d of %d", means[k], alarms, checks);
    }
}
END_TEST

/* Returns three times the numbers after the change that the bound requires, because chance may hide
 * a part. */
static int numbers_needed(double delta, double n0, double before, double after)
{
    for (int n1 = ADWIN_MIN;; n1++) {
        double mean = (n0 * before + n1 * after) / (n0 + n1);
        if (fabs(after - before) > adwin_bound(delta, mean * (1 - mean), n0, n1)) return 3 * n1;
    }
}

START_TEST(a_change_is_found_within_the_delay_of_the_theory)
{
    static const double change[][2] = {{0.1, 0.3}, {0.5, 0.6}, {0.02, 0.1}, {0.4, 0.1}};
    uint64_t s = seed_given();
    for (int k = 0; k < 4; k++) {
        int late = 0, runs = 60, need = numbers_needed(0.002, 4000, change[k][0], change[k][1]);
        for (int run = 0; run < runs; run++) {
            struct adwin a;
            struct adwin_change c;
            int found = 0;
            adwin_init(&a, 0.002);
            for (int t = 0; t < 4000; t++)
                adwin_add(&a, uniform(&s, 0, 1) < change[k][0]);
            for (int t = 1; t <= need && !found; t++) {
                adwin_add(&a, uniform(&s, 0, 1) < change[k][1]);
                if (adwin_check(&a, &c)) found = t;
            }
            late += !found;
            if (found) ck_assert((c.after > c.before) == (change[k][1] > change[k][0]));
            if (found) ck_assert_double_eq_tol(c.before, change[k][0], 0.06);
        }
        ck_assert_msg(late <= runs / 20, "%g to %g: %d of %d late", change[k][0], change[k][1],
                      late, runs);
    }
}
END_TEST

START_TEST(after_a_change_the_window_forgets_what_was_before)
{
    struct adwin a;
    struct adwin_change change;
    uint64_t s = 5;
    adwin_init(&a, 0.002);
    for (int t = 0; t < 20000; t++) {
        adwin_add(&a, uniform(&s, 0, 1) < (t < 10000 ? 0.1 : 0.4));
        if (t % 32 == 0) adwin_check(&a, &change);
    }
    struct adwin_part now = adwin_window(&a);
    ck_assert_double_eq_tol(adwin_mean(&now), 0.4, 0.02);
    ck_assert_msg(now.n < 10400 && now.n > 9000, "%g", now.n);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct adwin a;
    struct adwin_change c;
    static const uint32_t used[] = {4, 4, 5, 4, 0};
    adwin_init(&a, 0.002);
    for (int t = 0; t < 64; t++)
        adwin_add(&a, 0);
    for (int l = 0; l < 5; l++)
        ck_assert_uint_eq(a.used[l], used[l]);
    for (int t = 0; t < 12; t++)
        adwin_add(&a, 1);
    ck_assert(!adwin_check(&a, &c));
    adwin_add(&a, 1);
    struct adwin_part all = adwin_window(&a);
    ck_assert(all.n == 77);
    ck_assert_double_eq_tol(all.square / all.n, 0.140, 5e-4);
    ck_assert_double_eq_tol(adwin_bound(0.002, all.square / all.n, 64, 13), 0.983, 5e-4);
    ck_assert(adwin_check(&a, &c));
    ck_assert(c.newer == 13 && c.before == 0 && c.after == 1 && c.dropped == 16);
    all = adwin_window(&a);
    ck_assert(all.n == 61);
    ck_assert_double_eq_tol(adwin_mean(&all), 0.213, 5e-4);
}
END_TEST

LEAT_SUITE("adwin", the_window_is_that_of_one_that_keeps_every_number,
           a_stationary_window_keeps_all_its_numbers_in_few_buckets,
           false_alarms_at_a_check_are_rarer_than_delta,
           a_change_is_found_within_the_delay_of_the_theory,
           after_a_change_the_window_forgets_what_was_before,
           the_example_of_the_header_is_what_happens)
