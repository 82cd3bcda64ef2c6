/* test_wm_stages.c -- learn.wm and learn.hash as stages: names, answers, refusals, memory. */
#include <math.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *learner(const char *stage)
{
    struct harness *h = harness_new("learners_linear", stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 4;
    return h;
}

static const char *const both[] = {"learn.wm", "learn.hash"};
static const char *const rates[] = {"adaptive", "shared"};

static void learn(struct harness *h, float label, const char *features)
{
    harness_clear(h);
    harness_example(h, harness_record(h, "x"), label, features);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}

START_TEST(heavy_features_are_shown_by_name_with_their_weights)
{
    for (int k = 0; k < 4; k++) {
        struct harness *h = learner(both[k % 2]);
        harness_set(h, "counts", "true");
        harness_set(h, "rates", rates[k / 2]);
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        for (int i = 0; i < 50; i++) {
            learn(h, 1, "11:1 900:1");
            learn(h, -1, "12:1 900:1");
        }
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 2, 0);
        ck_assert_uint_eq(a->n_rows, 2);
        ck_assert_uint_eq(a->n_columns, 5);
        for (int i = 0; i < 2; i++) {
            int positive = !strcmp(a->name[i], "11");
            ck_assert(positive || !strcmp(a->name[i], "12"));
            ck_assert(positive ? a->value[i][0] > 0.5 : a->value[i][0] < -0.5);
            ck_assert(a->value[i][4] == 50); /* count */
        }
        ck_assert(harness_metric(h, "model_bytes") <= 32768);
        ck_assert(harness_metric(h, "active") == 3);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_prediction_is_made_before_learning)
{
    struct harness *h = learner("learn.hash");
    harness_set(h, "rates", "shared");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    learn(h, 1, "5:1");
    ck_assert(h->b.score[0] == 0);
    learn(h, 0, "5:1");                                           /* 0 counts as -1 */
    ck_assert_double_le(fabs((double)h->b.score[0] - 0.1), 1e-6); /* 0.05 for weight and bias */
    harness_free(h);
}
END_TEST

START_TEST(bad_records_are_rejected_and_teach_nothing)
{
    for (int k = 0; k < 2; k++) {
        struct harness *h = learner(both[k]);
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        learn(h, 1, "5:nan 6:1");
        ck_assert_uint_eq(h->n_rejections, 1);
        ck_assert_int_eq(h->rejection[0].reason, LEAT_R_NONFINITE);
        ck_assert_ptr_nonnull(strstr(h->rejection[0].text, "feature 5"));
        learn(h, 3, "5:1");
        ck_assert_int_eq(h->rejection[0].reason, LEAT_R_LABEL);
        ck_assert_uint_eq(harness_query(h, LEAT_QUERY_TOP, 9, 0)->n_rows, 0);
        harness_free(h);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused_with_its_numbers)
{
    static const struct {
        const char *stage, *param[4], *value[4], *says;
    } bad[] = {
        {"learn.wm", {"rates"}, {"newton"}, "newton rates"},
        {"learn.hash", {"rates"}, {"adagrad"}, "adagrad rates"},
        {"learn.wm",
         {"active", "width", "depth"},
         {"128", "2048", "8"},
         "128 features and 8 rows of 2048 cells take 49920 bytes, more than a budget of 32768 "
         "bytes"},
        {"learn.wm",
         {"active", "width", "depth", "precision"},
         {"128", "1024", "8", "full"},
         "128 features and 8 rows of 1024 cells take 66560 bytes, more than a budget of 32768 "
         "bytes"},
        {"learn.wm",
         {"active", "width", "depth", "rates"},
         {"128", "1024", "8", "shared"},
         "128 features and 8 rows of 1024 cells take 33792 bytes, more than a budget of 32768 "
         "bytes"},
        {"learn.wm", {"width", "depth"}, {"1073741824", "64"}, "64 rows of 1073741824 cells"},
        {"learn.hash",
         {"budget", "active"},
         {"1KB", "200"},
         "fits with 200 features in a budget of 1024 bytes"},
        {"learn.hash", {"width"}, {"12000"}, "12000 cells take"},
        {"learn.hash", {"width", "rates"}, {"9000", "shared"}, "9000 cells take"},
        {"learn.awm",
         {"budget", "classes"},
         {"600", "100"},
         "in a budget of 600 bytes, 6 for each of 100 classes"},
        {"learn.wm", {"lambda", "eta0"}, {"1", "2"}, "eta0 * lambda is 2"},
        /* log(2^32 / .05) = 25.1763: 4 25.1763^2 / 1e-6 rows, 4 25.1763 / 1e-6 cells in each */
        {"learn.wm",
         {"epsilon"},
         {"0.5"},
         "needs 2.54e+09 rows of 1.01e+08 cells, a budget of 7.13e+08 GB, and a sketch has "
         "at most "
         "64 rows"},
        {"learn.wm", {"epsilon", "lambda"}, {"0.5", "0"}, "lambda is 0"},
        {"learn.awm", {"budget_total"}, {"300"}, "300 bytes are too few: the model takes at least"},
        {"learn.awm",
         {"budget_total", "width"},
         {"8KB", "100000"},
         "with width unchanged, the model takes at least"},
        {"learn.wm",
         {"budget_total", "active"},
         {"8KB", "100000"},
         "Raise budget_total, or lower active"},
        {"learn.wm",
         {"budget_total", "width", "depth"},
         {"1MB", "100000000", "64"},
         "a sketch cannot have so many cells"},
        {"learn.wm", {"epsilon"}, {"1e-300"}, "needs more rows and cells than any machine holds"},
        {"learn.wm",
         {"epsilon", "lambda", "dimension", "eta0"},
         {"0.5", "1", "100", "0.1"},
         "epsilon must be 0.951 to 1: raise epsilon, delta or lambda"},
        {"learn.hash",
         {"budget_total"},
         {"200"},
         "200 bytes are too few: the model takes at least"},
        {"learn.wm", {"epsilon", "depth"}, {"1", "3"}, "leave out width and depth"},
        {"learn.wm", {"radius"}, {"1"}, "radius: needs rates = \"shared\": set that, or leave"},
        {"learn.wm",
         {"average", "rates"},
         {"true", "shared"},
         "average: needs shown = \"estimate\""},
        {"learn.wm", {"radius", "rates", "l1"}, {"1", "shared", "0.1"}, "radius: needs l1 = 0"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct harness *h = learner(bad[k].stage);
        for (int p = 0; p < 4 && bad[k].param[p]; p++)
            harness_set(h, bad[k].param[p], bad[k].value[p]);
        expect_errors(h, 1, bad[k].says);
        harness_free(h);
    }
}
END_TEST

/* log(100 / .05) = 7.6009: 57.77 rows of 7.6009 cells, and twice as many of each
 * with lambda = .5. */
START_TEST(rows_and_cells_follow_from_epsilon)
{
    for (int k = 0; k < 2; k++) {
        struct harness *h = learner("learn.wm");
        harness_set(h, "epsilon", "1");
        harness_set(h, "dimension", "100");
        harness_set(h, "lambda", "1");
        harness_set(h, "eta0", "0.1");
        harness_set(h, "rates", rates[k]);
        harness_negotiate(h);
        struct leat_plan p = harness_plan(h);
        ck_assert_msg(strstr(p.note, "sketch 58 x 8, "), "%s", p.note);
        harness_free(h);
        h = learner("learn.wm");
        harness_set(h, "epsilon", "1");
        harness_set(h, "dimension", "100");
        harness_set(h, "lambda", "0.5");
        expect_errors(h, 1, "needs 116 rows of 16 cells");
        harness_free(h);
    }
}
END_TEST

/* For every learner with slots, model, index and names stay within budget_total, and use it. */
START_TEST(budget_total_bounds_model_index_and_names_together)
{
    static const char *const stages[] = {
        "learn.awm",          "learn.wm",        "learn.hash",    "learn.truncation",
        "learn.space_saving", "learn.count_min", "learn.mission", "learn.prob_truncation",
        "learn.bear"};
    static const struct {
        const char *text;
        uint64_t bytes;
    } totals[] = {{"4KB", 4096}, {"32KB", 32768}, {"1MB", 1048576}};
    for (size_t k = 0; k < 3 * sizeof stages / sizeof *stages; k++) {
        struct harness *h = learner(stages[k / 3]);
        harness_has(h, LEAT_HAS_NAMES);
        harness_set(h, "budget_total", totals[k % 3].text);
        harness_set(h, "counts", k % 2 ? "true" : "false");
        if (k % 5 == 0) harness_set(h, "classes", "3");
        harness_negotiate(h);
        struct leat_plan p = harness_plan(h);
        uint64_t taken = p.state_bytes + p.names_bytes, total = totals[k % 3].bytes;
        ck_assert_msg(taken <= total, "%s: %s", stages[k / 3], p.note);
        ck_assert_msg(k % 3 == 0 || taken >= total / 2, "%s: %s", stages[k / 3], p.note);
        ck_assert_ptr_nonnull(strstr(p.note, " with index and names of at most "));
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        harness_free(h);
    }
}
END_TEST

/* Gives all entries of a batch a name of so many bytes. */
static void name_all(struct leat_batch *b, uint32_t len)
{
    char text[1000];
    memset(text, 'a', len);
    for (uint32_t i = 0; i < b->n_entries; i++) {
        uint32_t off = leat_add_bytes(b, len);
        if (off == LEAT_NULL) ck_abort_msg("no room for names");
        memcpy(b->bytes + off, text, len);
        b->name[i].part[0] = leat_add_part(b, LEAT_NO_FIELD, (struct leat_str){off, len});
        if (!b->name[i].part[0]) ck_abort_msg("no room for parts");
    }
}

START_TEST(names_that_budget_total_has_no_room_for_are_cut_and_counted)
{
    struct harness *h = learner("learn.hash");
    harness_has(h, LEAT_HAS_NAMES);
    h->in.parts_per_record = 4;
    harness_set(h, "budget_total", "16KB");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    harness_example(h, harness_record(h, "x"), 1, "1:1 2:1");
    name_all(&h->b, 8);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    harness_query(h, LEAT_QUERY_TOP, 9, 0);
    ck_assert(harness_metric(h, "names_cut") == 0);
    harness_clear(h);
    harness_example(h, harness_record(h, "x"), 1, "3:1 4:1 5:1");
    name_all(&h->b, 100); /* the plan has 24 bytes a name, and the remainder */
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 9, 0);
    ck_assert_uint_eq(a->n_rows, 5);
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_msg(strlen(a->name[i]) < 50 && strlen(a->name[i]) >= 8, "%s", a->name[i]);
    ck_assert_msg(harness_metric(h, "names_cut") == 3, "%g", harness_metric(h, "names_cut"));
    ck_assert(harness_metric(h, "budget_bytes") == 16384);
    ck_assert(harness_metric(h, "model_bytes") + harness_metric(h, "table_bytes") +
                  harness_metric(h, "names_bytes") <=
              16384);
    harness_free(h);
}
END_TEST

START_TEST(the_plan_is_what_is_taken)
{
    for (int k = 0; k < 4; k++) {
        struct harness *h = learner(both[k % 2]);
        harness_set(h, "rates", rates[k / 2]);
        harness_negotiate(h);
        struct leat_plan p = harness_plan(h);
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        uint64_t kept = p.state_bytes + p.names_bytes;
        ck_assert_uint_ge(h->allocated, kept);
        ck_assert_uint_le(h->allocated, kept + p.work_bytes); /* answers take a part of it */
        harness_free(h);
    }
}
END_TEST

START_TEST(no_memory_is_reported_and_leaks_nothing)
{
    for (int k = 0; k < 2; k++) {
        int status = LEAT_ENOMEM;
        for (int allowed = 0; status != LEAT_OK; allowed++) {
            struct harness *h = learner(both[k]);
            h->allocs_left = allowed;
            status = harness_open(h, 8);
            ck_assert(status == LEAT_OK || status == LEAT_ENOMEM);
            ck_assert_int_le(allowed, 6);
            h->allocs_left = -1;
            harness_free(h);
        }
    }
}
END_TEST

LEAT_SUITE("wm stages", heavy_features_are_shown_by_name_with_their_weights,
           a_prediction_is_made_before_learning, bad_records_are_rejected_and_teach_nothing,
           what_cannot_be_is_refused_with_its_numbers, rows_and_cells_follow_from_epsilon,
           budget_total_bounds_model_index_and_names_together,
           names_that_budget_total_has_no_room_for_are_cut_and_counted, the_plan_is_what_is_taken,
           no_memory_is_reported_and_leaks_nothing)
