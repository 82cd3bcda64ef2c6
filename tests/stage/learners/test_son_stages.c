/* test_son_stages.c -- the stages of the online Newton family: refusals, answers, states.
 *
 * These are learn.adagrad, full_on, rp_son, oja_son, rfd_son, fd_son, ftrl_proximal. test_state.c
 * has the laws of merge. */
#include "support/expect.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/laws.h"

/* Learners that cannot merge, and their reason. */
static const struct learner alone[] = {
    {"learners_son", "learn.adagrad", "alpha0=2", "depend on the steps", 0, 0, 0},
    {"learners_son", "learn.full_on", "loss=logistic clip=5", "baseline", 0, 0, 0},
    {"learners_son", "learn.rp_son", "m=7 alpha0=50 seed=3", "same signs", 0, 0, 0},
    {"learners_son", "learn.oja_son", "m=6 alpha0=20", "eigenvectors", 0, 0, 0},
    {"learners_son", "learn.rfd_son", "m=6 scale=diagonal", "each sketch has its own scales", 0, 0,
     0},
};
static const struct learner both[] = {
    {"learners_son", "learn.rfd_son", "m=5", "", 0, 0, 0},
    {"learners_son", "learn.rfd_son", "m=5 alpha0=0 floor=0 warm=0 shrink=before eta=1", "", 0, 0,
     0},
    {"learners_son", "learn.fd_son", "m=5", "", 0, 0, 0},
    {"learners_son", "learn.s_adagrad", "m=5", "", 0, 0, 0},
    {"learners_son", "learn.ftrl_proximal", "bias=false", "", 0, 0, 0},
};

#define EACH(L, LIST)                                                                              \
    const struct learner *L = LIST;                                                                \
    L < LIST + sizeof LIST / sizeof *LIST;                                                         \
    L++

START_TEST(a_restored_learner_continues_bit_for_bit)
{
    static float want[400], got[400];
    for (EACH(l, alone)) {
        struct harness *h = learner_after(l, 1, 500, MANY), *copy = learner_after(l, 5, 90, 20);
        struct kept s = kept_from(h);
        kept_restore(copy, &s);
        ck_assert(kept_is_of(copy, &s));
        learner_learn(h, 2, 400, MANY, want);
        learner_learn(copy, 2, 400, MANY, got);
        ck_assert_msg(!memcmp(want, got, sizeof want), "%s", l->stage);
        ck_assert_uint_gt(law_same_top(h, copy), 50);
        free(s.bytes);
        harness_free(h);
        harness_free(copy);
    }
}
END_TEST

START_TEST(a_merge_that_is_not_defined_is_refused_with_a_reason)
{
    for (EACH(l, alone)) {
        struct harness *h = learner_after(l, 1, 100, 50);
        struct kept a = kept_from(h), b = kept_of(l, 2, 100, 50);
        ck_assert_int_eq(harness_merge(h, b.bytes, b.n, 1), LEAT_EDATA);
        ck_assert_msg(strstr(h->said, l->differs) != NULL, "%s: %s", l->stage, h->said);
        ck_assert(kept_is_of(h, &a));
        free(a.bytes), free(b.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(without_memory_a_restore_changes_nothing)
{
    for (EACH(l, alone)) {
        struct harness *h = learner_after(l, 1, 100, 50);
        struct kept a = kept_from(h), b = kept_of(l, 2, 300, MANY);
        int got = LEAT_ENOMEM;
        for (int64_t k = 0; got == LEAT_ENOMEM; k++) {
            ck_assert(kept_is_of(h, &a));
            h->allocs_left = k;
            got = harness_restore(h, b.bytes, b.n);
            h->allocs_left = -1;
        }
        ck_assert_int_eq(got, LEAT_OK);
        ck_assert(kept_is_of(h, &b));
        free(a.bytes), free(b.bytes);
        harness_free(h);
    }
}
END_TEST

/* ---- refusals ---- */

static struct harness *bare(const struct learner *l, const char *more)
{
    struct harness *h = learner_fresh_with(l, more);
    harness_clear(h);
    return h;
}

static void examples(struct harness *h, float label, const char *text)
{
    harness_example(h, harness_record(h, ""), label, text);
}

static void refuses_what_is_bad(const struct learner *l)
{
    struct harness *h = learner_after(l, 1, 100, 30);
    struct kept is = kept_from(h);
    harness_clear(h);
    examples(h, 3, "1:1");
    examples(h, NAN, "1:1");
    examples(h, 1, "1:nan");
    examples(h, 1, "2:1 1:inf");
    examples(h, 1, "1:9e14 2:-9e14");
    uint32_t heavy = harness_record(h, "");
    h->b.weight[heavy] = 1e16f;
    harness_example(h, heavy, 1, "1:1");
    uint32_t negative = harness_record(h, "");
    h->b.weight[negative] = -1;
    harness_example(h, negative, 1, "1:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 7);
    ck_assert_int_eq(harness_rejected(h, 0)->reason, LEAT_R_LABEL);
    ck_assert_int_eq(harness_rejected(h, 2)->reason, LEAT_R_NONFINITE);
    ck_assert(strstr(harness_rejected(h, 3)->text, "entry 2 (feature 1) is inf"));
    ck_assert(strstr(harness_rejected(h, 4)->text, "add up to 1.8e+15"));
    ck_assert(strstr(harness_rejected(h, 5)->text, "importance weight 1e+16"));
    ck_assert(kept_is_of(h, &is));
    free(is.bytes);
    harness_free(h);
}

START_TEST(records_that_cannot_be_learned_are_rejected_and_change_nothing)
{
    for (EACH(l, alone))
        refuses_what_is_bad(l);
    for (EACH(l, both))
        refuses_what_is_bad(l);
}
END_TEST

static void ignores_late_features(struct harness *h)
{
    examples(h, 1, "1:1 2:1 3:1 4:1 5:1");
    examples(h, 1, "6:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(learner_top(h)->n_rows, 4);
    ck_assert(harness_metric(h, "ignored_entries") == 2);
    ck_assert(h->b.score[1] == 0);
    harness_free(h);
}

START_TEST(features_beyond_max_features_are_ignored_and_counted)
{
    ignores_late_features(bare(&both[0], "max_features=4"));
    ignores_late_features(bare(&alone[1], "max_features=4"));
}
END_TEST

/* This setting is allowed, but not with scale = "diagonal". */
static void does_not_go_with_scaling(const char *param, const char *value)
{
    struct harness *h = harness_new("learners_son", "learn.rfd_son");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    harness_set(h, param, value);
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_set(h, "scale", "diagonal");
    expect_errors(h, 1, param);
    harness_free(h);
}

START_TEST(diagonal_scaling_needs_an_alpha0_and_neither_shrinks_first_nor_fades)
{
    does_not_go_with_scaling("alpha0", "0");
    does_not_go_with_scaling("shrink", "before");
    does_not_go_with_scaling("half_life", "100");
}
END_TEST

/* ---- labels that are numbers ---- */

static void learn_numbers(struct harness *h, int n)
{
    for (int i = 0; i < n; i++) {
        char text[64];
        harness_clear(h);
        snprintf(text, sizeof text, "%d:1 %d:0.5 9:1", i % 5, 5 + i % 3);
        examples(h, (float)(i % 5 * 10 + i % 3 - 20), text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
    }
}

static const char *const numbers[] = {"learn.adagrad",  "learn.full_on", "learn.rp_son",
                                      "learn.oja_son",  "learn.rfd_son", "learn.fd_son",
                                      "learn.s_adagrad"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct harness *of_numbers(int k, const char *with)
{
    const struct learner l = {"learners_son", numbers[k], "labels=numbers alpha0=1", "", 0, 0, 0};
    struct harness *h = learner_fresh_with(&l, with);
    harness_clear(h);
    return h;
}

START_TEST(numbers_within_the_clip_are_learned_and_estimated)
{
    for (int k = 0; k < NUMBERS; k++) {
        struct harness *h = of_numbers(k, "clip=25");
        ck_assert_int_eq((int)h->out.score, LEAT_SCORE_VALUE);
        learn_numbers(h, 3000);
        double apart = 0;
        for (int i = 0; i < 15; i++) {
            learn_numbers(h, 15);
            apart += fabs((double)h->b.score[0] - (double)h->b.ex_label[0]) / 15;
        }
        ck_assert_msg(apart < 1, "%s: %g apart", numbers[k], apart);
        harness_free(h);
    }
}
END_TEST

START_TEST(numbers_beyond_the_clip_are_rejected_and_said)
{
    struct harness *h = of_numbers(4, "clip=25");
    examples(h, 25, "1:1");
    examples(h, 25.5f, "1:1");
    examples(h, NAN, "1:1");
    examples(h, 3, "1:nan");
    uint32_t negative = harness_record(h, "");
    h->b.weight[negative] = -1;
    harness_example(h, negative, 1, "1:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 4);
    ck_assert_str_eq(harness_rejected(h, 1)->text,
                     "label 25.5 is not within -clip to clip = 25: raise clip");
    ck_assert_int_eq(harness_rejected(h, 2)->reason, LEAT_R_LABEL);
    ck_assert(strstr(harness_rejected(h, 4)->text, "importance weight -1"));
    harness_free(h);
}
END_TEST

START_TEST(a_restored_learner_of_numbers_continues_bit_for_bit)
{
    for (int k = 0; k < NUMBERS; k++) {
        struct harness *h = of_numbers(k, "clip=25"), *copy = of_numbers(k, "clip=25");
        learn_numbers(h, 200);
        struct kept s = kept_from(h);
        kept_restore(copy, &s);
        ck_assert(kept_is_of(copy, &s));
        for (int i = 0; i < 20; i++) {
            learn_numbers(h, 7), learn_numbers(copy, 7);
            ck_assert(h->b.score[0] == copy->b.score[0]);
        }
        free(s.bytes);
        harness_free(h);
        harness_free(copy);
    }
}
END_TEST

START_TEST(a_loss_or_clip_that_does_not_fit_the_labels_is_an_error)
{
    static const struct {
        const char *labels, *loss, *clip, *said;
    } cases[] = {{"numbers", "logistic", "5", "logistic is a loss of classes"},
                 {"numbers", "squared_hinge", "5", "needs loss = \"squared\""},
                 {"classes", "squared", "31", "31 is above 30"}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < NUMBERS; k++) {
            struct harness *h = harness_new("learners_son", numbers[k]);
            harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
            harness_set(h, "labels", cases[i].labels);
            harness_set(h, "loss", cases[i].loss);
            harness_set(h, "clip", cases[i].clip);
            expect_errors(h, 1, cases[i].said);
            harness_free(h);
        }
}
END_TEST

/* ---- answers ---- */

/* Within the clip, z of an example is the sum of the top's weights. */
static void shows_its_weights(const struct learner *l)
{
    struct harness *h = learner_after(l, 1, 300, 20);
    const struct harness_answer *top = learner_top(h);
    int looked_at = 0;
    for (uint32_t i = 0; i < top->n_rows; i++) {
        const char *id = top->name[i] + strcspn(top->name[i], "0123456789");
        double w = top->value[i][0];
        char text[64];
        if (i) ck_assert(fabs(w) <= fabs(top->value[i - 1][0]));
        if (fabs(w) > 0.9) continue;
        snprintf(text, sizeof text, "%s:1", id);
        harness_clear(h);
        uint32_t r = harness_record(h, "");
        h->b.weight[r] = 0;
        harness_example(h, r, 1, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        bool log_odds = strstr(l->with, "logistic") || strstr(l->stage, "ftrl");
        double want = log_odds ? w : log((1 + 0.98 * w) / (1 - 0.98 * w));
        ck_assert_msg(fabs((double)h->b.score[0] - want) < 1e-5, "%s: %g, not %g", l->stage,
                      (double)h->b.score[0], want);
        looked_at++;
    }
    ck_assert_int_gt(looked_at, 5);
    harness_free(h);
}

START_TEST(the_top_shows_the_weights_by_which_it_predicts)
{
    for (EACH(l, alone))
        shows_its_weights(l);
    for (EACH(l, both))
        shows_its_weights(l);
}
END_TEST

START_TEST(a_stream_of_one_example_and_an_empty_one_are_fine)
{
    for (EACH(l, alone)) {
        struct harness *h = bare(l, "");
        ck_assert_uint_eq(learner_top(h)->n_rows, 0);
        examples(h, 1, "");
        examples(h, 1, "7:1 7:1");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert(h->b.score[0] == 0 && h->b.score[1] == 0);
        ck_assert(learner_top(h)->n_rows == 1 && learner_top(h)->value[0][0] > 0);
        harness_free(h);
    }
}
END_TEST

LEAT_SUITE("online Newton stages", numbers_within_the_clip_are_learned_and_estimated,
           numbers_beyond_the_clip_are_rejected_and_said,
           a_restored_learner_of_numbers_continues_bit_for_bit,
           a_loss_or_clip_that_does_not_fit_the_labels_is_an_error,
           a_restored_learner_continues_bit_for_bit,
           a_merge_that_is_not_defined_is_refused_with_a_reason,
           without_memory_a_restore_changes_nothing,
           records_that_cannot_be_learned_are_rejected_and_change_nothing,
           features_beyond_max_features_are_ignored_and_counted,
           diagonal_scaling_needs_an_alpha0_and_neither_shrinks_first_nor_fades,
           the_top_shows_the_weights_by_which_it_predicts,
           a_stream_of_one_example_and_an_empty_one_are_fine)
