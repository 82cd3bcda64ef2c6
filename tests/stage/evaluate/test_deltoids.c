/* test_deltoids.c -- eval.deltoids: recall against counts by hand. */
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/sink_rig.h"

static struct harness *deltoids(const char *format)
{
    return sink_rig_evaluating("eval.deltoids", format, 1);
}

/* Adds n records of this label, each with only this feature. */
static void records(struct harness *h, int label, uint64_t feature, int n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu:1", (unsigned long long)feature);
    for (int i = 0; i < n; i++) {
        harness_example(h, harness_record(h, "x"), (float)label, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_clear(h);
    }
}

/* Makes groups of 100 records each. Item 1 has the ratio e^3.9, item 2 e^-1.1, item 3 about 1. Item
 * 4 is in one group only: e^-3.1, with half a record added to both. Item 5 is rare. */
static void two_groups(struct harness *h)
{
    static const int in[5][2] = {{1, 49}, {60, 20}, {24, 25}, {11, 0}, {4, 6}};
    for (uint64_t f = 1; f <= 5; f++) {
        records(h, -1, f, in[f - 1][0]);
        records(h, 1, f, in[f - 1][1]);
    }
}

START_TEST(recall_is_the_share_of_large_ratios_that_the_answer_has)
{
    struct harness *h = deltoids("csv");
    harness_set(h, "min_count", "11");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    two_groups(h);
    sink_rig_row("1", 3);
    sink_rig_row("3", 2);
    sink_rig_row("a name that no feature has", 1);
    sink_rig_show(h, 200, 1);
    ck_assert_str_eq(sink_rig_finish(h), "learner,examples,log_ratio,features,found,recall\n"
                                         "model,200,1,3,1,0.3333333333333333\n"
                                         "model,200,2,2,1,0.5\n"
                                         "model,200,3,2,1,0.5\n"
                                         "model,200,4,0,0,\n"
                                         "model,200,5,0,0,\n"
                                         "model,200,6,0,0,\n");
}
END_TEST

START_TEST(one_group_has_no_ratios)
{
    struct harness *h = deltoids("jsonl");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    records(h, 1, 7, 20);
    sink_rig_row("7", 1);
    sink_rig_show(h, 20, 1);
    json_t *j = sink_rig_finish_json(h), *first = json_array_get(json_object_get(j, "recall"), 0);
    ck_assert(sink_rig_number(j, "features") == 1 && sink_rig_number(j, "retrieved") == 1);
    ck_assert(sink_rig_number(first, "features") == 0 && isnan(sink_rig_number(first, "recall")));
    json_decref(j);
}
END_TEST

static void named(struct harness *h, const char *value, int label, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t r = harness_record(h, value);
        char feature[32];
        snprintf(feature, sizeof feature, "%llu:1", (unsigned long long)strlen(value));
        harness_example(h, r, (float)label, feature);
        uint32_t part = leat_add_part(&h->b, 0, h->b.raw[r]);
        h->b.name[h->b.n_entries - 1] = (struct leat_name){{part, 0, 0}};
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_clear(h);
    }
}

START_TEST(a_cut_name_finds_every_feature_that_has_it)
{
    struct harness *h = deltoids("jsonl");
    harness_has(h, LEAT_HAS_NAMES);
    harness_field(h, "f");
    h->in.parts_per_record = 1;
    harness_set(h, "name_bytes", "12");
    harness_set(h, "min_count", "1");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    named(h, "longer than that", 1, 20);
    named(h, "longer than this is", -1, 20);
    named(h, "short", 1, 1);
    sink_rig_row("f=longer \xe2\x80\xa6", 1);
    sink_rig_show(h, 41, 1);
    json_t *j = sink_rig_finish_json(h), *second = json_array_get(json_object_get(j, "recall"), 1);
    ck_assert(sink_rig_number(second, "features") == 2 && sink_rig_number(second, "found") == 2);
    json_decref(j);
}
END_TEST

START_TEST(more_features_than_the_first_tables_hold_are_counted)
{
    struct harness *h = deltoids("jsonl");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    for (uint64_t f = 0; f < 10000; f++)
        records(h, f % 2 ? 1 : -1, f, 1);
    records(h, 1, 3, 20);
    sink_rig_row("3", 1);
    sink_rig_show(h, 10020, 1);
    json_t *j = sink_rig_finish_json(h), *third = json_array_get(json_object_get(j, "recall"), 2);
    ck_assert(sink_rig_number(j, "features") == 10000);
    ck_assert(sink_rig_number(third, "features") == 1 && sink_rig_number(third, "found") == 1);
    json_decref(j);
}
END_TEST

LEAT_SUITE("deltoids", recall_is_the_share_of_large_ratios_that_the_answer_has,
           one_group_has_no_ratios, a_cut_name_finds_every_feature_that_has_it,
           more_features_than_the_first_tables_hold_are_counted)
