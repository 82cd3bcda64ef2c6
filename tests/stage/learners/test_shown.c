/* test_shown.c -- features that learn.awm, learn.logistic and learn.frequent leave out of an
 * answer.
 *
 * These are rare features, small risks, and conjunctions that add nothing to their parts. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/harness.h"
#include "support/suite.h"

/* ---- exploded records of a few attributes and their pairs ---- */

static struct harness *learner(const char *plugin, const char *stage)
{
    struct harness *h = harness_new(plugin, stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL | LEAT_HAS_NAMES);
    for (const char *f = "abc"; *f; f++)
        harness_field(h, (const char[2]){*f, 0});
    h->in.examples_per_record = h->in.entries_per_record = 6;
    h->in.parts_per_record = 3;
    return h;
}

static struct harness *linear(const char *plugin, const char *stage)
{
    struct harness *h = learner(plugin, stage);
    harness_set(h, "bias", "prior");
    harness_set(h, "rates", "newton");
    harness_set(h, "counts", "true");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    return h;
}

static struct harness *awm(void) { return linear("learners_linear", "learn.awm"); }

static struct harness *logistic(void) { return linear("learners_linear", "learn.logistic"); }

static struct harness *frequent(const char *by)
{
    struct harness *h = learner("learners_counting", "learn.frequent");
    harness_set(h, "by", by);
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    return h;
}

static void entry(struct harness *h, uint32_t r, float label, uint64_t id, uint32_t p, uint32_t q)
{
    char feature[32];
    snprintf(feature, sizeof feature, "%llu:1", (unsigned long long)id);
    harness_example(h, r, label, feature);
    h->b.name[h->b.n_entries - 1] = (struct leat_name){{p, q, 0}};
}

/* Adds a record with the values "xyz" of the fields a, b, c; '-' if it has none. Features are
 * singles, then pairs. */
static void record(struct harness *h, const char *values, float label)
{
    uint32_t r = harness_record(h, values), part[3], n = 0;
    uint64_t id[3];
    for (uint32_t f = 0; f < 3; f++) {
        if (values[f] == '-') continue;
        part[n] = leat_add_part(&h->b, f, (struct leat_str){h->b.raw[r].off + f, 1});
        id[n] = feature_id_value(feature_id_name(&"abc"[f], 1), values + f, 1);
        entry(h, r, label, id[n], part[n], 0);
        n++;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            entry(h, r, label, feature_id_and2(feature_id_part(id[i]), feature_id_part(id[j])),
                  part[i], part[j]);
}

static void learn(struct harness *h)
{
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_clear(h);
}

/* ---- the answer as text: names with ';' between them, each with its count ---- */

struct answer {
    struct leat_result base;
    char text[4096];
    double count[64];
    uint32_t columns, rows;
};

static int on_columns(struct leat_result *base, const char *const *names, uint32_t n)
{
    ((struct answer *)base)->columns = n;
    return LEAT_OK;
}

static int on_row(struct leat_result *base, const char *name, size_t len, const double *values)
{
    struct answer *a = (struct answer *)base;
    snprintf(a->text + strlen(a->text), sizeof a->text - strlen(a->text), "%.*s;", (int)len, name);
    a->count[a->rows++] = values[a->columns - 1];
    return LEAT_OK;
}

static const struct answer *ask(struct harness *h, struct leat_query q)
{
    static struct answer a;
    a = (struct answer){.base = {sizeof a.base, 0, on_columns, on_row}};
    if (!q.size) q.size = sizeof q;
    q.kind = LEAT_QUERY_TOP;
    size_t before = h->allocated;
    ck_assert_int_eq(h->stage->learner->query(&h->ctx, h->self, &q, &a.base), LEAT_OK);
    ck_assert_uint_eq(h->allocated, before);
    return &a;
}

static bool shows(const struct answer *a, const char *name)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s;", name);
    const char *at = strstr(a->text, wanted);
    while (at && at > a->text && at[-1] != ';')
        at = strstr(at + 1, wanted);
    return at != NULL;
}

/* a=1 with b=1 is always an outlier. Either alone is one every second time. c repeats a. */
static void teach_a_genuine_pair(struct harness *h)
{
    for (int i = 0; i < 200; i++) {
        record(h, "111", 1);
        record(h, "121", i & 1 ? 1 : -1);
        record(h, "212", i & 1 ? 1 : -1);
        record(h, "222", -1);
        record(h, "33-", -1);
        learn(h);
    }
}

static void check_distinct(struct harness *h)
{
    teach_a_genuine_pair(h);
    const struct answer *all = ask(h, (struct leat_query){.k = 50});
    ck_assert(shows(all, "a=1 & b=1") && shows(all, "a=1 & c=1") && shows(all, "a=1"));
    const struct answer *a = ask(h, (struct leat_query){.k = 50, .min_odds_gain = 1.2});
    ck_assert_msg(shows(a, "a=1 & b=1") && shows(a, "b=1 & c=1"), "%s", a->text);
    ck_assert_msg(!shows(a, "a=1 & c=1") && !shows(a, "a=2 & c=2"), "%s", a->text);
    ck_assert_msg(shows(a, "a=1") && shows(a, "b=1") && shows(a, "c=1"), "%s", a->text);
    ck_assert_msg(shows(a, "a=2 & b=2"), "pairs that point away, too: %s", a->text);
    a = ask(h, (struct leat_query){.k = 50, .min_odds_gain = 1e6});
    ck_assert_msg(!shows(a, "a=1 & b=1"), "nothing beats its parts by so much: %s", a->text);
    a = ask(h, (struct leat_query){.k = 3, .min_odds_gain = 1.2});
    ck_assert_uint_eq(a->rows, 3);
    harness_free(h);
}

START_TEST(awm_shows_a_pair_only_if_it_beats_its_parts) { check_distinct(awm()); }
END_TEST

/* a=1 is in 400 outliers and 4 inliers. Its pair with b=1 is in the same outliers only, so it has
 * infinite odds, but hardly more risk. b=3 and c=3 are each in 300 outliers and 100 inliers, and
 * together in 200 outliers only. */
START_TEST(a_few_inliers_less_do_not_make_a_pair)
{
    struct harness *h = awm();
    for (int i = 0; i < 400; i++) {
        record(h, "11-", 1);
        if (i % 100 == 0) record(h, "12-", -1);
        record(h, "31-", -1);
        record(h, i & 1 ? "-33" : "3--", i & 1 ? 1 : -1);
        record(h, i & 1 ? "-34" : "-43", i & 2 ? 1 : -1);
        learn(h);
    }
    const struct answer *a = ask(h, (struct leat_query){.k = 50, .min_odds_gain = 1.5});
    ck_assert_msg(shows(a, "a=1") && !shows(a, "a=1 & b=1"), "%s", a->text);
    ck_assert_msg(shows(a, "b=3") && shows(a, "b=3 & c=3"), "%s", a->text);
    harness_free(h);
}
END_TEST

START_TEST(logistic_shows_a_pair_only_if_it_beats_its_parts) { check_distinct(logistic()); }
END_TEST

START_TEST(a_restored_logistic_knows_the_parts_of_its_pairs)
{
    struct harness *h = logistic(), *fresh = logistic();
    size_t n;
    teach_a_genuine_pair(h);
    const void *bytes = harness_snapshot(h, &n);
    ck_assert_int_eq(harness_restore(fresh, bytes, n), LEAT_OK);
    ck_assert_int_eq(harness_merge(h, bytes, n, 1), LEAT_OK);
    for (int i = 0; i < 2; i++) {
        const struct answer *a =
            ask(i ? h : fresh, (struct leat_query){.k = 50, .min_odds_gain = 1.2});
        ck_assert_msg(shows(a, "a=1 & b=1") && !shows(a, "a=1 & c=1"), "%s", a->text);
    }
    harness_free(h);
    harness_free(fresh);
}
END_TEST

START_TEST(frequent_shows_a_pair_only_if_it_beats_its_parts) { check_distinct(frequent("risk")); }
END_TEST

START_TEST(a_value_that_looks_like_a_conjunction_is_none)
{
    struct harness *h = frequent("count");
    for (int i = 0; i < 10; i++) {
        uint32_t r = harness_record(h, "x & b=y");
        uint32_t whole = leat_add_part(&h->b, 0, (struct leat_str){h->b.raw[r].off, 7});
        uint32_t x = leat_add_part(&h->b, 0, (struct leat_str){h->b.raw[r].off, 1});
        entry(h, r, 1, 1, whole, 0);
        entry(h, r, 1, 2, x, 0);
        entry(h, harness_record(h, "z"), -1, 3, whole, x);
        learn(h);
    }
    ck_assert(shows(ask(h, (struct leat_query){.k = 9, .min_odds_gain = 1.5}), "a=x & b=y"));
    harness_free(h);
}
END_TEST

/* Outliers: 40; inliers: 60. a=1 in 20 and 10, a=2 in 19 and 50, a=3 in 1 and none. */
static void teach_counts(struct harness *h)
{
    for (int i = 0; i < 100; i++) {
        bool outlier = i < 40;
        const char *values = i < 20   ? "1--"
                             : i < 39 ? "2--"
                             : i < 40 ? "3--"
                             : i < 50 ? "1--"
                                      : "2--";
        record(h, values, outlier ? 1 : -1);
        learn(h);
    }
}

static void check_conditions(struct harness *h)
{
    teach_counts(h);
    ck_assert_uint_eq(ask(h, (struct leat_query){.k = 9})->rows, 3);
    ck_assert_uint_eq(ask(h, (struct leat_query){.k = 9, .min_support = 0.025})->rows, 3);
    const struct answer *a = ask(h, (struct leat_query){.k = 9, .min_support = 0.026});
    ck_assert_msg(a->rows == 2 && !shows(a, "a=3"), "%s", a->text);
    a = ask(h, (struct leat_query){.k = 9, .min_support = 0.476});
    ck_assert_msg(a->rows == 1 && shows(a, "a=1") && a->count[0] == 30, "%s", a->text);
    /* risks: 20/30 by 20/70 is 2.33; 1.4/2 by 39.4/100 is 1.78, with 0.4 + 0.6 records more */
    a = ask(h, (struct leat_query){.k = 9, .min_risk_ratio = 1.77});
    ck_assert_msg(a->rows == 2 && shows(a, "a=1") && shows(a, "a=3"), "%s", a->text);
    a = ask(h, (struct leat_query){.k = 9, .min_risk_ratio = 1.79});
    ck_assert_msg(a->rows == 1 && shows(a, "a=1"), "%s", a->text);
    a = ask(h, (struct leat_query){.k = 9, .min_risk_ratio = 1.77, .min_count = 2});
    ck_assert_msg(a->rows == 1 && shows(a, "a=1"), "%s", a->text);
    ck_assert_uint_eq(ask(h, (struct leat_query){.k = 1, .min_risk_ratio = 1.77})->rows, 1);
    ck_assert_uint_eq(ask(h, (struct leat_query){.k = 9, .min_risk_ratio = 2.34})->rows, 0);
    ck_assert_uint_eq(ask(h, (struct leat_query){.k = 9, .min_support = 1})->rows, 0);
    harness_free(h);
}

START_TEST(awm_leaves_out_small_support_and_risk) { check_conditions(awm()); }
END_TEST

START_TEST(logistic_leaves_out_small_support_and_risk) { check_conditions(logistic()); }
END_TEST

START_TEST(frequent_leaves_out_small_support_and_risk) { check_conditions(frequent("risk")); }
END_TEST

START_TEST(a_shorter_question_of_an_older_host_has_no_conditions)
{
    struct harness *h = awm();
    teach_counts(h);
    struct leat_query q = {.size = offsetof(struct leat_query, min_support),
                           .k = 9,
                           .min_support = 1,
                           .min_risk_ratio = 1e9,
                           .min_odds_gain = 1e9};
    ck_assert_uint_eq(ask(h, q)->rows, 3);
    harness_free(h);
}
END_TEST

START_TEST(frequent_ranks_by_count_among_outliers_or_all_or_by_risk)
{
    static const char *const by[][3] = {{"count", "outliers", "a=1;a=2;a=3;"},
                                        {"count", "all", "a=2;a=1;a=3;"},
                                        {"risk", "all", "a=2;a=1;a=3;"}};
    for (int i = 0; i < 3; i++) {
        struct harness *h = learner("learners_counting", "learn.frequent");
        harness_set(h, "by", by[i][0]);
        harness_set(h, "over", by[i][1]);
        ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
        teach_counts(h);
        const struct answer *a = ask(h, (struct leat_query){.k = 9});
        double risk1 = log(20.0 / 30 / (20.0 / 70)), risk2 = log(19.0 / 69 / (21.0 / 31));
        ck_assert_double_gt(-risk2, risk1); /* a=2, rarer among outliers, weighs more */
        ck_assert_str_eq(a->text, by[i][2]);
        harness_free(h);
    }
}
END_TEST

START_TEST(frequent_refuses_labels_that_are_none)
{
    struct harness *h = frequent("count");
    record(h, "1--", 3);
    record(h, "1--", NAN);
    record(h, "1--", 0);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 2);
    const struct answer *a = ask(h, (struct leat_query){.k = 9});
    ck_assert(a->rows == 1 && a->count[0] == 1);
    harness_free(h);
}
END_TEST

/* Values of `by` and `over`, and the warning if the examples of label -1 are made up. */
START_TEST(counting_examples_that_are_made_up_is_warned_of)
{
    static const char *const frequent[][3] = {{"count", "outliers", NULL},
                                              {"count", "all", "over: \"all\" also counts"},
                                              {"risk", "outliers", "by: \"risk\" compares"}};
    for (int i = 0; i < 4; i++) {
        const char *stage = i < 3 ? "learn.frequent" : "learn.paired_count_min";
        const char *said = i < 3 ? frequent[i][2] : "the ratios compare with";
        for (uint32_t made = 0; made < 2; made++) {
            struct harness *h = learner("learners_counting", stage);
            if (i < 3) harness_set(h, "by", frequent[i][0]);
            if (i < 3) harness_set(h, "over", frequent[i][1]);
            h->in.made_labels = made;
            ck_assert_int_eq(harness_negotiate(h), 0);
            ck_assert_int_eq(h->warnings, made && said);
            if (made && said) ck_assert_ptr_nonnull(strstr(h->said, said));
            harness_free(h);
        }
    }
}
END_TEST

LEAT_SUITE("shown", awm_shows_a_pair_only_if_it_beats_its_parts,
           a_few_inliers_less_do_not_make_a_pair, frequent_shows_a_pair_only_if_it_beats_its_parts,
           logistic_shows_a_pair_only_if_it_beats_its_parts,
           a_restored_logistic_knows_the_parts_of_its_pairs,
           frequent_shows_a_pair_only_if_it_beats_its_parts,
           a_value_that_looks_like_a_conjunction_is_none, awm_leaves_out_small_support_and_risk,
           logistic_leaves_out_small_support_and_risk, frequent_leaves_out_small_support_and_risk,
           a_shorter_question_of_an_older_host_has_no_conditions,
           frequent_ranks_by_count_among_outliers_or_all_or_by_risk,
           frequent_refuses_labels_that_are_none, counting_examples_that_are_made_up_is_warned_of)
