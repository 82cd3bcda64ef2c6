/* test_linear.c -- parameters that all linear learners share, stage by stage. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const struct {
    const char *plugin, *stage;
} all[] = {{"learners_awm", "learn.awm"},
           {"learners_wm", "learn.wm"},
           {"learners_wm", "learn.hash"},
           {"learners_logistic", "learn.logistic"},
           {"learners_truncation", "learn.truncation"},
           {"learners_prob_truncation", "learn.prob_truncation"},
           {"learners_space_saving", "learn.space_saving"},
           {"learners_count_min", "learn.count_min"}};
enum { LEARNERS = sizeof all / sizeof *all };

static struct harness *make(int which)
{
    struct harness *h = harness_new(all[which].plugin, all[which].stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 8;
    return h;
}

static double weight_of(struct harness *h, const char *name)
{
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 100, 0);
    for (uint32_t i = 0; i < a->n_rows; i++)
        if (!strcmp(a->name[i], name)) return a->value[i][0];
    return (double)NAN;
}

static void learn_one(struct harness *h, float label, const char *features)
{
    harness_example(h, harness_record(h, ""), label, features);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    harness_clear(h);
}

/* ---- l1 ---- */

START_TEST(a_penalty_takes_a_feature_that_says_nothing_and_leaves_one_that_does)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "l1", "0.02");
        harness_set(h, "bias", "none");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        learn_one(h, 1, "1:1 2:1");
        ck_assert_double_gt(weight_of(h, "2"), 0);
        for (int i = 0; i < 200; i++)
            learn_one(h, i % 2 ? 1 : -1, i % 2 ? "1:1 3:0.5" : "1:-1 3:0.5");
        ck_assert_msg(weight_of(h, "1") > 0.5, "%s: %g", all[k].stage, weight_of(h, "1"));
        ck_assert_msg(weight_of(h, "2") == 0, "%s: %g", all[k].stage, weight_of(h, "2"));
        harness_free(h);
    }
}
END_TEST

START_TEST(a_penalty_costs_four_bytes_a_feature_that_is_kept_exactly)
{
    const uint32_t dear[] = {1365, 0, 0, 0, 2730, 2048, 2048, 1024};
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "l1", "1e-4");
        struct leat_plan p = (harness_negotiate(h), harness_plan(h));
        char text[32];
        snprintf(text, sizeof text, "%u", dear[k]);
        if (dear[k]) ck_assert_msg(strstr(p.note, text) != NULL, "%s: %s", all[k].stage, p.note);
        harness_free(h);
    }
}
END_TEST

START_TEST(awm_refuses_a_penalty_where_counts_make_the_weights)
{
    struct harness *h = make(0);
    harness_set(h, "l1", "1e-4");
    harness_set(h, "evidence", "counts");
    ck_assert_int_eq(harness_negotiate(h), 1);
    ck_assert_ptr_nonnull(strstr(h->said, "l1"));
    harness_free(h);
}
END_TEST

/* ---- half_life ---- */

static double value_of(struct harness *h, const char *column)
{
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 1, 0);
    for (uint32_t c = 0; a->n_rows && c < a->n_columns; c++)
        if (!strcmp(a->column[c], column)) return a->value[0][c];
    return (double)NAN;
}

START_TEST(counts_and_weights_are_worth_half_after_a_half_life)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "half_life", "50");
        harness_set(h, "counts", "true");
        harness_set(h, "bias", "none");
        harness_set(h, "lambda", "0");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        for (int i = 0; i < 400; i++)
            learn_one(h, 1, "1:1");
        double count = value_of(h, "count"), weight = value_of(h, "weight");
        ck_assert_double_eq_tol(count, 1 / (1 - exp2(-1.0 / 50)), 0.5); /* 72.6 */
        ck_assert_double_eq_tol(value_of(h, "support_outliers"), 1, 0.01);
        for (int i = 0; i < 50; i++)
            learn_one(h, -1, "");
        ck_assert_double_eq_tol(value_of(h, "count"), count / 2, 0.01 * count);
        ck_assert_double_eq_tol(value_of(h, "weight"), weight / 2, 1e-5);
        ck_assert_double_eq_tol(value_of(h, "support_outliers"), 1, 0.01);
        harness_free(h);
    }
}
END_TEST

LEAT_SUITE("linear learners", counts_and_weights_are_worth_half_after_a_half_life,
           a_penalty_takes_a_feature_that_says_nothing_and_leaves_one_that_does,
           a_penalty_costs_four_bytes_a_feature_that_is_kept_exactly,
           awm_refuses_a_penalty_where_counts_make_the_weights)
