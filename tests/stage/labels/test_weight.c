/* test_weight.c -- label.weight: the weights of records and their examples. */
#include <math.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/random.h"
#include "support/suite.h"

static struct harness *weights(const char *column, const char *classes)
{
    struct harness *h = harness_new("labels", "label.weight");
    harness_column(h, "w", LEAT_TEXT);
    harness_has(h, LEAT_HAS_LABEL);
    if (column) harness_set(h, "column", column);
    if (classes) harness_set(h, "classes", classes);
    return h;
}

/* Returns the weight that a record of this label gets; -1 if it is rejected. */
static float weight_of(struct harness *h, const char *cell, float label)
{
    harness_clear(h);
    h->n_rejections = 0;
    uint32_t r = harness_row(h, cell);
    h->b.label[r] = label;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    return h->n_rejections ? -1 : h->b.weight[r];
}

START_TEST(a_column_gives_the_weight)
{
    struct harness *h = weights("w", NULL);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    ck_assert(weight_of(h, "3", 1) == 3 && weight_of(h, "0.25", -1) == 0.25f);
    ck_assert(weight_of(h, "0", 1) == 0 && weight_of(h, " 2 ", 7) == 2);
    harness_free(h);
}
END_TEST

START_TEST(what_is_no_weight_is_rejected_and_said)
{
    static const struct {
        const char *cell, *text;
        int reason;
    } cases[] = {
        {"-1", "column 'w': -1 is not a weight: weights are 0, or 1e-30 to 1e+15", LEAT_R_NUMBER},
        {"1e16", "column 'w': 1e+16 is not a weight: weights are 0, or 1e-30 to 1e+15",
         LEAT_R_NUMBER},
        {"1e-300", "column 'w': 1e-300 is not a weight: weights are 0, or 1e-30 to 1e+15",
         LEAT_R_NUMBER},
        {"nan", "column 'w': 'nan' is not finite", LEAT_R_NONFINITE},
        {"inf", "column 'w': 'inf' is not finite", LEAT_R_NONFINITE},
        {"much", "column 'w': 'much' is not a number", LEAT_R_NUMBER},
        {"", "column 'w' is empty", LEAT_R_NUMBER},
    };
    struct harness *h = weights("w", NULL);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(weight_of(h, cases[i].cell, 1) == -1, "%s", cases[i].cell);
        ck_assert_str_eq(h->rejection[0].text, cases[i].text);
        ck_assert_int_eq(h->rejection[0].reason, cases[i].reason);
    }
    harness_free(h);
}
END_TEST

START_TEST(one_number_weighs_the_positives_and_several_the_classes)
{
    struct harness *h = weights(NULL, "5");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    ck_assert(weight_of(h, "", 1) == 5 && weight_of(h, "", -1) == 1 && weight_of(h, "", 0) == 1);
    harness_free(h);
    h = weights(NULL, "0.5,2,8");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    ck_assert(weight_of(h, "", 0) == 0.5f && weight_of(h, "", 1) == 2 && weight_of(h, "", 2) == 8);
    ck_assert(weight_of(h, "", 3) == 1 && weight_of(h, "", 1.5f) == 1); /* unknown classes */
    harness_free(h);
    h = weights("w", "1,4");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    ck_assert(weight_of(h, "3", 1) == 12 && weight_of(h, "3", -1) == 3);
    ck_assert(weight_of(h, "1e15", 1) == -1); /* the product is above the bound */
    harness_free(h);
}
END_TEST

/* 20,000 records in random order, with random weights of their columns. */
START_TEST(balanced_classes_get_the_same_sum)
{
    struct harness *h = weights("w", "balanced");
    double sum[3] = {0};
    uint64_t s = 9;
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (int i = 0; i < 20000; i++) {
        double u = uniform(&s, 0, 1);
        int class = u < 0.02 ? 2 : u < 0.3 ? 1 : 0;
        const char *cell = uniform(&s, 0, 1) < 0.5 ? "1" : "3";
        sum[class] += (double)weight_of(h, cell, (float)class);
    }
    double each = (sum[0] + sum[1] + sum[2]) / 3;
    for (int c = 0; c < 3; c++)
        ck_assert_double_eq_tol(sum[c], each, 0.1 * each);
    harness_free(h);
}
END_TEST

/* W / (K W_c), by hand. */
START_TEST(a_class_is_weighed_by_what_has_come)
{
    struct harness *h = weights(NULL, "balanced");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (int n = 1; n <= 9; n++)
        ck_assert(weight_of(h, "", -1) == 1);
    ck_assert(weight_of(h, "", 1) == 5);                        /* 10 / (2 * 1) */
    ck_assert_float_eq_tol(weight_of(h, "", -1), 0.55f, 1e-6f); /* 11 / (2 * 10) */
    ck_assert_float_eq_tol(weight_of(h, "", 1), 3, 1e-6f);      /* 12 / (2 * 2) */
    harness_free(h);
    h = weights(NULL, "balanced");
    harness_set(h, "max", "2");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (int n = 1; n <= 9; n++)
        weight_of(h, "", -1);
    ck_assert(weight_of(h, "", 1) == 2);
    harness_free(h);
}
END_TEST

START_TEST(a_weight_there_is_multiplied_and_goes_to_the_examples)
{
    struct harness *h = harness_new("labels", "label.weight");
    harness_has(h, LEAT_HAS_RECORDS | LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = h->in.entries_per_record = 2;
    harness_set(h, "classes", "3");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    static const float before[] = {1, 0, 2, 1}, label[] = {1, 1, 1, -1}, after[] = {3, 0, 6, 1};
    for (int i = 0; i < 4; i++) {
        uint32_t r = harness_record(h, "x");
        h->b.label[r] = label[i];
        h->b.weight[r] = before[i];
        harness_example(h, r, label[i], "1:1");
        harness_example(h, r, label[i], "2:1");
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (int i = 0; i < 4; i++)
        ck_assert(h->b.weight[i] == after[i] && h->b.ex_weight[2 * i] == after[i] &&
                  h->b.ex_weight[2 * i + 1] == after[i]);
    harness_free(h);
}
END_TEST

START_TEST(a_restored_stage_continues_bit_for_bit)
{
    struct harness *h = weights("w", "balanced"), *other = weights("w", "balanced");
    uint64_t s = 5;
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    ck_assert_int_eq(harness_open(other, 10), LEAT_OK);
    for (int i = 0; i < 1000; i++)
        weight_of(h, i % 3 ? "0.1" : "0.7", uniform(&s, 0, 1) < 0.1 ? 1 : -1);
    size_t n;
    const void *bytes = harness_snapshot(h, &n);
    ck_assert_int_eq(harness_restore(other, bytes, n), LEAT_OK);
    for (int i = 0; i < 100; i++) {
        float label = uniform(&s, 0, 1) < 0.1 ? 1 : -1;
        ck_assert(weight_of(h, "0.3", label) == weight_of(other, "0.3", label));
    }
    harness_free(h);
    harness_free(other);
}
END_TEST

START_TEST(what_weighs_nothing_or_in_no_way_is_an_error)
{
    expect_refused_and_free(weights(NULL, NULL), "weighs nothing");
    expect_refused_and_free(weights(NULL, "1,-2"), "'-2' is not a weight");
    expect_refused_and_free(weights(NULL, "1,balanced"), "'balanced' is not a weight");
    expect_refused_and_free(weights(NULL, "nan"), "'nan' is not a weight");
    expect_refused_and_free(weights("copies", NULL), "copies");
    struct harness *h = harness_new("labels", "label.weight");
    harness_column(h, "w", LEAT_TEXT);
    harness_set(h, "classes", "2");
    expect_refused_and_free(h, "no stage before this one makes labels");
    h = weights(NULL, "1,2");
    h->in.n_classes = 3;
    expect_refused_and_free(h, "there are 2 weights, and the labels have 3 classes");
}
END_TEST

LEAT_SUITE("weight", a_column_gives_the_weight, what_is_no_weight_is_rejected_and_said,
           one_number_weighs_the_positives_and_several_the_classes,
           balanced_classes_get_the_same_sum, a_class_is_weighed_by_what_has_come,
           a_weight_there_is_multiplied_and_goes_to_the_examples,
           a_restored_stage_continues_bit_for_bit, what_weighs_nothing_or_in_no_way_is_an_error)
