/* test_risk.c -- eval.risk: its figures against plain arithmetic. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sink_rig.h"

static struct harness *risk_in(const char *format)
{
    return sink_rig_evaluating("eval.risk", format, 8);
}

/* Feature f is in n1 of 200 outliers and n0 of 800 inliers. */
static const struct {
    const char *name;
    double weight;
    int n1, n0;
} known[] = {{"1", 3.1, 100, 20}, {"2", 2.0, 30, 40}, {"3", -1.7, 5, 400},
             {"4", -2.5, 0, 300}, {"5", 0.2, 11, 44}, {"18446744073709551615", 4.0, 9, 0},
             {"7", 0.7, 10, 9}};
enum { KNOWN = sizeof known / sizeof *known };

static void count_all(struct harness *h)
{
    char feature[64];
    for (int r = 0; r < 1000; r++) {
        bool outlier = r < 200;
        uint32_t record = harness_record(h, "x");
        harness_example(h, record, outlier ? 1 : -1, "99:1"); /* every record has it */
        for (int f = 0; f < KNOWN; f++) {
            if (outlier ? r >= known[f].n1 : r - 200 >= known[f].n0) continue;
            snprintf(feature, sizeof feature, "%s:1", known[f].name);
            harness_example(h, record, outlier ? 1 : -1, feature);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_clear(h);
    }
}

/* If a count is 0, counts each record a thousand times, and adds a thousand records like all to
 * those with the feature and to the others. */
static double risk_of(int f)
{
    double a = known[f].n1, b = known[f].n0, c = 200 - a, d = 800 - b;
    if (a == 0 || b == 0)
        a = 1000 * a + 200, b = 1000 * b + 800, c = 1000 * c + 200, d = 1000 * d + 800;
    return a / (a + b) / (c / (c + d));
}

/* Computes it over features of at least `least` records, by the two-pass formula. */
static double pearson(int least)
{
    double n = 0, mw = 0, ml = 0, ww = 0, ll = 0, wl = 0;
    for (int f = 0; f < KNOWN; f++)
        if (known[f].n1 + known[f].n0 >= least) n++, mw += known[f].weight, ml += log(risk_of(f));
    mw /= n, ml /= n;
    for (int f = 0; f < KNOWN; f++) {
        if (known[f].n1 + known[f].n0 < least) continue;
        double w = known[f].weight - mw, l = log(risk_of(f)) - ml;
        ww += w * w, ll += l * l, wl += w * l;
    }
    return wl / sqrt(ww * ll);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

START_TEST(risk_gives_correlation_and_distribution_of_exact_risks)
{
    struct harness *h = risk_in("jsonl");
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    count_all(h);
    for (int f = 0; f < KNOWN; f++)
        sink_rig_row(known[f].name, known[f].weight);
    sink_rig_row("a name that no example had", 9);
    sink_rig_show(h, 1234, 1);
    json_t *j = sink_rig_finish_json(h);
    ck_assert(sink_rig_number(j, "outliers") == 200 && sink_rig_number(j, "inliers") == 800);
    ck_assert(sink_rig_number(j, "retrieved") == KNOWN + 1 && sink_rig_number(j, "unknown") == 1);
    ck_assert(sink_rig_number(j, "compared") == KNOWN &&
              sink_rig_number(j, "compared_min_count") == KNOWN - 2);
    ck_assert(sink_rig_number(j, "features_counted") == KNOWN + 1 &&
              sink_rig_number(j, "ambiguous") == 0);
    ck_assert_double_eq_tol(sink_rig_number(j, "correlation"), pearson(0), 1e-12);
    ck_assert_double_eq_tol(sink_rig_number(j, "correlation_min_count"), pearson(20), 1e-12);

    double risk[KNOWN];
    for (int f = 0; f < KNOWN; f++)
        risk[f] = risk_of(f);
    qsort(risk, KNOWN, sizeof *risk, ascending);
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(j, "quantiles"), i, one)
    {
        double q = sink_rig_number(one, "quantile"), at_most = 0, below = 0,
               v = sink_rig_number(one, "relative_risk");
        for (int f = 0; f < KNOWN; f++)
            at_most += risk[f] <= v + 1e-12, below += risk[f] < v - 1e-12;
        ck_assert_msg(at_most >= q * KNOWN && (below < q * KNOWN || q == 0), "%g: %g", q, v);
    }
    double binned = 0;
    json_array_foreach(json_object_get(j, "histogram"), i, one)
    {
        double from = sink_rig_number(one, "from"), to = sink_rig_number(one, "to"), n = 0;
        for (int f = 0; f < KNOWN; f++)
            n += risk[f] >= from && !(risk[f] >= to);
        ck_assert_double_eq(sink_rig_number(one, "features"), n);
        binned += n;
    }
    ck_assert_double_eq(binned, KNOWN);
    json_decref(j);
}
END_TEST

START_TEST(risk_counts_a_record_once_whatever_its_examples)
{
    struct harness *h = risk_in("csv");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    for (int i = 0; i < 3; i++) {
        uint32_t r = harness_record(h, "x");
        for (int e = 0; e <= i; e++)
            harness_example(h, r, i ? -1 : 1, "5:1 6:1");
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    sink_rig_show(h, 6, 1);
    const char *csv = sink_rig_finish(h);
    ck_assert_ptr_nonnull(
        strstr(csv, "learner,examples,measure,value\nmodel,6,outliers,1\nmodel,6,inliers,2\n"));
    ck_assert_ptr_nonnull(strstr(csv, "model,6,features_counted,2\n"));
    ck_assert_ptr_nonnull(strstr(csv, "model,6,correlation,\n")); /* undefined without data */
    ck_assert_ptr_nonnull(strstr(csv, "model,6,relative_risk_quantile_0.5,\n"));
}
END_TEST

/* ---- counts that fade ---- */

/* 700 records, of which every fifth is an outlier. Feature f is in the records whose number f + 2
 * divides. Record i is at i * i s, but every tenth record is late. */
enum { FADING = 700, FADING_FEATURES = 3 };

static bool is_outlier(int i) { return i % 5 == 0; }
static double second_of(int i) { return i % 10 == 9 ? 5 : (double)i * i; }

/* Returns the share of record i that remains at the end: 2^-(distance since / half_life). */
static double left_of(int i, double half_life, bool by_time)
{
    double end = FADING - 1;
    for (int k = 0; by_time && k < FADING; k++)
        end = fmax(end, second_of(k));
    return exp2(((by_time ? second_of(i) : i) - end) / half_life);
}

/* Returns the faded count of outliers or inliers: with feature f, or of all if f is -1. */
static double faded(int f, bool outliers, double half_life, bool by_time)
{
    double sum = 0;
    for (int i = 0; i < FADING; i++)
        if (is_outlier(i) == outliers && (f < 0 || i % (f + 2) == 0))
            sum += left_of(i, half_life, by_time);
    return sum;
}

static double faded_risk(int f, double half_life, bool by_time)
{
    double a = faded(f, true, half_life, by_time), b = faded(f, false, half_life, by_time);
    double c = faded(-1, true, half_life, by_time) - a,
           d = faded(-1, false, half_life, by_time) - b;
    double odds = (a + c) / (b + d), lacks = 1 - fmin(fmin(a, b), fmin(c, d));
    double outlier = lacks > 0 ? lacks * odds / (1 + odds) : 0, inlier = fmax(0, lacks) - outlier;
    a += outlier, b += inlier, c += outlier, d += inlier; /* a part of a record to both rows */
    return a / (a + b) / (c / (c + d));
}

static int downwards(const void *a, const void *b) { return -ascending(a, b); }

static void check_fading(const char *text, double half_life, bool by_time)
{
    struct harness *h = risk_in("jsonl");
    harness_set(h, "half_life", text);
    if (by_time) harness_has(h, LEAT_HAS_TIMESTAMP);
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    for (int i = 0; i < FADING; i++) {
        uint32_t record = harness_record(h, "x");
        char feature[32];
        if (by_time) h->b.timestamp[record] = (int64_t)(1e9 * (1e6 + second_of(i)));
        harness_example(h, record, is_outlier(i) ? 1 : -1, "99:1");
        for (int f = 0; f < FADING_FEATURES; f++) {
            snprintf(feature, sizeof feature, "%d:1", f);
            if (i % (f + 2) == 0) harness_example(h, record, is_outlier(i) ? 1 : -1, feature);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_clear(h);
    }
    double risk[FADING_FEATURES];
    for (int f = 0; f < FADING_FEATURES; f++) {
        char name[2] = {(char)('0' + f), 0};
        sink_rig_row(name, 1);
        risk[f] = faded_risk(f, half_life, by_time);
    }
    qsort(risk, FADING_FEATURES, sizeof *risk, downwards);
    sink_rig_show(h, 1, 1);
    json_t *j = sink_rig_finish_json(h), *quantiles = json_object_get(j, "quantiles");
    ck_assert_double_eq_tol(sink_rig_number(j, "outliers"), faded(-1, true, half_life, by_time),
                            1e-9);
    ck_assert_double_eq_tol(sink_rig_number(j, "inliers"), faded(-1, false, half_life, by_time),
                            1e-9);
    ck_assert_double_eq_tol(sink_rig_number(json_array_get(quantiles, 6), "relative_risk"), risk[0],
                            1e-9);
    ck_assert_double_eq_tol(sink_rig_number(json_array_get(quantiles, 3), "relative_risk"), risk[1],
                            1e-9);
    ck_assert_double_eq_tol(sink_rig_number(json_array_get(quantiles, 0), "relative_risk"), risk[2],
                            1e-9);
    json_decref(j);
}

START_TEST(risk_fades_its_counts_as_learners_do)
{
    check_fading("50", 50, false);
    check_fading("1", 1, false); /* a record counts 2^700 times the first: sums must be renewed */
    check_fading("20000s", 20000, true);
}
END_TEST

static void named(struct harness *h, const char *value, uint64_t id)
{
    char feature[32];
    uint32_t r = harness_record(h, value);
    snprintf(feature, sizeof feature, "%llu:1", (unsigned long long)id);
    harness_example(h, r, 1, feature);
    uint32_t part = leat_add_part(&h->b, 0, h->b.raw[r]);
    h->b.name[h->b.n_entries - 1] = (struct leat_name){{part, 0, 0}};
}

START_TEST(risk_cuts_names_as_learners_do_and_leaves_out_those_of_several_features)
{
    struct harness *h = risk_in("jsonl");
    harness_has(h, LEAT_HAS_NAMES);
    harness_field(h, "f");
    h->in.parts_per_record = 1;
    harness_set(h, "name_bytes", "12");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    named(h, "short", 1);
    named(h, "short", 1);
    named(h, "longer than that, one", 2);
    named(h, "longer than that, two", 3);
    named(h, "alone it is cut", 4);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    sink_rig_row("f=short", 1);
    sink_rig_row("f=longer \xe2\x80\xa6", 2);
    sink_rig_row("f=alone i\xe2\x80\xa6", 3);
    sink_rig_show(h, 5, 1);
    json_t *j = sink_rig_finish_json(h);
    ck_assert(sink_rig_number(j, "compared") == 2 && sink_rig_number(j, "ambiguous") == 1);
    ck_assert_double_eq(sink_rig_number(j, "unknown"), 0);
    json_decref(j);
}
END_TEST

START_TEST(risk_says_what_found_no_room)
{
    struct harness *h = risk_in("jsonl");
    harness_set(h, "max_features", "2");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_example(h, harness_record(h, "x"), 1, "1:1 2:1 3:1 4:1 3:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    sink_rig_show(h, 1, 1);
    json_t *j = sink_rig_finish_json(h);
    ck_assert(sink_rig_number(j, "features_counted") == 2 &&
              sink_rig_number(j, "entries_ignored") == 3);
    json_decref(j);
}
END_TEST

START_TEST(risk_for_people_says_that_it_counted_and_draws_every_bin)
{
    struct harness *h = risk_in("table");
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    count_all(h);
    for (int f = 0; f < KNOWN; f++)
        sink_rig_row(known[f].name, known[f].weight);
    sink_rig_show(h, 1234, 1);
    const char *table = sink_rig_finish(h);
    ck_assert_msg(strstr(table, "Evaluation by relative risk (model, 1,234 examples)\nmeasure "),
                  "%s", table);
    ck_assert_ptr_nonnull(strstr(table, "\nfeatures_counted            8\n"));
    ck_assert_ptr_nonnull(strstr(table, "\ncompared                    7\n"));
    ck_assert_ptr_nonnull(strstr(table, "\ncompared_min_count          5\n"));
    int bins = 0;
    for (const char *at = strstr(table, "relative risk from  below"); (at = strchr(at, '\n')); at++)
        bins += at[1] != 0;
    ck_assert_int_eq(bins, 9);
}
END_TEST

START_TEST(risk_asks_for_k_features_once_and_has_a_bound)
{
    struct harness *h = risk_in("table");
    struct leat_ask a = {.size = sizeof a};
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.kind == LEAT_QUERY_TOP && a.k == 2048 && !a.every.ns && !a.every.examples);
    harness_negotiate(h);
    struct leat_plan p = harness_plan(h);
    ck_assert_ptr_nonnull(strstr(p.note, "stops growing at "));
    ck_assert_uint_gt(p.state_bytes, 0);
    sink_rig_finish(h);
}
END_TEST

START_TEST(risk_gives_back_what_it_took_when_memory_runs_out)
{
    for (int n = 0; n < 4; n++) {
        struct harness *h = risk_in("table");
        harness_negotiate(h);
        h->allocs_left = n;
        ck_assert_int_eq(harness_open(h, 2), LEAT_ENOMEM);
        ck_assert_uint_eq(h->allocated, 0);
        h->allocs_left = -1;
        sink_rig_finish(h);
    }
}
END_TEST

LEAT_SUITE("risk", risk_gives_correlation_and_distribution_of_exact_risks,
           risk_counts_a_record_once_whatever_its_examples, risk_fades_its_counts_as_learners_do,
           risk_cuts_names_as_learners_do_and_leaves_out_those_of_several_features,
           risk_says_what_found_no_room, risk_for_people_says_that_it_counted_and_draws_every_bin,
           risk_asks_for_k_features_once_and_has_a_bound,
           risk_gives_back_what_it_took_when_memory_runs_out)
