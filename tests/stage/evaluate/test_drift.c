/* test_drift.c -- eval.drift in the harness: its losses, its reports, its state. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/random.h"
#include "support/sink_rig.h"

enum { BATCH = 100 };

static struct harness *drift(uint32_t score, const char *with)
{
    char text[256], *save = NULL;
    struct harness *h = sink_rig_evaluating("eval.drift", "csv", 1);
    harness_has(h, LEAT_HAS_SCORE);
    h->in.score = score;
    snprintf(text, sizeof text, "%s", with);
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *value = strchr(p, '=');
        *value = 0;
        harness_set(h, p, value + 1);
    }
    return h;
}

static void example(struct harness *h, float score, float label, float weight)
{
    uint32_t r = harness_record(h, "x");
    h->b.weight[r] = weight;
    h->b.score[harness_example(h, r, label, "1:1")] = score;
}

/* Adds n examples of margins, a share of which are wrong. */
static void learn(struct harness *h, uint64_t *s, int n, double errors)
{
    for (int i = 0; i < n; i += BATCH) {
        harness_clear(h);
        for (int k = 0; k < BATCH && i + k < n; k++) {
            float label = below(s, 2) ? 1 : -1;
            example(h, uniform(s, 0, 1) < errors ? -label : label, label, 1);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
    }
}

static struct {
    double rises, falls, examples, mean;
} ended;

/* Stops the stage, takes its figures and returns its output. */
static const char *written(struct harness *h)
{
    ck_assert_int_eq(h->stage->stop(&h->ctx, h->self), LEAT_OK);
    ended.rises = harness_metric(h, "rises");
    ended.falls = harness_metric(h, "falls");
    ended.examples = harness_metric(h, "examples_since");
    ended.mean = harness_metric(h, "mean_since");
    return sink_rig_finish(h);
}

static void finds_the_rise(const char *with, int slack)
{
    uint64_t s = seed_given();
    unsigned long examples, since;
    double before, after;
    struct harness *h = drift(LEAT_SCORE_MARGIN, with);
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    learn(h, &s, 5000, 0.1);
    learn(h, &s, 3000, 0.4);
    const char *text = written(h);
    ck_assert_int_eq(sscanf(text,
                            "examples,since,change,mean_before,mean_after\n%lu,%lu,rise,%lf,%lf\n",
                            &examples, &since, &before, &after),
                     4);
    ck_assert_msg(examples > 5000 && examples < 5000 + (unsigned)slack, "%s", text);
    ck_assert_msg(since > 4500 && since < examples, "%s", text);
    ck_assert_double_eq_tol(before, 0.1, 0.03);
    ck_assert_double_eq_tol(after, 0.4, 0.15);
    ck_assert(ended.rises == 1); /* although the window forgets step by step */
    ck_assert_double_eq_tol(ended.mean, 0.4, 0.05);
}

START_TEST(a_rise_of_the_errors_is_a_row_with_place_and_means)
{
    finds_the_rise("detector=adwin", 300);
    finds_the_rise("detector=page_hinkley tolerance=0.1 threshold=30", 300);
}
END_TEST

START_TEST(falls_are_reported_only_when_asked_for)
{
    static const char *const detectors[] = {"detector=adwin",
                                            "detector=page_hinkley tolerance=0.1 threshold=30"};
    for (int d = 0; d < 2; d++)
        for (int all = 0; all < 2; all++) {
            char with[128];
            uint64_t s = seed_given();
            snprintf(with, sizeof with, "%s changes=%s", detectors[d], all ? "all" : "rises");
            struct harness *h = drift(LEAT_SCORE_MARGIN, with);
            ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
            learn(h, &s, 5000, 0.4);
            learn(h, &s, 3000, 0.1);
            const char *text = written(h);
            ck_assert_msg((strstr(text, ",fall,") != NULL) == all, "%s: %s", with, text);
            ck_assert_ptr_null(strstr(text, ",rise,"));
            ck_assert(ended.falls >= 1);
        }
}
END_TEST

START_TEST(a_stream_that_stays_gives_no_row)
{
    uint64_t s = seed_given();
    struct harness *h = drift(LEAT_SCORE_MARGIN, "changes=all delta=1e-4");
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    learn(h, &s, 20000, 0.2);
    ck_assert_str_eq(written(h), "");
    ck_assert(ended.examples == 20000);
}
END_TEST

static double mean_of(uint32_t score, const char *with, float said, float label)
{
    struct harness *h = drift(score, with);
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    for (int i = 0; i < 10; i++)
        example(h, said, label, 1);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    written(h);
    return ended.mean;
}

START_TEST(losses_are_those_of_the_learners_kind)
{
    ck_assert(mean_of(LEAT_SCORE_MARGIN, "", -0.1f, 1) == 1);
    ck_assert(mean_of(LEAT_SCORE_MARGIN, "", 0, 1) == 0);
    ck_assert(mean_of(LEAT_SCORE_MARGIN, "", -2, 0) == 0);
    ck_assert_double_eq_tol(mean_of(LEAT_SCORE_MARGIN, "loss=log_loss max=5", -2, 1),
                            log(1 + exp(2)), 1e-12);
    ck_assert_double_eq_tol(mean_of(LEAT_SCORE_MARGIN, "loss=log_loss max=5", -2, -1),
                            log(1 + exp(-2)), 1e-12);
    ck_assert(mean_of(LEAT_SCORE_CLASS, "", 3, 3) == 0 && mean_of(LEAT_SCORE_CLASS, "", 3, 4) == 1);
    ck_assert_double_eq_tol(mean_of(LEAT_SCORE_VALUE, "max=10", 3, 4.5f), 1.5, 1e-12);
    ck_assert_double_eq_tol(mean_of(LEAT_SCORE_VALUE, "max=10", 3, 45), 10, 1e-12);
    ck_assert_double_eq_tol(mean_of(LEAT_SCORE_VALUE, "detector=page_hinkley max=10", 3, 4.5f), 1.5,
                            1e-12);
}
END_TEST

START_TEST(examples_that_are_held_out_or_have_no_label_are_not_watched)
{
    struct harness *h = drift(LEAT_SCORE_MARGIN, "");
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    example(h, 1, -1, 0);
    example(h, 1, NAN, 1);
    example(h, 1, 1, 3);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    written(h);
    ck_assert(ended.examples == 1 && ended.mean == 0);
}
END_TEST

START_TEST(log_loss_needs_log_odds)
{
    struct harness *h = drift(LEAT_SCORE_VALUE, "loss=log_loss");
    expect_errors(h, 1, "log_loss needs a learner whose scores are log odds");
    harness_free(h);
}
END_TEST

static void continues(uint32_t score, const char *with)
{
    uint64_t s = 5, t = 6;
    static char whole[4096];
    struct harness *h = drift(score, with);
    size_t n;
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    learn(h, &s, 5000, 0.1);
    learn(h, &s, 20, 0.4); /* in the midst of a change */
    const void *state = harness_snapshot(h, &n);
    ck_assert_ptr_nonnull(state);
    char *kept = aligned_alloc(64, (n + 63) & ~(size_t)63);
    memcpy(kept, state, n);
    learn(h, &t, 4000, 0.4);
    snprintf(whole, sizeof whole, "%s", written(h));
    double mean = ended.mean;
    ck_assert_ptr_nonnull(strstr(whole, "rise"));

    t = 6;
    h = drift(score, with);
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert_msg(harness_restore(h, kept, n) == LEAT_OK, "%s", h->said);
    learn(h, &t, 4000, 0.4);
    ck_assert_str_eq(written(h), whole);
    ck_assert(ended.mean == mean);
    free(kept);
}

START_TEST(a_restored_detector_finds_what_an_unbroken_one_finds)
{
    continues(LEAT_SCORE_MARGIN, "detector=adwin changes=all");
    continues(LEAT_SCORE_MARGIN, "detector=page_hinkley tolerance=0.1 threshold=60 changes=all");
    continues(LEAT_SCORE_MARGIN, "loss=log_loss detector=page_hinkley tolerance=0.01 threshold=10");
}
END_TEST

START_TEST(states_of_other_parameters_are_refused_by_name)
{
    static const struct {
        const char *with, *said;
    } cases[] = {{"delta=0.1", "delta"},
                 {"detector=page_hinkley", "detector"},
                 {"max=2", "max"},
                 {"tolerance=0.5", "tolerance"}};
    uint64_t s = 5;
    size_t n;
    struct harness *h = drift(LEAT_SCORE_MARGIN, "");
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    learn(h, &s, 500, 0.1);
    const void *state = harness_snapshot(h, &n);
    char *kept = aligned_alloc(64, (n + 63) & ~(size_t)63);
    memcpy(kept, state, n);
    written(h);
    for (int i = 0; i < 4; i++) {
        h = drift(LEAT_SCORE_MARGIN, cases[i].with);
        ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
        ck_assert_int_eq(harness_restore(h, kept, n), LEAT_EDATA);
        ck_assert_msg(strstr(h->said, cases[i].said) != NULL, "%s", h->said);
        written(h);
    }
    free(kept);
}
END_TEST

START_TEST(max_is_that_of_the_first_losses_whatever_their_scale)
{
    for (int power = -20; power <= 20; power += 10) {
        uint64_t s = seed_given();
        struct harness *h = drift(LEAT_SCORE_VALUE, "");
        ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
        for (int i = 0; i < 8000; i += BATCH) {
            harness_clear(h);
            for (int k = 0; k < BATCH; k++)
                example(h, (float)ldexp(uniform(&s, 0, i < 5000 ? 1 : 3), power), 0, 1);
            ck_assert_int_eq(harness_process(h), LEAT_OK);
        }
        ck_assert_ptr_nonnull(strstr(written(h), ",rise,"));
    }
}
END_TEST

LEAT_SUITE("drift", max_is_that_of_the_first_losses_whatever_their_scale,
           a_rise_of_the_errors_is_a_row_with_place_and_means,
           falls_are_reported_only_when_asked_for, a_stream_that_stays_gives_no_row,
           losses_are_those_of_the_learners_kind,
           examples_that_are_held_out_or_have_no_label_are_not_watched, log_loss_needs_log_odds,
           a_restored_detector_finds_what_an_unbroken_one_finds,
           states_of_other_parameters_are_refused_by_name)
