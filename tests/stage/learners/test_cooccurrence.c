/* test_cooccurrence.c -- the built learn.cooccurrence: names, shown and uncounted pairs, merges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *learner_of(const char *more, const char *value, bool split)
{
    struct harness *h = harness_new("learners_counting", "learn.cooccurrence");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = h->in.parts_per_record = 64;
    harness_set(h, "budget", "64KB");
    if (more) harness_set(h, more, value);
    h->split = split;
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    return h;
}

static struct harness *learner(const char *more, const char *value)
{
    return learner_of(more, value, false);
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

/* ---- merges ---- */

enum { PARTS = 5 };
struct state {
    size_t n;
    void *bytes;
};

static struct state state_of(struct harness *h)
{
    struct state s;
    const void *bytes = harness_snapshot(h, &s.n);
    ck_assert_ptr_nonnull(bytes);
    s.bytes = memcpy(malloc(s.n), bytes, s.n);
    harness_free(h);
    return s;
}

static void merge(struct harness *h, const struct state *s)
{
    ck_assert_msg(harness_merge(h, s->bytes, s->n, 1) == LEAT_OK, "%s", h->said);
}

/* Learns texts of tokens that are rarer the higher their number. The last part has none. */
static void learn_part(struct harness *h, int part)
{
    for (uint32_t i = 0; part < PARTS - 1 && i < 150; i++) {
        char text[200] = "";
        for (uint32_t k = 0; k < 10; k++) {
            double u = (double)(mix64(1000 * (uint32_t)part + 10 * i + k) >> 11) * 0x1p-53;
            sprintf(text + strlen(text), "t%d ", (int)(900 * u * u));
        }
        learn(h, text, 1);
        learn(h, "hong kong", part == 2);
    }
}

static void make_parts(struct state *part, bool split)
{
    for (int i = 0; i < PARTS; i++) {
        struct harness *h = learner_of("budget", "16KB", split);
        learn_part(h, i);
        part[i] = state_of(h);
    }
}

static struct state merged_in(const struct state *part, const int *order, int n)
{
    struct harness *h = learner("budget", "16KB");
    for (int i = 0; i < n; i++)
        merge(h, &part[order[i]]);
    return state_of(h);
}

static void expect_same_bytes(struct state a, struct state b)
{
    ck_assert_uint_eq(a.n, b.n);
    ck_assert_mem_eq(a.bytes, b.bytes, a.n);
    free(b.bytes);
}

static void free_parts(struct state *part)
{
    for (int i = 0; i < PARTS; i++)
        free(part[i].bytes);
}

START_TEST(merged_models_have_the_same_bytes_in_any_order_and_tree)
{
    static const int flat[] = {0, 1, 2, 3, 4}, back[] = {4, 3, 2, 1, 0}, mixed[] = {2, 4, 0, 3, 1};
    static const int pairs[] = {0, 1}, others[] = {2, 3, 4}, both[] = {1, 0};
    for (int split = 0; split < 2; split++) {
        struct state part[PARTS];
        make_parts(part, split);
        struct state all = merged_in(part, flat, PARTS);
        expect_same_bytes(all, merged_in(part, back, PARTS));
        expect_same_bytes(all, merged_in(part, mixed, PARTS));
        struct state half[] = {merged_in(part, pairs, 2), merged_in(part, others, 3)};
        expect_same_bytes(all, merged_in(half, both, 2));
        struct harness *h = learner("budget", "16KB");
        ck_assert_int_eq(harness_restore(h, half[1].bytes, half[1].n), LEAT_OK);
        merge(h, &half[0]);
        expect_same_bytes(all, state_of(h));
        free(half[0].bytes), free(half[1].bytes), free(all.bytes);
        free_parts(part);
    }
}
END_TEST

START_TEST(a_merged_model_keeps_what_one_part_kept_and_goes_on_within_the_budget)
{
    for (int split = 0; split < 2; split++) {
        static const int flat[] = {0, 1, 2, 3, 4};
        struct state part[PARTS];
        make_parts(part, split);
        struct state all = merged_in(part, flat, PARTS);
        struct harness *h = learner("budget", "16KB");
        ck_assert_int_eq(harness_restore(h, all.bytes, all.n), LEAT_OK);
        const struct harness_answer *a = top(h);
        double kept = harness_metric(h, "active"), budget = harness_metric(h, "budget_bytes");
        ck_assert_str_eq(a->name[0], "hong & kong");
        ck_assert(figure(a, 0, "count_low") == 150 && figure(a, 0, "count_high") >= 150);
        ck_assert(budget > 16384 && harness_metric(h, "model_bytes") == budget);
        learn(h, "hong kong", 3);
        a = top(h);
        ck_assert_str_eq(a->name[0], "hong & kong");
        ck_assert(figure(a, 0, "count_low") == 153 && figure(a, 0, "count_high") >= 153);
        ck_assert(harness_metric(h, "budget_bytes") == 16384);
        ck_assert(harness_metric(h, "active") < kept);
        harness_free(h);
        free(all.bytes);
        free_parts(part);
    }
}
END_TEST

START_TEST(a_split_has_wider_tables_and_merges_only_with_splits)
{
    struct state wide[PARTS], part[PARTS];
    make_parts(wide, true);
    make_parts(part, false);
    struct harness *h = learner("budget", "16KB");
    ck_assert_int_eq(harness_restore(h, wide[0].bytes, wide[0].n), LEAT_OK);
    top(h);
    double kept = harness_metric(h, "active");
    ck_assert_int_eq(harness_merge(h, part[1].bytes, part[1].n, 1), LEAT_EDATA);
    ck_assert_ptr_nonnull(strstr(h->said, "learn all splits with --split, or none"));
    ck_assert(harness_metric(h, "active") == kept);
    merge(h, &part[4]); /* learned nothing */
    harness_free(h);
    h = learner("budget", "16KB");
    ck_assert_int_eq(harness_restore(h, part[0].bytes, part[0].n), LEAT_OK);
    top(h);
    ck_assert(harness_metric(h, "active") * 2 < kept);
    harness_free(h);
    free_parts(wide);
    free_parts(part);
}
END_TEST

/* Tables of the first state are narrower, and must not be read beyond their end. */
START_TEST(what_rounds_to_no_token_leaves_nothing_in_a_wider_sum)
{
    struct state wide[PARTS], part[PARTS];
    make_parts(wide, true);
    make_parts(part, false);
    struct harness *h = learner("budget", "16KB"), *alone = learner("budget", "16KB");
    ck_assert_int_eq(harness_merge(h, part[1].bytes, part[1].n, 1e-6), LEAT_OK);
    ck_assert_int_eq(harness_merge(h, wide[0].bytes, wide[0].n, 2), LEAT_OK);
    ck_assert_int_eq(harness_merge(alone, wide[0].bytes, wide[0].n, 2), LEAT_OK);
    struct state expected = state_of(alone);
    expect_same_bytes(expected, state_of(h));
    free(expected.bytes);
    free_parts(wide);
    free_parts(part);
}
END_TEST

LEAT_SUITE("learn.cooccurrence", a_row_has_the_pair_its_pmi_and_all_counts,
           without_order_both_directions_are_one_pair_in_the_order_of_the_alphabet,
           pairs_that_came_too_seldom_are_not_shown,
           a_pair_does_not_reach_over_the_window_or_into_another_record,
           what_is_held_out_or_too_long_is_not_counted, tokens_without_names_are_shown_by_their_ids,
           long_names_are_cut, merged_models_have_the_same_bytes_in_any_order_and_tree,
           a_merged_model_keeps_what_one_part_kept_and_goes_on_within_the_budget,
           a_split_has_wider_tables_and_merges_only_with_splits,
           what_rounds_to_no_token_leaves_nothing_in_a_wider_sum)
