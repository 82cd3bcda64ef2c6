/* test_risk.c -- eval.risk and sink.changes: their figures against plain arithmetic, their
 * files read back. JSON by jansson. */
#include "support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/state_codec.h"
#include "support/harness.h"

/* ---- files ---- */

static char path[64];
static char text[1 << 16];

static struct harness *sink(const char *plugin, const char *stage, const char *format)
{
    struct harness *h = harness_new(plugin, stage);
    strcpy(path, "/tmp/leat_evaluate_XXXXXX");
    close(mkstemp(path));
    harness_set(h, "path", path);
    harness_set(h, "format", format);
    return h;
}

static const char *finish(struct harness *h)
{
    harness_free(h);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    unlink(path);
    return text;
}

static json_t *finish_json(struct harness *h)
{
    json_error_t e;
    json_t *j = json_loads(finish(h), 0, &e);
    ck_assert_msg(j != NULL, "%s: %s", e.text, text);
    return j;
}

static double number(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);
    ck_assert_msg(v != NULL, "no %s", key);
    return json_is_null(v) ? (double)NAN : json_number_value(v);
}

/* ---- answers of a learner ---- */

enum { ROWS = 64 };
static char name_text[ROWS][512];
static const char *names[ROWS];
static uint32_t name_len[ROWS];
static double weights[ROWS];
static uint32_t n_rows;

static void row(const char *name, double weight)
{
    snprintf(name_text[n_rows], sizeof name_text[0], "%s", name);
    names[n_rows] = name_text[n_rows];
    name_len[n_rows] = (uint32_t)strlen(name);
    weights[n_rows++] = weight;
}

static void show(struct harness *h, uint64_t examples, uint32_t last)
{
    static const char *const columns[] = {"weight"};
    struct leat_table t = {.size = sizeof t,
                           .kind = LEAT_QUERY_TOP,
                           .learner = "model",
                           .examples = examples,
                           .last = last,
                           .n_columns = 1,
                           .n_rows = n_rows,
                           .columns = columns,
                           .names = names,
                           .name_len = name_len,
                           .values = weights};
    ck_assert_int_eq(h->stage->show(&h->ctx, h->self, &t), LEAT_OK);
    n_rows = 0;
}

/* ---- eval.risk ---- */

static struct harness *evaluate(const char *format)
{
    struct harness *h = sink("evaluate", "eval.risk", format);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 8;
    h->in.entries_per_record = 8;
    return h;
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

static double risk_of(int f)
{
    double a = known[f].n1, b = known[f].n0, c = 200 - a, d = 800 - b;
    if (a == 0 || b == 0) a += 0.5, b += 0.5, c += 0.5, d += 0.5;
    return a / (a + b) / (c / (c + d));
}

/* Over features of at least `least` records, by the two-pass formula. */
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

START_TEST(evaluate_gives_correlation_and_distribution_of_exact_risks)
{
    struct harness *h = evaluate("jsonl");
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    count_all(h);
    for (int f = 0; f < KNOWN; f++)
        row(known[f].name, known[f].weight);
    row("a name that no example had", 9);
    show(h, 1234, 1);
    json_t *j = finish_json(h);
    ck_assert(number(j, "outliers") == 200 && number(j, "inliers") == 800);
    ck_assert(number(j, "retrieved") == KNOWN + 1 && number(j, "unknown") == 1);
    ck_assert(number(j, "compared") == KNOWN && number(j, "compared_min_count") == KNOWN - 2);
    ck_assert(number(j, "features_counted") == KNOWN + 1 && number(j, "ambiguous") == 0);
    ck_assert_double_eq_tol(number(j, "correlation"), pearson(0), 1e-12);
    ck_assert_double_eq_tol(number(j, "correlation_min_count"), pearson(20), 1e-12);

    double risk[KNOWN];
    for (int f = 0; f < KNOWN; f++)
        risk[f] = risk_of(f);
    qsort(risk, KNOWN, sizeof *risk, ascending);
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(j, "quantiles"), i, one)
    {
        double q = number(one, "quantile"), at_most = 0, below = 0,
               v = number(one, "relative_risk");
        for (int f = 0; f < KNOWN; f++)
            at_most += risk[f] <= v + 1e-12, below += risk[f] < v - 1e-12;
        ck_assert_msg(at_most >= q * KNOWN && (below < q * KNOWN || q == 0), "%g: %g", q, v);
    }
    double binned = 0;
    json_array_foreach(json_object_get(j, "histogram"), i, one)
    {
        double from = number(one, "from"), to = number(one, "to"), n = 0;
        for (int f = 0; f < KNOWN; f++)
            n += risk[f] >= from && !(risk[f] >= to);
        ck_assert_double_eq(number(one, "features"), n);
        binned += n;
    }
    ck_assert_double_eq(binned, KNOWN);
    json_decref(j);
}
END_TEST

START_TEST(evaluate_counts_a_record_once_whatever_its_examples)
{
    struct harness *h = evaluate("csv");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    for (int i = 0; i < 3; i++) {
        uint32_t r = harness_record(h, "x");
        for (int e = 0; e <= i; e++)
            harness_example(h, r, i ? -1 : 1, "5:1 6:1");
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    show(h, 6, 1);
    const char *csv = finish(h);
    ck_assert_ptr_nonnull(
        strstr(csv, "learner,examples,measure,value\nmodel,6,outliers,1\nmodel,6,inliers,2\n"));
    ck_assert_ptr_nonnull(strstr(csv, "model,6,features_counted,2\n"));
    ck_assert_ptr_nonnull(strstr(csv, "model,6,correlation,\n")); /* of nothing there is none */
    ck_assert_ptr_nonnull(strstr(csv, "model,6,relative_risk_quantile_0.5,\n"));
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

START_TEST(evaluate_cuts_names_as_learners_do_and_leaves_out_those_of_several_features)
{
    struct harness *h = evaluate("jsonl");
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
    row("f=short", 1);
    row("f=longer \xe2\x80\xa6", 2);
    row("f=alone i\xe2\x80\xa6", 3);
    show(h, 5, 1);
    json_t *j = finish_json(h);
    ck_assert(number(j, "compared") == 2 && number(j, "ambiguous") == 1);
    ck_assert_double_eq(number(j, "unknown"), 0);
    json_decref(j);
}
END_TEST

START_TEST(evaluate_says_what_found_no_room)
{
    struct harness *h = evaluate("jsonl");
    harness_set(h, "max_features", "2");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_example(h, harness_record(h, "x"), 1, "1:1 2:1 3:1 4:1 3:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    show(h, 1, 1);
    json_t *j = finish_json(h);
    ck_assert(number(j, "features_counted") == 2 && number(j, "entries_ignored") == 3);
    json_decref(j);
}
END_TEST

START_TEST(evaluate_for_people_says_that_it_counted_and_draws_every_bin)
{
    struct harness *h = evaluate("table");
    ck_assert_int_eq(harness_open(h, 2), LEAT_OK);
    count_all(h);
    for (int f = 0; f < KNOWN; f++)
        row(known[f].name, known[f].weight);
    show(h, 1234, 1);
    const char *table = finish(h);
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

START_TEST(evaluate_asks_for_k_features_once_and_has_a_bound)
{
    struct harness *h = evaluate("table");
    struct leat_ask a = {.size = sizeof a};
    ck_assert_int_eq(h->stage->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.kind == LEAT_QUERY_TOP && a.k == 2048 && !a.every.ns && !a.every.examples);
    harness_negotiate(h);
    struct leat_plan p = harness_plan(h);
    ck_assert_ptr_nonnull(strstr(p.note, "grows"));
    ck_assert_uint_gt(p.state_bytes, 0);
    finish(h);
}
END_TEST

START_TEST(evaluate_gives_back_what_it_took_when_memory_runs_out)
{
    for (int n = 0; n < 4; n++) {
        struct harness *h = evaluate("table");
        harness_negotiate(h);
        h->allocs_left = n;
        ck_assert_int_eq(harness_open(h, 2), LEAT_ENOMEM);
        ck_assert_uint_eq(h->allocated, 0);
        h->allocs_left = -1;
        finish(h);
    }
}
END_TEST

/* ---- sink.changes ---- */

static void show_list(struct harness *h, const char *dead_letters, const double *weight,
                      uint64_t examples, uint32_t last)
{
    for (uint32_t i = 0; dead_letters[i]; i++)
        row((const char[]){dead_letters[i], 0}, weight ? weight[i] : 9.0 - i);
    show(h, examples, last);
}

START_TEST(changes_are_what_entered_and_left_and_a_list_at_the_end)
{
    struct harness *h = sink("sinks", "sink.changes", "csv");
    harness_set(h, "k", "3");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show_list(h, "", NULL, 10, 0);
    show_list(h, "ba", NULL, 20, 0);
    show_list(h, "ab", NULL, 30, 0); /* another order is no change */
    show_list(h, "cad", NULL, 40, 0);
    show_list(h, "da", NULL, 50, 1);
    ck_assert_str_eq(finish(h), "learner,examples,change,feature,weight\n"
                                "model,20,entered,a,8\nmodel,20,entered,b,9\n"
                                "model,40,left,b,9\nmodel,40,entered,c,9\nmodel,40,entered,d,7\n"
                                "model,50,left,c,9\n"
                                "model,50,final,d,9\nmodel,50,final,a,8\n");
}
END_TEST

START_TEST(changes_write_a_weight_once_it_has_drifted_far_enough)
{
    struct harness *h = sink("sinks", "sink.changes", "csv");
    harness_set(h, "weight_change", "0.5");
    harness_set(h, "final", "false");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    static const double drift[] = {1, 1.25, 1.5, 1.625, 1.25, 1.125, 1.0};
    for (uint64_t i = 0; i < 7; i++)
        show_list(h, "a", &drift[i], i, i == 6);
    ck_assert_str_eq(finish(h), "learner,examples,change,feature,weight\nmodel,0,entered,a,1\n"
                                "model,3,weight,a,1.625\nmodel,6,weight,a,1\n");
}
END_TEST

static struct harness *changes_of(const char *k)
{
    struct harness *h = sink("sinks", "sink.changes", "csv");
    harness_set(h, "k", k);
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    return h;
}

/* What sink.changes holds after one report of three features, in memory that stays. */
static const void *after_a_report(size_t *n)
{
    static char bytes[4096];
    struct harness *h = changes_of("3");
    show_list(h, "cab", NULL, 10, 0);
    const void *state = harness_snapshot(h, n);
    ck_assert_ptr_nonnull(state);
    ck_assert_uint_le(*n, sizeof bytes);
    memcpy(bytes, state, *n);
    finish(h);
    return bytes;
}

START_TEST(restored_changes_go_on_from_the_report_before)
{
    size_t n;
    const void *state = after_a_report(&n);
    struct harness *h = changes_of("3");
    ck_assert_msg(harness_restore(h, state, n) == LEAT_OK, "%s", h->said);
    show_list(h, "bd", NULL, 20, 1);
    ck_assert_double_eq(harness_metric(h, "entered"), 4);
    ck_assert_double_eq(harness_metric(h, "left"), 2);
    ck_assert_str_eq(finish(h), "model,20,left,a,8\nmodel,20,left,c,9\nmodel,20,entered,d,8\n"
                                "model,20,final,b,9\nmodel,20,final,d,8\n");
}
END_TEST

/* A list of n sizes for the names "abc" of three weights. */
static void restore_list(struct harness *h, const uint32_t *size, uint64_t n, const char *says)
{
    static const double weight[] = {3, 2, 1};
    struct state_writer w;
    state_writer_init(&w, "sink.changes", 1);
    w.base.u64(&w.base, "length", 0);
    w.base.u64(&w.base, "reports", 1);
    w.base.u64(&w.base, "entered", 3);
    w.base.u64(&w.base, "left", 0);
    w.base.array(&w.base, "weights", LEAT_F64, weight, 3);
    w.base.array(&w.base, "name_sizes", LEAT_U32, size, n);
    w.base.array(&w.base, "names", LEAT_U8, "abc", 3);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    int s = harness_restore(h, w.bytes, w.n);
    ck_assert_int_eq(s, says ? LEAT_EDATA : LEAT_OK);
    if (says) ck_assert_msg(strstr(h->said, says) != NULL, "%s", h->said);
    state_writer_free(&w);
}

START_TEST(lists_that_changes_cannot_have_written_are_refused)
{
    struct harness *h = changes_of("3");
    restore_list(h, (const uint32_t[]){1, 1}, 2, "weights are 3 and name_sizes 2");
    restore_list(h, (const uint32_t[]){1, 1, 2}, 3, "do not add up");
    restore_list(h, (const uint32_t[]){UINT32_MAX, 3, 1}, 3, "a name of 4294967295 bytes");
    restore_list(h, (const uint32_t[]){1, 1, 1}, 3, NULL);
    finish(h);
    h = changes_of("2");
    restore_list(h, (const uint32_t[]){1, 1, 1}, 3, "k is 2 here");
    finish(h);
}
END_TEST

START_TEST(replaying_the_changes_gives_every_report)
{
    struct harness *h = sink("sinks", "sink.changes", "jsonl");
    harness_set(h, "final", "false");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    static bool there[50][26];
    unsigned s = 7;
    for (uint64_t i = 0; i < 50; i++) {
        char dead_letters[27] = "";
        size_t n = 0;
        for (int c = 0; c < 26; c++) {
            s = s * 1103515245u + 12345u;
            if ((s >> 16) % 2) continue;
            there[i][c] = true;
            dead_letters[n++] = (char)('a' + c);
        }
        if (n > 20) { /* k */
            for (int c = dead_letters[20] - 'a'; c < 26; c++)
                there[i][c] = false;
            dead_letters[20] = 0;
        }
        show_list(h, dead_letters, NULL, i, i == 49);
    }
    finish(h);
    static bool now[26];
    uint64_t at = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *j = json_loads(line, 0, NULL);
        ck_assert_ptr_nonnull(j);
        uint64_t i = (uint64_t)number(j, "examples");
        for (; at < i; at++) /* all changes of the reports before have been replayed */
            ck_assert(!memcmp(now, there[at], sizeof now));
        int c = json_string_value(json_object_get(j, "feature"))[0] - 'a';
        bool entered = !strcmp(json_string_value(json_object_get(j, "change")), "entered");
        ck_assert(now[c] != entered);
        now[c] = entered;
        json_decref(j);
    }
    ck_assert_uint_eq(at, 49);
    ck_assert(!memcmp(now, there[49], sizeof now));
}
END_TEST

START_TEST(changes_ask_for_what_their_parameters_say)
{
    struct harness *h = sink("sinks", "sink.changes", "table");
    struct leat_ask a = {.size = sizeof a};
    harness_set(h, "k", "7");
    harness_set(h, "every", "10s");
    harness_set(h, "min_support", "0.25");
    harness_set(h, "min_risk_ratio", "3");
    harness_set(h, "min_odds_gain", "1.5");
    ck_assert_int_eq(h->stage->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.kind == LEAT_QUERY_TOP && a.k == 7 && a.every.ns == 10000000000);
    ck_assert(a.min_support == 0.25 && a.min_risk_ratio == 3 && a.min_odds_gain == 1.5);
    harness_set(h, "min_odds_gain", "0.5");
    ck_assert_int_eq(harness_negotiate(h), 1);
    ck_assert_ptr_nonnull(strstr(h->said, "is below 1: give a factor of at least 1, or 0"));
    finish(h);
}
END_TEST

START_TEST(top_passes_on_its_conditions)
{
    struct harness *h = sink("sinks", "sink.top", "table");
    struct leat_ask a = {.size = sizeof a};
    ck_assert_int_eq(h->stage->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.min_support == 0 && a.min_risk_ratio == 0 && a.min_odds_gain == 0);
    harness_set(h, "min_support", "0.001");
    harness_set(h, "min_risk_ratio", "2");
    harness_set(h, "min_odds_gain", "1");
    ck_assert_int_eq(h->stage->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.min_support == 0.001 && a.min_risk_ratio == 2 && a.min_odds_gain == 1);
    harness_set(h, "min_odds_gain", "0.9");
    ck_assert_int_eq(harness_negotiate(h), 1);
    finish(h);
}
END_TEST

LEAT_SUITE("evaluate", evaluate_gives_correlation_and_distribution_of_exact_risks,
           evaluate_counts_a_record_once_whatever_its_examples,
           evaluate_cuts_names_as_learners_do_and_leaves_out_those_of_several_features,
           evaluate_says_what_found_no_room,
           evaluate_for_people_says_that_it_counted_and_draws_every_bin,
           evaluate_asks_for_k_features_once_and_has_a_bound,
           evaluate_gives_back_what_it_took_when_memory_runs_out,
           changes_are_what_entered_and_left_and_a_list_at_the_end,
           changes_write_a_weight_once_it_has_drifted_far_enough,
           restored_changes_go_on_from_the_report_before,
           lists_that_changes_cannot_have_written_are_refused,
           replaying_the_changes_gives_every_report, changes_ask_for_what_their_parameters_say,
           top_passes_on_its_conditions)
