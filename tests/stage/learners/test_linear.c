/* test_linear.c -- parameters that all linear learners share, stage by stage. */
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"

static const struct {
    const char *plugin, *stage;
} all[] = {{"learners_linear", "learn.awm"},          {"learners_linear", "learn.wm"},
           {"learners_linear", "learn.hash"},         {"learners_linear", "learn.logistic"},
           {"learners_linear", "learn.truncation"},   {"learners_linear", "learn.prob_truncation"},
           {"learners_linear", "learn.space_saving"}, {"learners_linear", "learn.count_min"},
           {"learners_linear", "learn.mission"},      {"learners_linear", "learn.bear"}};
enum { LEARNERS = sizeof all / sizeof *all, BEAR = LEARNERS - 1, MISSION = LEARNERS - 2 };

static struct harness *make(int which)
{
    struct harness *h = harness_new(all[which].plugin, all[which].stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 8;
    if (which == BEAR) harness_set(h, "batch", "1"); /* learns at once, like the others */
    return h;
}

static struct harness *make_shared(int which)
{
    struct harness *h = make(which);
    harness_set(h, "rates", "shared");
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

/* ---- importance ---- */

/* Returns the score of an example, which is learned with this importance. */
static float score_of(struct harness *h, float weight, float label, const char *features)
{
    uint32_t e = harness_example(h, harness_record(h, ""), label, features);
    h->b.ex_weight[e] = weight;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    float score = h->b.score[e];
    harness_clear(h);
    return score;
}

START_TEST(examples_of_no_importance_are_predicted_as_others_and_not_learned_from)
{
    for (int k = 0; k < 2 * LEARNERS + MISSION; k++) {
        struct harness *held = make(k % LEARNERS), *other = make(k % LEARNERS);
        struct harness *both[] = {held, other};
        for (int i = 0; i < 2; i++) {
            if (k / LEARNERS)
                harness_set(both[i], k / LEARNERS == 1 ? "classes" : "l1",
                            k / LEARNERS == 1 ? "3" : "1e-4");
            harness_set(both[i], "lambda", "0.01");
            ck_assert_int_eq(harness_open(both[i], 4), LEAT_OK);
            for (int t = 0; t < 60; t++)
                learn_one(both[i], (float)(t % 2), t % 2 ? "1:1 2:0.5 7:1" : "3:1 2:-2 8:1");
        }
        for (int t = 0; t < 5; t++) /* 9 is new, and enters no table */
            ck_assert(score_of(held, 0, 1, "1:1 3:0.25 9:1") ==
                      score_of(held, 0, 0, "1:1 3:0.25 9:1"));
        ck_assert_msg(score_of(held, 0, 1, "1:1 3:0.25 9:1") ==
                          score_of(other, 1, 1, "1:1 3:0.25 9:1"),
                      "%s", held->stage->name);
        score_of(held, 1, 1, "1:1 3:0.25 9:1"); /* now both have learned the same */
        ck_assert(score_of(held, 1, 1, "1:1 2:1 3:1 9:1") ==
                  score_of(other, 1, 1, "1:1 2:1 3:1 9:1"));
        harness_free(held);
        harness_free(other);
    }
}
END_TEST

/* ---- l1 ---- */

START_TEST(a_penalty_takes_a_feature_that_says_nothing_and_leaves_one_that_does)
{
    for (int k = 0; k < MISSION; k++) {
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
    for (int k = 0; k < MISSION; k++) {
        struct harness *h = make_shared(k);
        harness_set(h, "l1", "1e-4");
        struct leat_plan p = (harness_negotiate(h), harness_plan(h));
        char text[32];
        snprintf(text, sizeof text, "%u", dear[k]);
        if (dear[k]) ck_assert_msg(strstr(p.note, text) != NULL, "%s: %s", all[k].stage, p.note);
        harness_free(h);
    }
}
END_TEST

START_TEST(mission_and_bear_have_one_rate_and_no_penalty_but_lambda)
{
    static const char *const own[] = {"l1", "rates", "rate", "precision"};
    for (int p = 0; p < 4; p++) {
        struct harness *mission = make(MISSION), *bear = make(BEAR), *awm = make(0);
        ck_assert_msg(!harness_takes(mission, own[p]), "%s", own[p]);
        ck_assert_msg(!harness_takes(bear, own[p]), "%s", own[p]);
        ck_assert_msg(harness_takes(awm, own[p]), "%s", own[p]);
        harness_free(mission);
        harness_free(bear);
        harness_free(awm);
    }
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

/* ---- classes ---- */

enum { CLASSES = 4 };

/* Features of one of four classes, and others; ids repeat in a row now and then. */
static uint32_t draw(uint64_t *s, char *text, size_t cap)
{
    uint32_t class = (uint32_t)(mix64_next(s) % CLASSES), n = 1 + (uint32_t)(mix64_next(s) % 8);
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = (uint32_t)(mix64_next(s) % 60 * (mix64_next(s) % 60) / 60);
        if (mix64_next(s) % 2) id = CLASSES * id + class;
        at += (size_t)snprintf(text + at, cap - at, "%u:%g ", id,
                               (double)(mix64_next(s) % 9) / 4 - 1);
    }
    return mix64_next(s) % 10 ? class : (uint32_t)(mix64_next(s) % CLASSES);
}

/* Settings, one a learner: "name=value name=value". */
static const char *const settings[LEARNERS] = {"counts=true rates=newton",
                                               "l1=1e-3",
                                               "half_life=100 counts=true",
                                               "l1=1e-3 counts=true",
                                               "rates=adagrad",
                                               "half_life=50",
                                               "counts=true",
                                               "lambda=0.01",
                                               "half_life=100 counts=true schedule=constant",
                                               "counts=true batch=5 lambda=1e-4"};

static struct harness *make_with(int k, int classes, int budget)
{
    struct harness *h = make(k);
    char text[128], *at = text, *word;
    snprintf(text, sizeof text, "%s", settings[k]);
    while ((word = strsep(&at, " "))) {
        char *value = strchr(word, '=');
        *value++ = 0;
        harness_set(h, word, value);
    }
    if (strcmp(all[k].stage, "learn.logistic")) {
        char bytes[16];
        snprintf(bytes, sizeof bytes, "%d", budget);
        harness_set(h, "budget", bytes);
    }
    if (classes) harness_set(h, "classes", classes == 3 ? "3" : "4");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    return h;
}

/* Gives one example to a learner of all classes and to one learner of each class. All predict. */
static void learn_all(struct harness *h, struct harness *const one[CLASSES], uint64_t *s, int n)
{
    for (int i = 0; i < n; i++) {
        char text[512];
        float most = 0;
        uint32_t class = draw(s, text, sizeof text), best = 0;
        uint32_t e = harness_example(h, harness_record(h, ""), (float)class, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
        for (uint32_t c = 0; c < CLASSES; c++) {
            uint32_t f =
                harness_example(one[c], harness_record(one[c], ""), c == class ? 1 : -1, text);
            ck_assert_int_eq(harness_process(one[c]), LEAT_OK);
            if (!c || one[c]->b.score[f] > most) most = one[c]->b.score[f], best = c;
            harness_clear(one[c]);
        }
        ck_assert_msg(h->b.score[e] == (float)best, "%s: %g, not %u", h->stage->name,
                      (double)h->b.score[e], best);
        harness_clear(h);
    }
}

/* Checks that h's answer consists of the answers of all of them, bit for bit. */
static void answers_alike(struct harness *h, struct harness *const one[CLASSES])
{
    static struct harness_answer a;
    uint32_t row = 0;
    a = *harness_query(h, LEAT_QUERY_TOP, 40, 0);
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct harness_answer *b = harness_query(one[c], LEAT_QUERY_TOP, 10, 0);
        ck_assert_uint_eq(a.n_columns, b->n_columns);
        for (uint32_t i = 0; i < b->n_rows; i++, row++) {
            char name[300];
            snprintf(name, sizeof name, "%u: %s", c, b->name[i]);
            ck_assert_uint_lt(row, a.n_rows);
            ck_assert_str_eq(a.name[row], name);
            ck_assert(!memcmp(a.value[row], b->value[i], a.n_columns * sizeof(double)));
        }
    }
    ck_assert_uint_eq(row, a.n_rows);
    ck_assert_uint_gt(row, CLASSES * 4);
}

struct quartet {
    struct harness *h, *one[CLASSES];
};

static struct quartet quartet_of(int k, uint64_t seed, int n)
{
    struct quartet q = {.h = make_with(k, CLASSES, 4 * 1024)};
    for (int c = 0; c < CLASSES; c++)
        q.one[c] = make_with(k, 0, 1024);
    learn_all(q.h, q.one, &seed, n);
    return q;
}

static void quartet_free(struct quartet *q)
{
    harness_free(q->h);
    for (int c = 0; c < CLASSES; c++)
        harness_free(q->one[c]);
}

START_TEST(classes_are_as_many_binary_learners_with_the_same_seed_to_the_bit)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct quartet q = quartet_of(k, (uint64_t)k, 600);
        answers_alike(q.h, q.one);
        if (k != 3) ck_assert_double_le(harness_metric(q.h, "model_bytes"), 4 * 1024);
        quartet_free(&q);
    }
}
END_TEST

START_TEST(classes_are_saved_restored_and_merged_as_the_binary_learners_are)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct quartet q = quartet_of(k, 1, 300), p = quartet_of(k, 2, 200);
        struct harness *fresh = make_with(k, CLASSES, 4 * 1024);
        uint64_t seed = 9, same = 9;
        size_t n;
        const void *bytes = harness_snapshot(q.h, &n);
        ck_assert_msg(bytes != NULL, "%s", q.h->said);
        ck_assert_int_eq(harness_restore(fresh, bytes, n), LEAT_OK);
        learn_all(q.h, q.one, &seed, 100);
        for (int i = 0; i < 100; i++) {
            char text[512];
            uint32_t class = draw(&same, text, sizeof text);
            learn_one(fresh, (float)class, text);
        }
        answers_alike(fresh, q.one);
        bytes = harness_snapshot(p.h, &n);
        ck_assert_int_eq(harness_merge(q.h, bytes, n, 2), LEAT_OK);
        for (int c = 0; c < CLASSES; c++) {
            bytes = harness_snapshot(p.one[c], &n);
            ck_assert_int_eq(harness_merge(q.one[c], bytes, n, 2), LEAT_OK);
        }
        answers_alike(q.h, q.one);
        harness_free(fresh);
        quartet_free(&q);
        quartet_free(&p);
    }
}
END_TEST

START_TEST(a_state_of_other_classes_is_refused_and_changes_nothing)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct quartet q = quartet_of(k, 1, 50);
        struct harness *three = make_with(k, 3, 4 * 1024), *two = make_with(k, 0, 1024);
        size_t n;
        const void *bytes = harness_snapshot(q.h, &n);
        ck_assert_int_eq(harness_restore(three, bytes, n), LEAT_EDATA);
        ck_assert_msg(strstr(three->said, "classes is 4 in the saved state and 3 here"), "%s",
                      three->said);
        ck_assert_int_eq(harness_merge(two, bytes, n, 1), LEAT_EDATA);
        answers_alike(q.h, q.one);
        harness_free(three);
        harness_free(two);
        quartet_free(&q);
    }
}
END_TEST

START_TEST(labels_that_are_no_class_are_rejected_and_change_nothing)
{
    const float bad[] = {-1, 4, 0.5f, 1e30f, NAN, INFINITY};
    for (int k = 0; k < LEARNERS; k++) {
        struct quartet q = quartet_of(k, 1, 50);
        for (int i = 0; i < 6; i++) {
            uint32_t r = harness_record(q.h, "");
            harness_example(q.h, r, bad[i], "1:1");
            ck_assert_int_eq(harness_process(q.h), LEAT_OK);
            const char *said =
                isnan(bad[i]) ? "the record has no label" : "not a class: classes are 0 to 3";
            ck_assert_ptr_nonnull(strstr(harness_rejected(q.h, r)->text, said));
            harness_clear(q.h);
        }
        harness_example(q.h, harness_record(q.h, ""), 1, "1:1 2:nan");
        ck_assert_int_eq(harness_process(q.h), LEAT_OK);
        ck_assert_uint_eq(q.h->n_rejections, 1);
        answers_alike(q.h, q.one);
        quartet_free(&q);
    }
}
END_TEST

START_TEST(classes_are_named_as_the_labels_are)
{
    static const char *const names[] = {"red", "green", "blue"};
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        h->in.n_classes = 3;
        h->in.classes = names;
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        ck_assert_int_eq(h->out.score, LEAT_SCORE_CLASS);
        for (int i = 0; i < 60; i++) {
            char text[16];
            snprintf(text, sizeof text, "%d:1", i % 3);
            learn_one(h, (float)(i % 3), text);
        }
        ck_assert_double_gt(weight_of(h, "green: 1"), 0);
        ck_assert_double_lt(weight_of(h, "green: 2"), 0);
        harness_free(h);
        h = make(k);
        h->in.n_classes = 3;
        h->in.classes = names;
        harness_set(h, "classes", "4");
        expect_errors(h, 1, "classes: is 4, but the labels have 3");
        harness_free(h);
    }
}
END_TEST

START_TEST(two_classes_are_one_binary_model)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "classes", "2");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        ck_assert_int_eq(h->out.score, LEAT_SCORE_MARGIN);
        learn_one(h, 0, "1:1");
        learn_one(h, 1, "2:1");
        ck_assert_double_lt(weight_of(h, "1"), 0);
        ck_assert_double_gt(weight_of(h, "2"), 0);
        harness_free(h);
    }
}
END_TEST

START_TEST(one_class_is_nothing_to_tell_apart)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "classes", "1");
        expect_errors(h, 1, "classes");
        harness_free(h);
    }
}
END_TEST

START_TEST(no_support_is_beyond_all_records_where_they_repeat_a_feature)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "counts", "true");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        for (int i = 0; i < 4; i++)
            learn_one(h, i % 2 ? 1 : -1, "1:1 1:1 1:1");
        ck_assert_double_eq(value_of(h, "support_outliers"), 1);
        ck_assert_double_eq(value_of(h, "support_inliers"), 1);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_hundred_classes_can_be_saved)
{
    for (int k = 0; k < MISSION; k += 3) {
        struct harness *h = make(k);
        harness_set(h, "classes", "100");
        harness_set(h, "counts", "true");
        harness_set(h, "l1", "1e-4");
        if (k != 3) harness_set(h, "budget", "1MB");
        if (k != 1) harness_set(h, "rates", "newton");
        ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
        for (int i = 0; i < 200; i++)
            learn_one(h, (float)(i % 100), "1:1 2:1");
        size_t n;
        const void *bytes = harness_snapshot(h, &n);
        ck_assert_msg(bytes != NULL, "%s", h->said);
        ck_assert_int_eq(harness_restore(h, bytes, n), LEAT_OK);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_precision_that_other_rates_do_not_use_is_warned_of)
{
    const char *const having[] = {"learn.awm", "learn.truncation"};
    for (int k = 0; k < 2; k++) {
        struct harness *h = harness_new("learners_linear", having[k]);
        harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
        harness_set(h, "precision", "full");
        harness_negotiate(h);
        ck_assert_int_eq(h->warnings, 0);
        harness_set(h, "rates", "newton");
        harness_negotiate(h);
        ck_assert_int_eq(h->warnings, 1);
        ck_assert(
            strstr(h->said, "precision: has no effect with rates = \"newton\": leave it out"));
        harness_free(h);
    }
}
END_TEST

START_TEST(a_rate_that_shared_rates_do_not_use_is_warned_of)
{
    for (int k = 0; k < MISSION; k++) {
        struct harness *h = make_shared(k);
        harness_set(h, "rate", "0.5");
        ck_assert_int_eq(harness_negotiate(h), 0);
        ck_assert_int_eq(h->warnings, 1);
        ck_assert(strstr(h->said, "rate: has no effect with rates = \"shared\": leave it out"));
        harness_set(h, "rates", "adagrad");
        harness_negotiate(h);
        ck_assert_int_eq(h->warnings, 0);
        harness_set(h, "rates", "shared");
        harness_set(h, "rate", "0");
        ck_assert_int_eq(harness_negotiate(h), 0);
        ck_assert_int_eq(h->warnings, 0);
        harness_free(h);
    }
}
END_TEST

START_TEST(counts_of_labels_that_are_made_up_are_warned_of)
{
    for (int k = 0; k < LEARNERS; k++) {
        struct harness *h = make(k);
        harness_set(h, "bias", "prior");
        harness_set(h, "counts", "true");
        ck_assert_int_eq(harness_negotiate(h), 0);
        ck_assert_int_eq(h->warnings, 0);
        h->in.made_labels = 1;
        ck_assert_int_eq(harness_negotiate(h), 0);
        ck_assert_int_eq(h->warnings, 2);
        ck_assert_ptr_nonnull(strstr(h->said, "bias: \"prior\" counts labels"));
        ck_assert_ptr_nonnull(strstr(h->said, "counts: true shows relative risks"));
        harness_free(h);
    }
}
END_TEST

/* ---- merged models ---- */

/* Returns the spread of a feature's weight; NaN if it is missing, -1 if there is no such column. */
static double spread_of(struct harness *h, const char *name)
{
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 100, 0);
    uint32_t last = a->n_columns - 1;
    if (strcmp(a->column[last], "spread")) return -1;
    for (uint32_t i = 0; i < a->n_rows; i++)
        if (!strcmp(a->name[i], name)) return a->value[i][last];
    ck_abort_msg("%s is missing", name);
}

enum { PARTS = 3 };

/* Returns a learner of the records of part p. All parts have the features 1 and 2, part 0 has 7. */
static struct harness *part_of(int which, bool counts, int p)
{
    struct harness *h = make_shared(which);
    uint64_t seed = 1;
    if (counts) harness_set(h, "counts", "true");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    for (int i = 0; i < 40 + 30 * p; i++) {
        bool one = mix64(seed++ + (uint64_t)p) % 8 < 2 + 2 * (uint64_t)p;
        static const char *const rows[2][2] = {{"1:0.5 2:1", "1:1 7:1"}, {"2:1", "1:1 2:0.5"}};
        learn_one(h, one ? 1 : -1, rows[p > 0][one]);
    }
    return h;
}

/* Compares spreads with long double sums over the weights of the parts: with shared rates a model
 * knows each weight by its number of examples. */
static void check_spreads(int which, bool counts)
{
    struct harness *h[PARTS];
    long double n = 0, sum[2] = {0}, squares[2] = {0};
    for (int p = 0; p < PARTS; p++) {
        h[p] = part_of(which, counts, p);
        n += 40 + 30 * p;
        for (int f = 0; f < 2; f++) {
            long double w = weight_of(h[p], f ? "2" : "1");
            sum[f] += (40 + 30 * p) * w;
            squares[f] += (40 + 30 * p) * w * w;
        }
        ck_assert(spread_of(h[p], "1") == -1);
    }
    for (int p = 1; p < PARTS; p++) {
        size_t size;
        const void *bytes = harness_snapshot(h[p], &size);
        ck_assert_int_eq(harness_merge(h[0], bytes, size, 1), LEAT_OK);
    }
    for (int f = 0; f < 2; f++) {
        double v = (double)(squares[f] / n - sum[f] * sum[f] / n / n), s = sqrt(v / (PARTS - 1));
        ck_assert_double_gt(s, 0.01);
        ck_assert_double_eq_tol(spread_of(h[0], f ? "2" : "1"), s, 1e-6);
    }
    ck_assert(isnan(spread_of(h[0], "7")));
    learn_one(h[0], 1, "1:1");
    ck_assert(spread_of(h[0], "1") == -1);
    for (int p = 0; p < PARTS; p++)
        harness_free(h[p]);
}

START_TEST(a_merged_model_tells_how_far_its_parts_disagree_until_it_learns)
{
    for (int k = 0; k < 8; k++)
        check_spreads(k % 4, k / 4);
}
END_TEST

LEAT_SUITE("linear learners", a_merged_model_tells_how_far_its_parts_disagree_until_it_learns,
           classes_are_as_many_binary_learners_with_the_same_seed_to_the_bit,
           classes_are_saved_restored_and_merged_as_the_binary_learners_are,
           a_state_of_other_classes_is_refused_and_changes_nothing,
           labels_that_are_no_class_are_rejected_and_change_nothing,
           classes_are_named_as_the_labels_are, two_classes_are_one_binary_model,
           examples_of_no_importance_are_predicted_as_others_and_not_learned_from,
           one_class_is_nothing_to_tell_apart,
           no_support_is_beyond_all_records_where_they_repeat_a_feature,
           a_hundred_classes_can_be_saved, counts_and_weights_are_worth_half_after_a_half_life,
           a_penalty_takes_a_feature_that_says_nothing_and_leaves_one_that_does,
           a_penalty_costs_four_bytes_a_feature_that_is_kept_exactly,
           mission_and_bear_have_one_rate_and_no_penalty_but_lambda,
           a_precision_that_other_rates_do_not_use_is_warned_of,
           a_rate_that_shared_rates_do_not_use_is_warned_of,
           counts_of_labels_that_are_made_up_are_warned_of)
