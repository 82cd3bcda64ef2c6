/* test_cooccurrence.c -- the built learn.cooccurrence: names, shown and uncounted pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *learner(const char *more, const char *value)
{
    struct harness *h = harness_new("learners_counting", "learn.cooccurrence");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = h->in.parts_per_record = 64;
    harness_set(h, "budget", "64KB");
    if (more) harness_set(h, more, value);
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    return h;
}

static void learn(struct harness *h, const char *text, int times)
{
    for (int i = 0; i < times; i++) {
        harness_clear(h);
        harness_tokens(h, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
    }
}

static double figure(const struct harness_answer *a, uint32_t row, const char *column)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], column))
        c++;
    ck_assert_uint_lt(c, a->n_columns);
    return a->value[row][c];
}

static const struct harness_answer *top(struct harness *h)
{
    return harness_query(h, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
}

/* 10 x "hong kong fell", 10 x "prices fell today": N = 60, M = 60. */
START_TEST(a_row_has_the_pair_its_pmi_and_all_counts)
{
    struct harness *h = learner("ordered", "true");
    learn(h, "hong kong fell", 10);
    learn(h, "prices fell today", 10);
    const struct harness_answer *a = top(h);
    ck_assert_uint_eq(a->n_rows, 6);
    ck_assert_str_eq(a->name[0], "hong & kong");
    ck_assert_double_eq_tol(figure(a, 0, "pmi"), log(10. / 60 / (10. / 60 * 10 / 60)), 1e-12);
    ck_assert_double_eq_tol(figure(a, 0, "weight"), log(figure(a, 0, "lift_low")), 1e-12);
    ck_assert(figure(a, 0, "pmi_low") == figure(a, 0, "pmi_high"));
    ck_assert_double_eq_tol(figure(a, 0, "lift"), exp(figure(a, 0, "pmi")), 1e-9);
    for (uint32_t i = 0; i < a->n_rows; i++) {
        ck_assert(figure(a, i, "count") == 10);
        ck_assert(i == 0 || figure(a, i, "weight") <= figure(a, i - 1, "weight"));
        if (strcmp(a->name[i], "kong & fell") != 0) continue;
        ck_assert(figure(a, i, "count_u") == 10);
        ck_assert(figure(a, i, "count_v") == 20);
    }
    harness_free(h);
}
END_TEST

START_TEST(without_order_both_directions_are_one_pair_in_the_order_of_the_alphabet)
{
    struct harness *h = learner(NULL, NULL);
    learn(h, "kong hong", 3);
    learn(h, "hong kong", 4);
    const struct harness_answer *a = top(h);
    ck_assert_uint_eq(a->n_rows, 1);
    ck_assert_str_eq(a->name[0], "hong & kong");
    ck_assert(figure(a, 0, "count") == 7);
    ck_assert_double_eq_tol(figure(a, 0, "pmi"), log(7. / 7 / (2 * 0.5 * 0.5)), 1e-12);
    harness_free(h);
}
END_TEST

START_TEST(pairs_that_came_too_seldom_are_not_shown)
{
    struct harness *h = learner("min_count", "3");
    learn(h, "a b", 2);
    learn(h, "c d", 3);
    ck_assert_uint_eq(top(h)->n_rows, 1);
    ck_assert_str_eq(top(h)->name[0], "c & d");
    ck_assert_uint_eq(harness_query(h, LEAT_QUERY_TOP, 9, 4)->n_rows, 0);
    harness_free(h);
}
END_TEST

START_TEST(a_pair_does_not_reach_over_the_window_or_into_another_record)
{
    struct harness *h = learner("window", "3");
    learn(h, "a b c d", 5);
    const struct harness_answer *a = top(h);
    ck_assert_uint_eq(a->n_rows, 5); /* all but a & d */
    for (uint32_t i = 0; i < a->n_rows; i++) {
        ck_assert_str_ne(a->name[i], "a & d");
        ck_assert(figure(a, i, "count") == 5);
    }
    harness_free(h);
}
END_TEST

START_TEST(what_is_held_out_or_too_long_is_not_counted)
{
    struct harness *h = learner("max_entries", "3");
    harness_clear(h);
    uint32_t out = harness_tokens(h, "a b");
    h->b.ex_weight[out] = 0;
    harness_tokens(h, "a b c d");
    harness_tokens(h, "a b c");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 1);
    ck_assert_ptr_nonnull(
        strstr(harness_rejected(h, 1)->text, "4 tokens, more than max_entries = 3"));
    top(h);
    ck_assert(harness_metric(h, "tokens") == 3);
    ck_assert(harness_metric(h, "pairs") == 3);
    harness_free(h);
}
END_TEST

START_TEST(tokens_without_names_are_shown_by_their_ids)
{
    struct harness *h = learner("min_count", "1");
    harness_clear(h);
    harness_example(h, harness_record(h, ""), 1, "12:1 7:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(top(h)->name[0], "12 & 7");
    harness_free(h);
}
END_TEST

START_TEST(long_names_are_cut)
{
    struct harness *h = learner("name_bytes", "8");
    learn(h, "internationalisation x", 5);
    ck_assert_str_eq(top(h)->name[0], "inter… & x");
    harness_free(h);
}
END_TEST

LEAT_SUITE("learn.cooccurrence", a_row_has_the_pair_its_pmi_and_all_counts,
           without_order_both_directions_are_one_pair_in_the_order_of_the_alphabet,
           pairs_that_came_too_seldom_are_not_shown,
           a_pair_does_not_reach_over_the_window_or_into_another_record,
           what_is_held_out_or_too_long_is_not_counted, tokens_without_names_are_shown_by_their_ids,
           long_names_are_cut)
