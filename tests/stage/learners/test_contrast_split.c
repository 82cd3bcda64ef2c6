/* test_contrast_split.c -- learn.contrast as a part of a split, and what becomes of its states. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/learner_rig.h"
#include "support/suite.h"

enum { IDS = 700, EXAMPLES = 4000 };

static const struct learner plain = {.plugin = "learners_counting",
                                     .stage = "learn.contrast",
                                     .with = "budget=2KB sign=both"},
                            split = {.plugin = "learners_counting",
                                     .stage = "learn.contrast",
                                     .with = "budget=2KB sign=both split=1"},
                            large = {.plugin = "learners_counting",
                                     .stage = "learn.contrast",
                                     .with = "budget=1MB sign=both"};

static double figure(const struct harness_answer *a, uint32_t row, const char *column)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], column))
        c++;
    ck_assert_uint_lt(c, a->n_columns);
    return a->value[row][c];
}

/* Checks the bounds of each row of an answer by a model that counts all features exactly. Returns
 * the number of rows. */
static uint32_t expect_bounds(struct harness *h, struct harness *exact)
{
    const struct harness_answer all = *learner_top(exact), a = *learner_top(h);
    uint32_t found = 0;
    for (uint32_t i = 0; i < a.n_rows; i++)
        for (uint32_t k = 0; k < all.n_rows; k++) {
            if (strcmp(a.name[i], all.name[k]) != 0) continue;
            double n = figure(&all, k, "count");
            ck_assert(figure(&all, k, "count_low") == figure(&all, k, "count_high"));
            ck_assert(figure(&a, i, "count_low") <= n && n <= figure(&a, i, "count_high"));
            found++;
        }
    ck_assert_uint_gt(found, 20);
    return a.n_rows;
}

START_TEST(a_part_of_a_split_has_eight_times_the_budget)
{
    struct harness *h = learner_after(&split, 1, EXAMPLES, IDS),
                   *one = learner_after(&plain, 1, EXAMPLES, IDS);
    harness_query(h, LEAT_QUERY_TOP, 1, 0);
    harness_query(one, LEAT_QUERY_TOP, 1, 0);
    ck_assert(harness_metric(h, "budget_bytes") == 8 * 2048);
    ck_assert(harness_metric(one, "budget_bytes") == 2048);
    ck_assert(harness_metric(h, "active") == 8 * harness_metric(one, "active"));
    ck_assert_uint_le(h->peak, 9 * one->peak);
    harness_free(h);
    harness_free(one);
}
END_TEST

START_TEST(its_states_merge_without_the_option_in_any_order)
{
    struct kept s[3];
    struct harness *exact = learner_after(&large, 0, EXAMPLES, IDS);
    for (uint64_t i = 0; i < 3; i++) {
        s[i] = kept_of(&split, i, EXAMPLES, IDS);
        if (i) learner_learn(exact, i, EXAMPLES, IDS, NULL);
    }
    struct harness *h = learner_fresh(&plain), *other = learner_fresh(&plain);
    for (int i = 0; i < 3; i++) {
        kept_merge(h, &s[i], 1);
        kept_merge(other, &s[2 - i], 1);
    }
    struct kept merged = kept_from(h);
    ck_assert(kept_is_of(other, &merged));
    expect_bounds(h, exact);
    harness_query(h, LEAT_QUERY_TOP, 1, 0);
    ck_assert(harness_metric(h, "active") > 8 * 37);
    harness_free(other);

    /* A run that restores it saves the same, and answers the same. Then it learns on. */
    other = learner_fresh(&plain);
    kept_restore(other, &merged);
    ck_assert(kept_is_of(other, &merged));
    expect_bounds(other, exact);
    learner_learn(other, 7, EXAMPLES, IDS, NULL);
    learner_learn(exact, 7, EXAMPLES, IDS, NULL);
    expect_bounds(other, exact);
    harness_query(other, LEAT_QUERY_TOP, 1, 0);
    ck_assert(harness_metric(other, "active") == 37 &&
              harness_metric(other, "budget_bytes") == 2048);
    struct leat_plan p = harness_plan(other);
    ck_assert_uint_le(other->allocated, p.state_bytes + p.names_bytes + p.work_bytes);
    harness_free(exact);
    harness_free(other);
    harness_free(h);
    free(merged.bytes);
    for (int i = 0; i < 3; i++)
        free(s[i].bytes);
}
END_TEST

START_TEST(one_state_alone_is_settled_too)
{
    struct kept s = kept_of(&split, 1, EXAMPLES, IDS);
    struct harness *h = learner_fresh(&plain), *exact = learner_after(&large, 1, EXAMPLES, IDS);
    kept_restore(h, &s);
    ck_assert(kept_is_of(h, &s));
    learner_learn(h, 2, EXAMPLES, IDS, NULL);
    learner_learn(exact, 2, EXAMPLES, IDS, NULL);
    expect_bounds(h, exact);
    harness_free(h);
    harness_free(exact);
    free(s.bytes);
}
END_TEST

START_TEST(it_does_not_merge_with_a_model_of_the_budget)
{
    struct kept s = kept_of(&split, 1, EXAMPLES, IDS);
    struct harness *h = learner_after(&plain, 2, EXAMPLES, IDS);
    struct kept before = kept_from(h);
    ck_assert_int_eq(harness_merge(h, s.bytes, s.n, 1), LEAT_EDATA);
    ck_assert_ptr_nonnull(strstr(h->said, "it was learned with --split, and the others were not"));
    ck_assert(kept_is_of(h, &before));
    harness_free(h);
    free(s.bytes);
    free(before.bytes);
}
END_TEST

LEAT_SUITE("contrast_split", a_part_of_a_split_has_eight_times_the_budget,
           its_states_merge_without_the_option_in_any_order, one_state_alone_is_settled_too,
           it_does_not_merge_with_a_model_of_the_budget)
