/* test_tracked_learners.c -- the stages of learners with weights only for tracked features. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"

static const struct {
    const char *plugin, *stage;
    int slot; /* bytes of a feature */
} learners[] = {{"learners_linear", "learn.truncation", 8},
                {"learners_linear", "learn.prob_truncation", 12},
                {"learners_linear", "learn.space_saving", 12},
                {"learners_linear", "learn.count_min", 12}};
enum { LEARNERS = sizeof learners / sizeof *learners };

static struct harness *fresh(int k, const char *features)
{
    struct harness *h = harness_new(learners[k].plugin, learners[k].stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 8;
    harness_set(h, "rates", "shared");
    if (features) harness_set(h, "features", features);
    return h;
}

static struct harness *opened(int k, const char *features)
{
    struct harness *h = fresh(k, features);
    ck_assert_int_eq(harness_open(h, 16), LEAT_OK);
    return h;
}

static void learn(struct harness *h, float label, const char *features)
{
    harness_clear(h);
    harness_example(h, harness_record(h, ""), label, features);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}

START_TEST(predicts_before_it_learns_and_then_knows_better)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = opened(k, NULL);
        learn(h, 1, "3:1 8:2");
        ck_assert(h->b.score[0] == 0);
        learn(h, -1, "4:1");
        for (int i = 0; i < 50; i++) {
            learn(h, 1, "3:1 8:2");
            learn(h, 0, "4:1 5:1"); /* 0 counts as -1 */
        }
        ck_assert(h->b.score[0] < -0.5f);
        learn(h, 1, "3:1 8:2");
        ck_assert(h->b.score[0] > 0.5f);
        harness_free(h);
    }
}
END_TEST

START_TEST(the_top_names_the_features_that_hold_the_slots)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = opened(k, "2");
        for (int i = 0; i < 40; i++) { /* 70 and 90 are heavy and frequent; the rest come once */
            char once[32];
            snprintf(once, sizeof once, "%d:0.01", 1000 + i);
            learn(h, 1, "70:1 90:2");
            learn(h, 1, "70:1 90:2");
            learn(h, -1, once);
        }
        learn(h, 1, "70:1 90:2");
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 10, 0);
        ck_assert_uint_eq(a->n_rows, 2);
        ck_assert_str_eq(a->column[0], "weight");
        ck_assert(fabs(a->value[0][0]) >= fabs(a->value[1][0]));
        if (learners[k].slot == 8) { /* no draw and no newcomer disturbs this rule */
            ck_assert_str_eq(a->name[0], "90");
            ck_assert_str_eq(a->name[1], "70");
        }
        for (uint32_t r = 0; r < 2; r++) {
            int id = atoi(a->name[r]);
            ck_assert_msg(id == 70 || id == 90 || (id >= 1000 && id < 1040), "%s", a->name[r]);
            ck_assert((id < 1000) == (a->value[r][0] > 0)); /* a weight goes with its name */
        }
        ck_assert(harness_metric(h, "tracked") == 2);
        harness_free(h);
    }
}
END_TEST

START_TEST(what_cannot_be_learned_is_rejected_and_changes_nothing)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = opened(k, NULL), *same = opened(k, NULL);
        size_t n, m;
        const float bad[] = {NAN, INFINITY};
        for (int i = 0; i < 30; i++) {
            learn(h, i % 2 ? 1 : -1, "1:1 2:0.5 3:-1");
            learn(same, i % 2 ? 1 : -1, "1:1 2:0.5 3:-1");
            harness_clear(h);
            harness_example(h, harness_record(h, ""), 2, "1:1");
            uint32_t r = harness_record(h, "");
            harness_example(h, r, 1, "1:1 9:1");
            h->b.value[h->b.n_entries - 1] = bad[i % 2];
            ck_assert_int_eq(harness_process(h), LEAT_OK);
            ck_assert_int_eq(harness_rejected(h, 0)->reason, LEAT_R_LABEL);
            ck_assert_int_eq(harness_rejected(h, r)->reason, LEAT_R_NONFINITE);
            ck_assert_ptr_nonnull(strstr(harness_rejected(h, r)->text, "feature 9"));
        }
        const void *a = harness_snapshot(h, &n), *b = harness_snapshot(same, &m);
        ck_assert(n == m && !memcmp(a, b, n));
        harness_free(h);
        harness_free(same);
    }
}
END_TEST

START_TEST(a_budget_too_small_for_one_feature_is_refused_with_the_numbers)
{
    for (int k = 0; k < LEARNERS; k++) {
        char bytes[16], text[96];
        bool sketch = k == LEARNERS - 1;
        struct harness *h = fresh(k, NULL);
        snprintf(bytes, sizeof bytes, "%d", learners[k].slot - 1);
        snprintf(text, sizeof text, "no feature fits in a budget of %s bytes: one feature takes %d",
                 bytes, learners[k].slot);
        harness_set(h, "budget", bytes);
        expect_errors(h, 1, text);
        snprintf(bytes, sizeof bytes, "%d", learners[k].slot + (sketch ? 8 : 0));
        harness_set(h, "budget", bytes);
        ck_assert_int_eq(harness_negotiate(h), 0);
        harness_set(h, "counts", "true"); /* eight bytes more a feature */
        ck_assert_int_eq(harness_negotiate(h), 1);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_width_that_is_no_power_of_two_is_refused)
{
    struct harness *h = fresh(LEARNERS - 1, NULL);
    harness_set(h, "width", "12");
    expect_errors(h, 1, "12 is not a power of two");
    harness_set(h, "width", "65536"); /* the whole budget, or more */
    expect_errors(h, 1, "2 rows of 65536 cells take 524288");
    harness_free(h);
}
END_TEST

START_TEST(bytes_are_charged_within_the_budget_and_planned_as_they_are_taken)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = fresh(k, NULL);
        harness_set(h, "budget", "2KB");
        harness_set(h, "rates", "newton");
        harness_set(h, "counts", "true");
        ck_assert_int_eq(harness_negotiate(h), 0);
        struct leat_plan p = harness_plan(h);
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        harness_query(h, LEAT_QUERY_TOP, 1, 0);
        double charged = harness_metric(h, "model_bytes"), table = harness_metric(h, "table_bytes");
        ck_assert(charged <= 2048 && charged > 2048 - 12 - learners[k].slot);
        ck_assert(harness_metric(h, "budget_bytes") == 2048);
        ck_assert((double)p.state_bytes == charged + table);
        ck_assert((double)p.names_bytes == harness_metric(h, "names_bytes"));
        uint64_t kept = p.state_bytes + p.names_bytes;
        ck_assert_uint_le(kept, h->allocated);
        ck_assert_uint_le(h->peak, kept + p.work_bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(churn_says_how_many_features_of_an_example_may_enter)
{
    for (int all = 0; all < 2; all++) {
        struct harness *h = fresh(2, "3");
        harness_set(h, "churn", all ? "all" : "one");
        ck_assert_int_eq(harness_open(h, 16), LEAT_OK);
        learn(h, 1, "1:1 2:1 3:1");
        learn(h, 1, "4:1 5:1 6:1 7:1");
        harness_query(h, LEAT_QUERY_TOP, 1, 0);
        ck_assert(harness_metric(h, "replaced") == (all ? 4 : 1));
        harness_free(h);
    }
}
END_TEST

START_TEST(other_seeds_draw_other_samples_and_the_same_seed_the_same)
{
    struct harness *h[3];
    size_t n[3];
    const void *bytes[3];
    for (int i = 0; i < 3; i++) {
        h[i] = fresh(1, "3");
        h[i]->seed = i < 2 ? 5 : 6;
        ck_assert_int_eq(harness_open(h[i], 16), LEAT_OK);
        for (int k = 0; k < 20; k++) {
            char row[64];
            snprintf(row, sizeof row, "%d:1 %d:0.5 %d:0.25", 3 * k, 3 * k + 1, 3 * k + 2);
            learn(h[i], k % 2 ? 1 : -1, row);
        }
        bytes[i] = harness_snapshot(h[i], &n[i]);
    }
    ck_assert(n[0] == n[1] && !memcmp(bytes[0], bytes[1], n[0]));
    ck_assert_str_ne(harness_query(h[0], LEAT_QUERY_TOP, 3, 0)->name[0], "");
    const struct harness_answer *a = harness_query(h[0], LEAT_QUERY_TOP, 3, 0);
    char first[3][HARNESS_TEXT];
    memcpy(first, a->name, sizeof first);
    a = harness_query(h[2], LEAT_QUERY_TOP, 3, 0);
    ck_assert(memcmp(first, a->name, sizeof first));
    for (int i = 0; i < 3; i++)
        harness_free(h[i]);
}
END_TEST

START_TEST(memory_that_runs_out_is_reported_and_leaks_nothing)
{
    for (int k = 0; k < LEARNERS; k++)
        for (int64_t left = 0; left < 4; left++) {
            struct harness *h = fresh(k, NULL);
            h->allocs_left = left;
            ck_assert_int_eq(harness_open(h, 16), LEAT_ENOMEM);
            ck_assert_ptr_nonnull(strstr(h->said, "not enough memory"));
            h->allocs_left = -1;
            harness_free(h);
        }
}
END_TEST

LEAT_SUITE("tracked learners", predicts_before_it_learns_and_then_knows_better,
           the_top_names_the_features_that_hold_the_slots,
           what_cannot_be_learned_is_rejected_and_changes_nothing,
           a_budget_too_small_for_one_feature_is_refused_with_the_numbers,
           a_width_that_is_no_power_of_two_is_refused,
           bytes_are_charged_within_the_budget_and_planned_as_they_are_taken,
           churn_says_how_many_features_of_an_example_may_enter,
           other_seeds_draw_other_samples_and_the_same_seed_the_same,
           memory_that_runs_out_is_reported_and_leaks_nothing)
