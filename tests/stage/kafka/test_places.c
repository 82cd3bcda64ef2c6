/* test_places.c -- places of `start` and `until`: which one counts for a partition, refusals. */
#include "kafka/source/places.c"

#include <stdarg.h>
#include <stdio.h>

#include "support/suite.h"

static const int64_t NOW = 1700000000000; /* 2023-11-14T22:13:20Z */

static struct places parsed; /* of places() */

static struct leat_strings strings_of(const char *const *v)
{
    struct leat_strings all = {v, 0, 0};
    while (v[all.n])
        all.n++;
    return all;
}

static struct places *places(const char *param, const char *const *entries,
                             const char *const *topics)
{
    static struct leat_strings list, of;
    list = strings_of(entries);
    of = strings_of(topics);
    parsed = (struct places){param, &list, &of};
    return &parsed;
}
#define LIST(...)          ((const char *const[]){__VA_ARGS__, NULL})
#define ck_has(TEXT, PART) ck_assert_msg(strstr(TEXT, PART), "'%s' lacks '%s'", said, PART)

/* Writes a place as text: its kind, and its offset or time. */
static const char *place_at(const char *topic, int32_t partition)
{
    static char text[60];
    struct place p = places_of(&parsed, topic, partition, NOW);
    snprintf(text, sizeof text, "%d:%lld%s", (int)p.kind, (long long)p.at, p.has_none ? "?" : "");
    return text;
}

static const char *kind_of(enum place_kind kind, long long at, const char *none)
{
    static char text[60];
    snprintf(text, sizeof text, "%d:%lld%s", (int)kind, at, none);
    return text;
}
#define CK_PLACE(TOPIC, PARTITION, KIND, AT, NONE)                                                 \
    ck_assert_str_eq(place_at(TOPIC, PARTITION), kind_of(KIND, AT, NONE))

START_TEST(the_entry_of_a_partition_counts_before_that_of_its_topic_and_of_all)
{
    places("start", LIST("latest", "a=earliest", "a/3=12", "b/0=-1h"), LIST("a", "b", "^c"));
    CK_PLACE("a", 3, PLACE_OFFSET, 12, "");
    CK_PLACE("a", 2, PLACE_EARLIEST, 0, "");
    CK_PLACE("b", 0, PLACE_TIME, NOW - 3600000, "");
    CK_PLACE("b", 1, PLACE_LATEST, 0, "");
    CK_PLACE("cat", 7, PLACE_LATEST, 0, "");
}
END_TEST

START_TEST(a_number_alone_is_a_partition_of_the_only_topic)
{
    places("until", LIST("0=5", "7=2023-11-14T22:13:20.0001Z", "8=stopped", "9=end"), LIST("a"));
    CK_PLACE("a", 0, PLACE_OFFSET, 5, "");
    CK_PLACE("a", 7, PLACE_TIME, NOW + 1, ""); /* the first whole millisecond from then on */
    CK_PLACE("a", 8, PLACE_NEVER, 0, "");
    CK_PLACE("a", 9, PLACE_LATEST, 0, "");
    CK_PLACE("a", 1, PLACE_LATEST, 0, "?");
    ck_assert(places_by_partition(&parsed));
    ck_assert(places_have(&parsed, PLACE_NEVER) && !places_have(&parsed, PLACE_COMMITTED));
    places("start", LIST("0=5"), LIST("a"));
    CK_PLACE("a", 1, PLACE_EARLIEST, 0, "?");
    places("start", LIST("a=latest"), LIST("a"));
    ck_assert(!places_by_partition(&parsed));
}
END_TEST

START_TEST(a_partition_that_a_topic_does_not_have_is_found)
{
    int64_t partition;
    places("start", LIST("latest", "a/2=1", "b/5=end"), LIST("a", "b"));
    ck_assert_ptr_null(places_missing(&parsed, "a", 3, &partition));
    ck_assert_str_eq(places_missing(&parsed, "a", 2, &partition), "a/2=1");
    ck_assert_int_eq(partition, 2);
    ck_assert_str_eq(places_missing(&parsed, "b", 5, &partition), "b/5=end");
}
END_TEST

/* ---- refusals ---- */

static char said[600];

static void note_error(struct leat_diag *d, const char *param, const char *format, ...)
{
    size_t at = strlen(said);
    va_list args;
    (void)d;
    va_start(args, format);
    at += (size_t)snprintf(said + at, sizeof said - at, "%s: ", param);
    vsnprintf(said + at, sizeof said - at, format, args);
    va_end(args);
}

static const char *wrong(const char *param, const char *const *entries, const char *const *topics)
{
    struct leat_diag d = {.size = sizeof d, .error = note_error, .warn = note_error};
    said[0] = 0;
    places_check(places(param, entries, topics), &d);
    return said;
}

START_TEST(what_is_wrong_is_said_with_what_to_write)
{
    const char *const *a = LIST("a"), *const *two = LIST("a", "b"), *const *c = LIST("^c");
    ck_assert_str_eq(wrong("start", LIST("latest", "0=3", "1=-1h", "a/2=2026-11-20"), a), "");
    ck_assert_str_eq(wrong("start", LIST("cat/0=3"), c), "");
    ck_has(wrong("start", LIST("dog/0=3"), c), "names the topic 'dog', which is not in `topics`");
    ck_has(wrong("start", LIST("ab=end"), LIST("abc")), "'end' is not a place to begin");
    ck_has(wrong("start", LIST("erliest"), a), "not a place to begin: did you mean 'earliest'?");
    ck_has(wrong("until", LIST("0=earliest"), a), "not a place to end: give end, stopped, a time");
    ck_has(wrong("start", LIST("1969-12-31"), a), "'1969-12-31' is not a place to begin");
    ck_has(wrong("start", LIST("offset"), a), "write the offsets into `start`");
    ck_has(wrong("until", LIST("7"), a), "write { [0] = 7 } for partition 0");
    ck_has(wrong("until", LIST("a=7"), a), "offset 7 needs its partition");
    ck_has(wrong("start", LIST("-1=5"), a),
           "'-1' of '-1=5' is no partition, of which the first is 0");
    ck_has(wrong("start", LIST("b=5"), a), "'b=5' names the topic 'b', which is not in `topics`");
    ck_has(wrong("start", LIST("0=1"), two), "'0=1' needs its topic");
    ck_has(wrong("start", LIST("0=1", "a/0=latest"), a), "'0=1' and 'a/0=latest' are for the same");
    ck_has(wrong("start", LIST("latest", "earliest"), a), "are for the same partitions");
    ck_has(wrong("start", LIST("a/99999999999=1"), a), "must have the form PARTITION=PLACE");
    ck_has(wrong("start", LIST("0=99999999999999999999"), a), "is not a place to begin");
    ck_has(wrong("start", (const char *const[]){NULL}, a), "the list is empty");
}
END_TEST

LEAT_SUITE("places", the_entry_of_a_partition_counts_before_that_of_its_topic_and_of_all,
           a_number_alone_is_a_partition_of_the_only_topic,
           a_partition_that_a_topic_does_not_have_is_found,
           what_is_wrong_is_said_with_what_to_write)
