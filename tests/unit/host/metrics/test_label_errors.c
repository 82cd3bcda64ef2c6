/* test_label_errors.c -- errors by label against sums over all examples. */
#include "support/suite.h"

#include <math.h>

#include "host/metrics/label_errors.h"
#include "support/random.h"

enum { N = 5000 };

START_TEST(sums_by_label_are_those_of_all_examples)
{
    static double label[N], score[N], w[N];
    struct label_errors e = {.n = 0};
    struct label_error out[LABEL_ERRORS];
    uint64_t state = 3;
    for (int i = 0; i < N; i++) {
        label[i] = floor(uniform(&state, 0, 5)) - 2;
        score[i] = label[i] + normal(&state);
        w[i] = uniform(&state, 0, 2);
        label_errors_add(&e, label[i], score[i], w[i]);
    }
    ck_assert_uint_eq(label_errors_sorted(&e, out), 5);
    for (int k = 0; k < 5; k++) {
        double weight = 0, squared = 0, absolute = 0, sum = 0;
        for (int i = 0; i < N; i++) {
            if (label[i] != k - 2) continue;
            weight += w[i];
            squared += w[i] * (score[i] - label[i]) * (score[i] - label[i]);
            absolute += w[i] * fabs(score[i] - label[i]);
            sum += w[i] * (score[i] - label[i]);
        }
        ck_assert_double_eq(out[k].label, k - 2);
        ck_assert_double_eq_tol(out[k].weight, weight, 1e-9);
        ck_assert_double_eq_tol(out[k].squared, squared, 1e-9);
        ck_assert_double_eq_tol(out[k].absolute, absolute, 1e-9);
        ck_assert_double_eq_tol(out[k].signed_sum, sum, 1e-9);
    }
}
END_TEST

START_TEST(of_many_labels_there_is_no_table)
{
    struct label_errors e = {.n = 0};
    struct label_error out[LABEL_ERRORS];
    for (int i = 0; i < LABEL_ERRORS; i++)
        label_errors_add(&e, i, 0, 1);
    ck_assert_uint_eq(label_errors_sorted(&e, out), LABEL_ERRORS);
    label_errors_add(&e, 0.5, 0, 1);
    ck_assert_uint_eq(label_errors_sorted(&e, out), 0);
}
END_TEST

START_TEST(what_was_given_up_has_no_table)
{
    struct label_errors e = {.n = 0};
    struct label_error out[LABEL_ERRORS];
    label_errors_add(&e, 1, 0, 1);
    label_errors_give_up(&e);
    label_errors_add(&e, 1, 0, 1);
    ck_assert_uint_eq(label_errors_sorted(&e, out), 0);
}
END_TEST

LEAT_SUITE("label_errors", sums_by_label_are_those_of_all_examples,
           of_many_labels_there_is_no_table, what_was_given_up_has_no_table)
