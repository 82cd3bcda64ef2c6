/* test_labels.c -- label.is, label.class and label.number: the labels of records. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *labels(const char *stage, enum leat_column_type type)
{
    struct harness *h = harness_new("labels", stage);
    harness_column(h, "other", LEAT_TEXT);
    harness_column(h, "y", type);
    harness_set(h, "column", "y");
    return h;
}

START_TEST(is_compares_bytes_with_each_of_the_positive_texts)
{
    struct harness *h = labels("label.is", LEAT_TEXT);
    static const char *const rows[] = {"x|spam",  "x|ham",  "x|Spam",
                                       "x|spam ", "x|scam", "spam|spa"};
    static const float want[] = {1, -1, -1, -1, 1, -1};
    harness_set(h, "positive", "spam,scam");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (int i = 0; i < 6; i++)
        harness_row(h, rows[i]);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(h->b.label[i] == want[i], "%s: %g", rows[i], (double)h->b.label[i]);
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
}
END_TEST

START_TEST(classes_are_numbered_in_their_order_and_named_in_the_schema)
{
    static const char *const rows[] = {"x|b", "x|a", "x|c", "x|B", "x|", "x|ab"};
    for (int filter = 0; filter < 2; filter++) {
        struct harness *h = labels("label.class", LEAT_TEXT);
        harness_set(h, "classes", "a,b,c");
        if (filter) harness_set(h, "others", "filter");
        ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
        ck_assert_uint_eq(h->out.n_classes, 3);
        ck_assert_str_eq(h->out.classes[1], "b");
        for (int i = 0; i < 6; i++)
            harness_row(h, rows[i]);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert(h->b.label[0] == 1 && h->b.label[1] == 0 && h->b.label[2] == 2);
        ck_assert_uint_eq(h->b.n_sel, 3);
        ck_assert_uint_eq(h->n_rejections, filter ? 1 : 3); /* the empty one is always rejected */
        if (!filter)
            ck_assert_str_eq(harness_rejected(h, 3)->text,
                             "column 'y': 'B' is not one of the classes");
        harness_free(h);
    }
}
END_TEST

START_TEST(classes_must_differ_and_be_two_at_least)
{
    static const char *const wrong[] = {"a", "a,b,a"};
    for (int i = 0; i < 2; i++) {
        struct harness *h = labels("label.class", LEAT_TEXT);
        harness_set(h, "classes", wrong[i]);
        expect_errors(h, 1, "classes");
        harness_free(h);
    }
}
END_TEST

START_TEST(number_takes_the_number_and_rejects_what_is_none)
{
    struct harness *h = labels("label.number", LEAT_TEXT);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    static const char *const rows[] = {"x|1", "x| -1 ", "x|0.25", "x|yes", "x|1e39", "x|inf"};
    for (int i = 0; i < 6; i++)
        harness_row(h, rows[i]);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert(h->b.label[0] == 1 && h->b.label[1] == -1 && h->b.label[2] == 0.25f);
    ck_assert_uint_eq(h->n_rejections, 3);
    ck_assert_int_eq(harness_rejected(h, 3)->reason, LEAT_R_NUMBER);
    ck_assert_int_eq(harness_rejected(h, 4)->reason, LEAT_R_LABEL);
    ck_assert_int_eq(harness_rejected(h, 5)->reason, LEAT_R_NONFINITE);
    harness_free(h);
}
END_TEST

START_TEST(an_origin_is_subtracted_before_rounding)
{
    struct harness *h = labels("label.number", LEAT_TEXT);
    harness_set(h, "origin", "1700000000");
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    harness_row(h, "x|1700000000.125");
    harness_row(h, "x|1699999999");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert(h->b.label[0] == 0.125f && h->b.label[1] == -1);
    harness_free(h);
}
END_TEST

START_TEST(number_reads_columns_of_numbers_too)
{
    struct harness *h = labels("label.number", LEAT_NUMBER);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_row(h, "x|-1");
    harness_row(h, "x|\\N");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert(h->b.label[0] == -1);
    ck_assert_str_eq(harness_rejected(h, 1)->text, "column 'y' is empty");
    harness_free(h);
}
END_TEST

START_TEST(a_missing_label_is_rejected_or_filtered)
{
    static const char *const stage[] = {"label.is", "label.number"};
    for (int i = 0; i < 4; i++) {
        struct harness *h = labels(stage[i & 1], LEAT_TEXT);
        if (!(i & 1)) harness_set(h, "positive", "1");
        harness_set(h, "missing", i & 2 ? "filter" : "reject");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        harness_row(h, "x|");
        harness_row(h, "x|\\N");
        harness_row(h, "x|1");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->b.n_sel, 1);
        ck_assert_uint_eq(h->b.sel[0], 2);
        ck_assert(h->b.label[2] == 1);
        ck_assert_uint_eq(h->n_rejections, i & 2 ? 0 : 2);
        if (!(i & 2)) ck_assert_int_eq(harness_rejected(h, 0)->reason, LEAT_R_LABEL);
        harness_free(h);
    }
}
END_TEST

static float label_of(enum leat_column_type type, const char *positive, const char *cell)
{
    struct harness *h = labels("label.is", type);
    harness_set(h, "positive", positive);
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    char row[64];
    snprintf(row, sizeof row, "x|%s", cell);
    harness_row(h, row);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    float label = h->b.label[0];
    harness_free(h);
    return label;
}

START_TEST(is_compares_the_text_of_values_of_other_types)
{
    ck_assert_float_eq(label_of(LEAT_NUMBER, "1", "1.0"), 1.0f);
    ck_assert_float_eq(label_of(LEAT_NUMBER, "1.0", "1.0"), -1.0f);
    ck_assert_float_eq(label_of(LEAT_INT64, "9007199254740993", "9007199254740993"), 1.0f);
    ck_assert_float_eq(label_of(LEAT_BOOLEAN, "true", "true"), 1.0f);
    ck_assert_float_eq(label_of(LEAT_BOOLEAN, "true", "false"), -1.0f);
    ck_assert_float_eq(label_of(LEAT_TIME, "1970-01-01T00:00:01Z", "1000000000"), 1.0f);
}
END_TEST

START_TEST(what_cannot_work_is_said_before_the_start)
{
    struct harness *h = labels("label.is", LEAT_TEXT);
    harness_set(h, "positive", "");
    expect_errors(h, 1, "no record would be labelled");
    harness_free(h);
    h = labels("label.number", LEAT_TEXT);
    harness_has(h, LEAT_HAS_LABEL);
    expect_errors(h, 1, "earlier stage makes labels");
    harness_free(h);
    h = labels("label.number", LEAT_TEXT);
    harness_set(h, "column", "z");
    ck_assert_int_ge(harness_negotiate(h), 1);
    harness_free(h);
}
END_TEST

LEAT_SUITE("labels", classes_are_numbered_in_their_order_and_named_in_the_schema,
           classes_must_differ_and_be_two_at_least,
           is_compares_bytes_with_each_of_the_positive_texts,
           number_takes_the_number_and_rejects_what_is_none,
           an_origin_is_subtracted_before_rounding, number_reads_columns_of_numbers_too,
           a_missing_label_is_rejected_or_filtered, is_compares_the_text_of_values_of_other_types,
           what_cannot_work_is_said_before_the_start)
