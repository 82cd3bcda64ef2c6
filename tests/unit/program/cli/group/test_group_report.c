#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/cli/group/group_report.h"

static const char members[] =
    "{\"record\":\"member\",\"id\":\"x-1\",\"instance\":\"web\",\"client\":\"leat\","
    "\"host\":\"10.0.0.4\",\"partitions\":2},"
    "{\"record\":\"member\",\"id\":\"x-2\",\"instance\":null,\"client\":\"leat\","
    "\"host\":\"10.0.0.5\",\"partitions\":1},";
static const char group[] =
    "{\"record\":\"group\",\"group\":\"g\",\"state\":\"stable\","
    "\"assignor\":\"range\",\"coordinator\":\"a:9092\",\"state_topic\":\"s\"}";

/* Adds the record of partition k of topic t. A negative number is unknown; `owner` may be NULL. */
static void put_partition(char *to, int k, const char *owner, int committed, int lag, int state)
{
    char c[20] = "null", l[20] = "null", s[20] = "null", o[20] = "null";
    if (committed >= 0) snprintf(c, sizeof c, "%d", committed);
    if (lag >= 0) snprintf(l, sizeof l, "%d", lag);
    if (state >= 0) snprintf(s, sizeof s, "%d", state);
    if (owner) snprintf(o, sizeof o, "\"%s\"", owner);
    sprintf(to + strlen(to),
            "{\"record\":\"partition\",\"topic\":\"t\",\"partition\":%d,\"owner\":%s,"
            "\"committed\":%s,\"end\":900,\"lag\":%s,\"behind_ms\":%s,\"state_offset\":%s,"
            "\"state_bytes\":2048,\"state_age_ms\":7384000},",
            k, o, c, l, lag > 0 ? "125000" : l, s);
}

/* Returns what is printed of these records; NULL if the report is not whole. */
static char *reported(const char *partitions, const char *last, bool json, uint32_t k)
{
    char text[4096], *out = NULL;
    size_t n;
    snprintf(text, sizeof text, "[%s%s%s]", partitions, members, last);
    json_t *records = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(records);
    FILE *to = open_memstream(&out, &n);
    struct command_line c = {.json = json, .k = k};
    bool whole = group_report(records, &c, to);
    fclose(to);
    json_decref(records);
    if (whole) return out;
    free(out);
    return NULL;
}

/* True if the texts come one after the other. */
static bool in_turn(const char *text, const char *const *parts)
{
    for (; *parts && text; parts++)
        text = strstr(text, *parts);
    return text != NULL;
}
#define IN_TURN(TEXT, ...)                                                                         \
    ck_assert_msg(in_turn(TEXT, (const char *[]){__VA_ARGS__, NULL}), "%s", TEXT)

START_TEST(partitions_that_are_furthest_behind_come_first)
{
    char p[2048] = "";
    put_partition(p, 0, "x-1", 900, 0, 900);
    put_partition(p, 1, "x-2", 890, 10, 890);
    put_partition(p, 2, NULL, 100, 800, -1);
    put_partition(p, 3, "x-1", -1, -1, -1);
    char *text = reported(p, group, false, 0);
    IN_TURN(text, "group g: stable, 2 members, range; coordinator a:9092\n",
            "4 partitions: lag unknown", "1 without an owner, 2 without a state\n", "\nweb ",
            "\nleat#2", "\nt/2", "none", "800", "2 min 05 s", "\nt/1", "leat#2", "\nt/3", "web",
            "\nt/0", "2048 B", "2 h 03 min");
    free(text);
}
END_TEST

START_TEST(lags_are_added_up_if_all_are_known)
{
    char p[2048] = "";
    put_partition(p, 0, "x-1", 0, 900, 0);
    put_partition(p, 1, "x-2", 400, 500, 400);
    char *text = reported(p, group, true, 0);
    json_t *o = json_loads(text, 0, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(o, "lag")), 1400);
    ck_assert_int_eq(json_integer_value(json_object_get(o, "without_owner")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(o, "members")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(o, "partitions")), 2);
    json_decref(o);
    free(text);
    put_partition(p, 2, "x-2", -1, -1, 400);
    text = reported(p, group, true, 0);
    ck_assert_ptr_nonnull(strstr(text, "\n  \"lag\": null"));
    free(text);
}
END_TEST

START_TEST(a_long_table_tells_how_many_rows_it_lacks)
{
    char p[2048] = "";
    for (int k = 0; k < 5; k++)
        put_partition(p, k, "x-1", 900, 0, 900);
    char *text = reported(p, group, false, 2);
    IN_TURN(text, "\nt/0", "\nt/1", "and 3 more, less behind (--k 5)\n");
    ck_assert_ptr_null(strstr(text, "t/2"));
    free(text);
}
END_TEST

START_TEST(without_a_state_topic_nothing_is_told_of_states)
{
    char p[2048] = "";
    put_partition(p, 0, "x-1", 900, 0, -1);
    char *text =
        reported(p, "{\"record\":\"group\",\"group\":\"g\",\"state_topic\":null}", false, 0);
    ck_assert_ptr_null(strstr(text, "state"));
    free(text);
}
END_TEST

START_TEST(records_without_the_last_are_not_whole)
{
    char p[2048] = "";
    put_partition(p, 0, "x-1", 900, 0, 900);
    p[strlen(p) - 1] = 0;
    char text[2100];
    snprintf(text, sizeof text, "[%s]", p);
    json_t *records = json_loads(text, 0, NULL);
    struct command_line c = {.json = true};
    ck_assert(!group_report(records, &c, stdout));
    json_decref(records);
}
END_TEST

LEAT_SUITE("group_report", partitions_that_are_furthest_behind_come_first,
           lags_are_added_up_if_all_are_known, a_long_table_tells_how_many_rows_it_lacks,
           without_a_state_topic_nothing_is_told_of_states, records_without_the_last_are_not_whole)
