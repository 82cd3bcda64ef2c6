/* test_label_quantile.c -- the built label.quantile: which records are outliers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"
#include "core/mix64.h"

static struct harness *quantile(const char *q, enum leat_column_type type)
{
    struct harness *h = harness_new("labels", "label.quantile");
    harness_column(h, "x", type);
    harness_set(h, "column", "x");
    harness_set(h, "q", q);
    return h;
}

START_TEST(label_is_plus_one_strictly_above_the_quantile_so_far)
{
    struct harness *h = quantile("0.5", LEAT_TEXT);
    harness_open(h, 100);
    /* medians so far, this one included: 5 5 5 5 5 3 3 (lower of two middle ones) */
    static const char *const rows[] = {"5", "9", "5", " 7\t", "5", "-1", "3"};
    static const float expected[] = {-1, 1, -1, 1, -1, -1, -1};
    for (int i = 0; i < 7; i++)
        harness_row(h, rows[i]);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->b.n_sel, 7);
    for (int i = 0; i < 7; i++)
        ck_assert_msg(h->b.label[i] == expected[i], "record %d: %g", i, h->b.label[i]);
    ck_assert_double_eq(harness_metric(h, "threshold"), 5);
    harness_free(h);
}
END_TEST

START_TEST(below_labels_the_smallest)
{
    struct harness *h = quantile("0.3", LEAT_NUMBER);
    harness_set(h, "direction", "below");
    harness_open(h, 1000);
    for (int i = 0; i < 1000; i++) {
        char cell[16];
        sprintf(cell, "%d", i * 377 % 1000);
        harness_row(h, cell);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    int positive = 0;
    for (int i = 500; i < 1000; i++) {
        int x = i * 377 % 1000;
        positive += h->b.label[i] > 0;
        if (x < 260) ck_assert_float_eq(h->b.label[i], 1.0f);
        if (x > 340) ck_assert_float_eq(h->b.label[i], -1.0f);
    }
    ck_assert_int_ge(positive, 130);
    ck_assert_int_le(positive, 170);
    harness_free(h);
}
END_TEST

START_TEST(share_of_positives_is_one_minus_q)
{
    struct harness *h = quantile("0.8", LEAT_NUMBER);
    harness_open(h, 1000);
    uint64_t rng = 42, positive = 0;
    for (int batch = 0; batch < 100; batch++) {
        for (int i = 0; i < 1000; i++) {
            rng = mix64(rng + 1);
            harness_record(h, "");
            h->b.column[0].number[i] = (double)(rng >> 40);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        for (int i = 0; i < 1000; i++)
            positive += h->b.label[i] > 0;
        harness_clear(h);
    }
    ck_assert_double_eq_tol((double)positive / 1e5, 0.2, 0.02);
    harness_free(h);
}
END_TEST

/* Computes it in another way: of the sorted values so far, the one of rank q n. */
START_TEST(while_few_are_positive_each_label_is_that_of_the_exact_quantile)
{
    enum { N = 6000 };
    static const double q[] = {0.997, 0.9999};
    static double sorted[N];
    for (int j = 0; j < 2; j++) {
        char text[16];
        snprintf(text, sizeof text, "%g", q[j]);
        struct harness *h = quantile(text, LEAT_NUMBER);
        harness_open(h, N);
        for (int i = 0; i < N; i++) {
            harness_record(h, "");
            h->b.column[0].number[i] = (double)(mix64((uint64_t)i + 9) >> 40);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        for (int n = 1; n <= N; n++) {
            double x = h->b.column[0].number[n - 1];
            int at = n - 1;
            for (; at && sorted[at - 1] > x; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = x;
            double t = sorted[(int)ceil(q[j] * n) - 1];
            ck_assert_msg(h->b.label[n - 1] == (x > t ? 1 : -1), "q = %g, value %d", q[j], n);
        }
        harness_free(h);
    }
}
END_TEST

/* Value i of n in an order that a threshold may have to follow. */
enum order { RANDOM, RISING, FALLING, BURST_LAST, BURST_FIRST, WAVES, TIES, ORDERS };
static double value_in(enum order o, int i, int n)
{
    double u = (double)(mix64((uint64_t)i + 77) >> 11) * 0x1p-53;
    switch (o) {
    case RISING:
        return i;
    case FALLING:
        return -i;
    case BURST_LAST:
        return u + (i >= n - n / 300 ? 10 : 0);
    case BURST_FIRST:
        return u + (i < n / 300 ? 10 : 0);
    case WAVES:
        return u + i % 6000 / 1000;
    case TIES:
        return floor(300 * u * u);
    default:
        return u;
    }
}

/* True if the share beyond t is that of the page, for the n values so far; at ties, on either
 * side of them. */
static bool is_within(const double *x, int n, double share, double t)
{
    double beyond = 0, ties = 0, wanted = share * n, most = 0.12 * wanted + 1;
    for (int i = 0; i < n; i++)
        beyond += x[i] > t, ties += x[i] == t;
    return beyond <= wanted + most && beyond + ties >= wanted - most;
}

START_TEST(the_share_beyond_the_threshold_is_within_its_error_at_any_moment_in_any_order)
{
    enum { N = 60000, BATCH = 1500 };
    static const char *const qs[] = {"0.5", "0.8", "0.97", "0.99", "0.999"};
    static double x[N];
    int beyond = 0, asked = 0;
    for (int o = 0; o < ORDERS; o++)
        for (size_t j = 0; j < sizeof qs / sizeof *qs; j++) {
            struct harness *h = quantile(qs[j], LEAT_NUMBER);
            harness_open(h, BATCH);
            for (int n = 0; n < N;) {
                for (int i = 0; i < BATCH; i++, n++) {
                    harness_record(h, "");
                    h->b.column[0].number[i] = x[n] = value_in((enum order)o, n, N);
                }
                ck_assert_int_eq(harness_process(h), LEAT_OK);
                double share = 1 - strtod(qs[j], NULL);
                beyond += !is_within(x, n, share, harness_metric(h, "threshold"));
                asked++;
                harness_clear(h);
            }
            harness_free(h);
        }
    ck_assert_int_le(beyond, asked / 100);
}
END_TEST

START_TEST(ties_at_the_threshold_are_negative)
{
    struct harness *h = quantile("0.8", LEAT_TEXT);
    harness_open(h, 200);
    for (int i = 0; i < 200; i++)
        harness_row(h, i % 10 == 9 ? "1" : "0");
    harness_process(h);
    for (int i = 20; i < 200; i++)
        ck_assert_float_eq(h->b.label[i], i % 10 == 9 ? 1.0f : -1.0f);
    harness_free(h);
}
END_TEST

START_TEST(labels_do_not_depend_on_batch_boundaries)
{
    float label[2][600];
    for (int run = 0; run < 2; run++) {
        struct harness *h = quantile("0.9", LEAT_NUMBER);
        harness_open(h, 600);
        for (int i = 0, in_batch = 0; i < 600; i++, in_batch++) {
            if (run == 1 && i % 7 == 0) {
                harness_process(h);
                for (int j = 0; j < in_batch; j++)
                    label[run][i - in_batch + j] = h->b.label[j];
                harness_clear(h);
                in_batch = 0;
            }
            harness_record(h, "");
            h->b.column[0].number[in_batch] = (double)(mix64((uint64_t)i + 1) >> 50);
        }
        harness_process(h);
        for (uint32_t j = 0; j < h->b.n; j++)
            label[run][600 - h->b.n + j] = h->b.label[j];
        harness_free(h);
    }
    ck_assert_mem_eq(label[0], label[1], sizeof label[0]);
}
END_TEST

START_TEST(warmup_only_feeds_the_threshold)
{
    struct harness *h = quantile("0.5", LEAT_TEXT);
    harness_set(h, "warmup", "3");
    harness_open(h, 10);
    static const char *const rows[] = {"1", "", "2", "3", "10", "0"};
    for (int i = 0; i < 6; i++)
        harness_row(h, rows[i]);
    harness_process(h);
    ck_assert_uint_eq(h->b.n_sel, 2);
    ck_assert_uint_eq(h->b.sel[0], 4);
    ck_assert_float_eq(h->b.label[4], 1.0f);
    ck_assert_float_eq(h->b.label[5], -1.0f);
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
}
END_TEST

START_TEST(missing_values_are_filtered_or_rejected)
{
    for (int reject = 0; reject < 2; reject++)
        for (int type = LEAT_TEXT; type <= LEAT_NUMBER; type++) {
            struct harness *h = quantile("0.8", (enum leat_column_type)type);
            harness_set(h, "missing", reject ? "reject" : "filter");
            harness_open(h, 10);
            harness_row(h, "1");
            harness_row(h, "\\N");
            if (type == LEAT_TEXT) {
                harness_row(h, "");
                harness_row(h, "  \t");
            }
            harness_process(h);
            ck_assert_uint_eq(h->b.n_sel, 1);
            for (uint32_t r = 1; r < h->b.n; r++) {
                ck_assert_int_eq(h->b.status[r], reject ? LEAT_ROW_REJECTED : LEAT_ROW_FILTERED);
                if (reject) expect_rejected(h, r, LEAT_R_LABEL, "column 'x' is empty");
            }
            harness_free(h);
        }
}
END_TEST

START_TEST(wrong_numbers_are_rejected_by_name_and_text)
{
    struct harness *h = quantile("0.8", LEAT_TEXT);
    harness_open(h, 10);
    static const char *const rows[] = {
        "abc",   "1.5x", "nan", "-inf",
        "1e999", "0x10", "1 2", "a text that goes on and on, and then on and on"};
    for (int i = 0; i < 8; i++)
        harness_row(h, rows[i]);
    harness_process(h);
    ck_assert_uint_eq(h->b.n_sel, 0);
    expect_rejected(h, 0, LEAT_R_NUMBER, "column 'x': 'abc' is not a number");
    expect_rejected(h, 1, LEAT_R_NUMBER, "column 'x': '1.5x' is not a number");
    expect_rejected(h, 2, LEAT_R_NONFINITE, "column 'x': 'nan' is not finite");
    expect_rejected(h, 3, LEAT_R_NONFINITE, "column 'x': '-inf' is not finite");
    expect_rejected(h, 4, LEAT_R_NONFINITE,
                    "column 'x': '1e999' is too large: the largest number is 1.8e308");
    expect_rejected(h, 5, LEAT_R_NUMBER, "column 'x': '0x10' is not a number");
    expect_rejected(h, 6, LEAT_R_NUMBER, "column 'x': '1 2' is not a number");
    expect_rejected(h, 7, LEAT_R_NUMBER,
                    "column 'x': 'a text that goes on and on, and then on …' is not a number");
    harness_free(h);
}
END_TEST

START_TEST(infinite_cells_are_rejected)
{
    struct harness *h = quantile("0.8", LEAT_NUMBER);
    harness_open(h, 10);
    harness_row(h, "inf");
    harness_row(h, "-inf");
    harness_process(h);
    expect_rejected(h, 0, LEAT_R_NONFINITE, "column 'x': 'inf' is not finite");
    expect_rejected(h, 1, LEAT_R_NONFINITE, "column 'x': '-inf' is not finite");
    ck_assert(isnan(harness_metric(h, "threshold")));
    harness_free(h);
}
END_TEST

START_TEST(label_stage_refuses_wrong_places)
{
    struct harness *h = quantile("0.8", LEAT_TEXT);
    harness_has(h, LEAT_HAS_EXAMPLES);
    expect_errors(h, 1, "put this stage before it");
    h->in.has &= ~(uint32_t)LEAT_HAS_EXAMPLES;
    harness_has(h, LEAT_HAS_LABEL);
    expect_errors(h, 1, "an earlier stage makes labels");
    h->in.has &= ~(uint32_t)LEAT_HAS_LABEL;
    harness_set(h, "column", "y");
    expect_errors(h, 1, "column: there is no column 'y'");
    h->in.open = 1;
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_free(h);
}
END_TEST

START_TEST(q_on_the_wrong_side_is_warned_of)
{
    struct harness *h = quantile("0.2", LEAT_TEXT);
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_int_eq(h->warnings, 1);
    ck_assert(says(h, "q: 0.2 makes 80 % of the records positive"));
    harness_set(h, "direction", "below");
    harness_negotiate(h);
    ck_assert_int_eq(h->warnings, 0);
    harness_free(h);
}
END_TEST

/* 200,000 values of a heavy tail. */
START_TEST(the_share_of_positives_is_right_for_quantiles_near_an_end)
{
    static const char *const qs[] = {"0.5", "0.9", "0.99", "0.999"};
    for (int j = 0; j < 4; j++) {
        struct harness *h = quantile(qs[j], LEAT_NUMBER);
        harness_open(h, 1000);
        uint64_t rng = 42;
        double positive = 0, wanted = (1 - strtod(qs[j], NULL)) * 200000;
        for (int batch = 0; batch < 200; batch++) {
            for (int i = 0; i < 1000; i++) {
                rng = mix64(rng + 1);
                harness_record(h, "");
                h->b.column[0].number[i] = pow((double)(rng >> 11) * 0x1p-53 + 1e-17, -1.5);
            }
            ck_assert_int_eq(harness_process(h), LEAT_OK);
            for (int i = 0; i < 1000; i++)
                positive += h->b.label[i] > 0;
            harness_clear(h);
        }
        ck_assert_msg(fabs(positive / wanted - 1) < 0.2, "q %s: %g, not %g", qs[j], positive,
                      wanted);
        harness_free(h);
    }
}
END_TEST

START_TEST(label_stage_takes_what_it_planned_and_says_when_it_gets_none)
{
    struct harness *h = quantile("0.8", LEAT_TEXT);
    harness_negotiate(h);
    struct leat_plan plan = harness_plan(h);
    ck_assert(strstr(plan.note, "99 %") != NULL);
    h->allocs_left = 0;
    ck_assert_int_eq(harness_open(h, 1), LEAT_ENOMEM);
    ck_assert(says(h, "k = 1024"));
    h->allocs_left = -1;
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    ck_assert_uint_eq(h->allocated, plan.state_bytes);
    harness_free(h);
}
END_TEST

LEAT_SUITE("label_quantile", label_is_plus_one_strictly_above_the_quantile_so_far,
           below_labels_the_smallest, share_of_positives_is_one_minus_q,
           while_few_are_positive_each_label_is_that_of_the_exact_quantile,
           the_share_beyond_the_threshold_is_within_its_error_at_any_moment_in_any_order,
           ties_at_the_threshold_are_negative, labels_do_not_depend_on_batch_boundaries,
           warmup_only_feeds_the_threshold, missing_values_are_filtered_or_rejected,
           wrong_numbers_are_rejected_by_name_and_text, infinite_cells_are_rejected,
           label_stage_refuses_wrong_places, q_on_the_wrong_side_is_warned_of,
           the_share_of_positives_is_right_for_quantiles_near_an_end,
           label_stage_takes_what_it_planned_and_says_when_it_gets_none)
