/* test_changes.c -- sink.changes: its output, its state, and a replayed changelog. */
#include "support/expect.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/state_codec.h"
#include "support/sink_rig.h"

static void show_list(struct harness *h, const char *letters, const double *weight,
                      uint64_t examples, uint32_t last)
{
    for (uint32_t i = 0; letters[i]; i++)
        sink_rig_row((const char[]){letters[i], 0}, weight ? weight[i] : 9.0 - i);
    sink_rig_show(h, examples, last);
}

START_TEST(changes_are_what_entered_and_left_and_a_list_at_the_end)
{
    struct harness *h = sink_rig("sinks", "sink.changes", "csv");
    harness_set(h, "k", "3");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show_list(h, "", NULL, 10, 0);
    show_list(h, "ba", NULL, 20, 0);
    show_list(h, "ab", NULL, 30, 0); /* another order counts as no change */
    show_list(h, "cad", NULL, 40, 0);
    show_list(h, "da", NULL, 50, 1);
    ck_assert_str_eq(sink_rig_finish(h),
                     "learner,examples,change,feature,weight\n"
                     "model,20,entered,a,8\nmodel,20,entered,b,9\n"
                     "model,40,left,b,9\nmodel,40,entered,c,9\nmodel,40,entered,d,7\n"
                     "model,50,left,c,9\n"
                     "model,50,final,d,9\nmodel,50,final,a,8\n");
}
END_TEST

START_TEST(changes_write_a_weight_once_it_has_drifted_far_enough)
{
    struct harness *h = sink_rig("sinks", "sink.changes", "csv");
    harness_set(h, "weight_change", "0.5");
    harness_set(h, "final", "false");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    static const double drift[] = {1, 1.25, 1.5, 1.625, 1.25, 1.125, 1.0};
    for (uint64_t i = 0; i < 7; i++)
        show_list(h, "a", &drift[i], i, i == 6);
    ck_assert_str_eq(sink_rig_finish(h),
                     "learner,examples,change,feature,weight\nmodel,0,entered,a,1\n"
                     "model,3,weight,a,1.625\nmodel,6,weight,a,1\n");
}
END_TEST

static struct harness *changes_of(const char *k)
{
    struct harness *h = sink_rig("sinks", "sink.changes", "csv");
    harness_set(h, "k", k);
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    return h;
}

/* Returns the state of sink.changes after one report of three features, in static memory. */
static const void *after_a_report(size_t *n)
{
    static char bytes[4096];
    struct harness *h = changes_of("3");
    show_list(h, "cab", NULL, 10, 0);
    const void *state = harness_snapshot(h, n);
    ck_assert_ptr_nonnull(state);
    ck_assert_uint_le(*n, sizeof bytes);
    memcpy(bytes, state, *n);
    sink_rig_finish(h);
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
    ck_assert_str_eq(sink_rig_finish(h),
                     "model,20,left,a,8\nmodel,20,left,c,9\nmodel,20,entered,d,8\n"
                     "model,20,final,b,9\nmodel,20,final,d,8\n");
}
END_TEST

/* A list of n sizes for the names "abc" of three weights. */
static void restore_list(struct harness *h, const uint32_t *size, uint64_t n, const char *says)
{
    static const double weight[] = {3, 2, 1};
    struct state_writer w;
    state_writer_init(&w, "sink.changes", 2);
    w.base.u64(&w.base, "length", 0);
    w.base.u64(&w.base, "reports", 1);
    w.base.u64(&w.base, "entered", 3);
    w.base.u64(&w.base, "left", 0);
    w.base.u64(&w.base, "features", 3);
    w.base.u64(&w.base, "name_bytes", 3);
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
    restore_list(h, (const uint32_t[]){1, 1}, 2,
                 "name_sizes has 2 elements in the saved state and 3 here");
    restore_list(h, (const uint32_t[]){1, 1, 2}, 3, "name_sizes add up to 4, names has 3 bytes");
    restore_list(h, (const uint32_t[]){UINT32_MAX, 3, 1}, 3,
                 "name_sizes[0] is 4294967295; it must be 0 to 512");
    restore_list(h, (const uint32_t[]){1, 1, 1}, 3, NULL);
    sink_rig_finish(h);
    h = changes_of("2");
    restore_list(h, (const uint32_t[]){1, 1, 1}, 3, "features is 3; it must be 0 to 2");
    sink_rig_finish(h);
}
END_TEST

START_TEST(replaying_the_changes_gives_every_report)
{
    struct harness *h = sink_rig("sinks", "sink.changes", "jsonl");
    harness_set(h, "final", "false");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    static bool there[50][26];
    unsigned s = 7;
    for (uint64_t i = 0; i < 50; i++) {
        char letters[27] = "";
        size_t n = 0;
        for (int c = 0; c < 26; c++) {
            s = s * 1103515245u + 12345u;
            if ((s >> 16) % 2) continue;
            there[i][c] = true;
            letters[n++] = (char)('a' + c);
        }
        if (n > 20) { /* k */
            for (int c = letters[20] - 'a'; c < 26; c++)
                there[i][c] = false;
            letters[20] = 0;
        }
        show_list(h, letters, NULL, i, i == 49);
    }
    char *text = sink_rig_finish(h);
    static bool now[26];
    uint64_t at = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *j = json_loads(line, 0, NULL);
        ck_assert_ptr_nonnull(j);
        uint64_t i = (uint64_t)sink_rig_number(j, "examples");
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
    struct harness *h = sink_rig("sinks", "sink.changes", "table");
    struct leat_ask a = {.size = sizeof a};
    harness_set(h, "k", "7");
    harness_set(h, "every", "10s");
    harness_set(h, "min_support", "0.25");
    harness_set(h, "min_risk_ratio", "3");
    harness_set(h, "min_odds_gain", "1.5");
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.kind == LEAT_QUERY_TOP && a.k == 7 && a.every.ns == 10000000000);
    ck_assert(a.min_support == 0.25 && a.min_risk_ratio == 3 && a.min_odds_gain == 1.5);
    harness_set(h, "min_odds_gain", "0.5");
    expect_errors(h, 1, "is below 1: give a factor of at least 1, or 0");
    sink_rig_finish(h);
}
END_TEST

LEAT_SUITE("changes", changes_are_what_entered_and_left_and_a_list_at_the_end,
           changes_write_a_weight_once_it_has_drifted_far_enough,
           restored_changes_go_on_from_the_report_before,
           lists_that_changes_cannot_have_written_are_refused,
           replaying_the_changes_gives_every_report, changes_ask_for_what_their_parameters_say)
