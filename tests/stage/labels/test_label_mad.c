/* test_label_mad.c -- the built label.mad, and stages that add to each other's outliers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *mad(const char *factor, const char *direction)
{
    struct harness *h = harness_new("labels", "label.mad");
    harness_column(h, "x", LEAT_NUMBER);
    harness_set(h, "column", "x");
    harness_set(h, "factor", factor);
    harness_set(h, "direction", direction);
    return h;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the lower median of v[0 .. n), which it sorts. */
static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return v[(n + 1) / 2 - 1];
}

/* Computes the label of the last of n values in another way: sorts values and distances. */
static float sorted_label(const double *value, size_t n, double factor)
{
    static double v[256];
    memcpy(v, value, n * sizeof *v);
    double m = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(value[i] - m);
    double d = median(v, n);
    return d > 0 && fabs(value[n - 1] - m) > factor * 1.4826 * d ? 1 : -1;
}

START_TEST(each_label_is_that_of_the_sorted_values_so_far)
{
    enum { N = 256 };
    static double value[N];
    struct harness *h = mad("2", "both");
    ck_assert_int_eq(harness_open(h, N), LEAT_OK);
    for (int i = 0; i < N; i++) {
        value[i] = tan((double)(mix64((uint64_t)i + 5) >> 40) * 0x1p-24 * 3); /* long tails */
        harness_record(h, "");
        h->b.column[0].number[i] = value[i];
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    int positive = 0;
    for (int i = 0; i < N; i++) {
        ck_assert_msg(h->b.label[i] == sorted_label(value, (size_t)i + 1, 2), "value %d", i);
        positive += h->b.label[i] > 0;
    }
    ck_assert_int_gt(positive, 20);
    ck_assert_double_eq(harness_metric(h, "positive"), positive);
    ck_assert_double_eq(harness_metric(h, "beyond"), positive);
    harness_free(h);
}
END_TEST

START_TEST(a_direction_labels_one_side)
{
    static const char *const rows[] = {"1", "2", "3", "4", "5", "99", "-99"};
    for (int above = 0; above < 2; above++) {
        struct harness *h = mad("3", above ? "above" : "below");
        harness_open(h, 7);
        for (int i = 0; i < 7; i++)
            harness_row(h, rows[i]);
        harness_process(h);
        ck_assert_float_eq(h->b.label[5], above ? 1 : -1);
        ck_assert_float_eq(h->b.label[6], above ? -1 : 1);
        harness_free(h);
    }
}
END_TEST

START_TEST(with_a_mad_of_0_nothing_is_an_outlier)
{
    struct harness *h = mad("3", "both");
    harness_open(h, 10);
    for (int i = 0; i < 9; i++)
        harness_row(h, i % 3 == 2 ? "1000" : "5");
    harness_process(h);
    for (int i = 0; i < 9; i++)
        ck_assert_float_eq(h->b.label[i], -1);
    ck_assert_double_eq(harness_metric(h, "mad"), 0);
    harness_free(h);
}
END_TEST

/* Opens a stage for 7 records, whose labels are `before`; NAN: unknown. */
static struct harness *adding(const char *missing)
{
    static const float before[] = {-1, -1, -1, -1, 1, NAN, NAN, 1, NAN, -1};
    static const char *const rows[] = {"1", "2", "3", "4", "5", "3", "99", "\\N", "\\N", "\\N"};
    struct harness *h = mad("3", "both");
    harness_has(h, LEAT_HAS_LABEL);
    harness_set(h, "adds", "true");
    harness_set(h, "missing", missing);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (int i = 0; i < 10; i++) {
        harness_row(h, rows[i]);
        h->b.label[i] = before[i];
    }
    harness_process(h);
    return h;
}

START_TEST(a_record_is_an_outlier_if_one_stage_says_so_and_none_if_all_know)
{
    static const float want[] = {-1, -1, -1, -1, 1, NAN, 1, 1, NAN, NAN};
    for (int keeps = 0; keeps < 2; keeps++) {
        struct harness *h = adding(keeps ? "keep" : "filter");
        for (int i = 0; i < 10; i++) {
            if (!isnan(want[i])) ck_assert_float_eq(h->b.label[i], want[i]);
            ck_assert_int_eq(isnan(h->b.label[i]), isnan(want[i]));
            ck_assert_int_eq(h->b.status[i],
                             isnan(want[i]) && !keeps ? LEAT_ROW_FILTERED : h->b.status[0]);
        }
        ck_assert_double_eq(harness_metric(h, "labelled"), 7);
        ck_assert_double_eq(harness_metric(h, "positive"), 3);
        ck_assert_double_eq(harness_metric(h, "beyond"), 1);
        ck_assert_double_eq(harness_metric(h, "without_value"), 3);
        harness_free(h);
    }
}
END_TEST

START_TEST(without_labels_there_is_nothing_to_add_to)
{
    struct harness *h = mad("3", "both");
    harness_set(h, "adds", "true");
    expect_errors(h, 1, "adds: no earlier stage makes labels: leave out adds");
    harness_free(h);
}
END_TEST

START_TEST(values_at_the_ends_of_doubles_stay_finite)
{
    struct harness *h = mad("3", "both");
    harness_open(h, 9);
    for (int i = 0; i < 9; i++)
        harness_row(h, i % 2 ? "1.7e308" : "-1.7e308");
    harness_process(h);
    ck_assert(isfinite(harness_metric(h, "mad")));
    harness_free(h);
}
END_TEST

static struct harness *some_mad(void) { return mad("3", "both"); }

START_TEST(failed_allocations_are_told) { expect_failed_allocations_told(some_mad); }
END_TEST

LEAT_SUITE("label_mad", each_label_is_that_of_the_sorted_values_so_far, a_direction_labels_one_side,
           with_a_mad_of_0_nothing_is_an_outlier,
           a_record_is_an_outlier_if_one_stage_says_so_and_none_if_all_know,
           without_labels_there_is_nothing_to_add_to, values_at_the_ends_of_doubles_stay_finite,
           failed_allocations_are_told)
