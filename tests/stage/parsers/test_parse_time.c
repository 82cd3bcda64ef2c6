/* test_parse_time.c -- parse.time in the harness: event times of texts and numbers.
 *
 * It also tests rejections, refusals before the run, and the parts of a time against strftime. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

#define SECOND INT64_C(1000000000)

static struct harness *parser(const char *format)
{
    struct harness *h = parser_new("parse.time");
    harness_column(h, "when", LEAT_TEXT);
    harness_set(h, "column", "when");
    harness_set(h, "format", format);
    return h;
}

/* A batch of rows, a list ended by NULL. ROWS(h, "2024-05-17", "2024-05-18") */
static void rows(struct harness *h, const char *const *cells)
{
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    for (; *cells; cells++)
        harness_row(h, *cells);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}
#define ROWS(H, ...) rows(H, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(a_text_is_the_event_time_of_its_record)
{
    struct harness *h = parser("iso8601");
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert(h->out.has & LEAT_HAS_TIMESTAMP);
    ROWS(h, "2024-05-17T13:55:36.25+02:00", " 1970-01-01\t", "2024-05-17 00:00");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1715946936) * SECOND + 250000000);
    ck_assert_int_eq(h->b.timestamp[1], 0);
    ck_assert_int_eq(h->b.timestamp[2], INT64_C(1715904000) * SECOND);
    harness_free(h);
}
END_TEST

/* Times of random seconds, many of which come again at once or later, also after a wrong text. */
START_TEST(a_text_that_comes_again_is_the_same_time)
{
    uint64_t seed = seed_given();
    struct harness *h = parser("iso8601");
    int64_t second[500];
    bool wrong[500];
    ck_assert_msg(harness_open(h, 500) == LEAT_OK, "%s", h->said);
    for (int i = 0; i < 500; i++) {
        char text[40];
        second[i] = i && below(&seed, 2) ? second[i - 1] : (int64_t)below(&seed, 20) * 111111111;
        wrong[i] = below(&seed, 5) == 0;
        time_t t = (time_t)second[i];
        strftime(text, sizeof text, wrong[i] ? "%Y-%m-%dT%H:%M:%S?" : "%Y-%m-%dT%H:%M:%SZ",
                 gmtime(&t));
        harness_row(h, text);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (int i = 0; i < 500; i++)
        if (wrong[i])
            ck_assert_int_eq(h->b.status[i], LEAT_ROW_REJECTED);
        else
            ck_assert_int_eq(h->b.timestamp[i], second[i] * SECOND);
    harness_free(h);
}
END_TEST

START_TEST(a_zone_is_that_of_texts_without_an_offset)
{
    struct harness *h = parser("%d.%m.%Y %H:%M");
    harness_set(h, "zone", "Europe/Berlin");
    ROWS(h, "17.05.2024 02:00", "17.01.2024 01:00");
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1715904000) * SECOND);
    ck_assert_int_eq(h->b.timestamp[1], INT64_C(1705449600) * SECOND);
    harness_free(h);
    h = parser("iso8601");
    harness_set(h, "zone", "-03:30");
    ROWS(h, "2024-05-16 20:30");
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1715904000) * SECOND);
    harness_free(h);
}
END_TEST

START_TEST(numbers_are_read_in_their_unit)
{
    struct harness *h = parser_new("parse.time");
    harness_column(h, "when", LEAT_NUMBER);
    harness_set(h, "column", "when");
    harness_set(h, "format", "unix_ms");
    ROWS(h, "1715904000250", "0.5", "nan", "-1", "inf");
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1715904000250) * 1000000);
    ck_assert_int_eq(h->b.timestamp[1], 500000);
    expect_rejected_for(h, 2, LEAT_R_TIME, "column 'when' has no value");
    expect_rejected_for(h, 3, LEAT_R_TIME,
                        "'-1' is not a time (format unix_ms): it is before "
                        "1970");
    expect_rejected_for(h, 4, LEAT_R_TIME, "after 2262");
    harness_free(h);
}
END_TEST

START_TEST(what_is_no_time_is_rejected_with_the_text_and_the_format)
{
    struct harness *h = parser("iso8601");
    ROWS(h, "yesterday", "2023-02-29", "", "2024-05-17");
    ck_assert_uint_eq(h->n_rejections, 3);
    expect_rejected(h, 0, LEAT_R_TIME,
                    "column 'when': 'yesterday' is not a time (format iso8601, such as "
                    "2024-05-17T13:55:36.25+02:00): its date is not YYYY-MM-DD");
    expect_rejected_for(h, 1, LEAT_R_TIME, "its month does not have that day");
    expect_rejected_for(h, 2, LEAT_R_TIME, "missing = \"none\"");
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
}
END_TEST

START_TEST(a_record_without_a_value_can_be_kept)
{
    struct harness *h = parser("iso8601");
    harness_set(h, "missing", "none");
    harness_set(h, "parts", "hour");
    ROWS(h, "2024-05-17T13:55:36Z", " ", "2024-05-17T13:56:00Z");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_int_eq(h->b.timestamp[1], -1);
    ck_assert_str_eq(cell(h, 1, 0), "13");
    ck_assert_str_eq(cell(h, 1, 1), "NULL");
    ck_assert_str_eq(cell(h, 1, 2), "13");
    harness_free(h);
}
END_TEST

START_TEST(a_record_with_any_value_can_be_kept)
{
    struct harness *h = parser("iso8601");
    harness_set(h, "missing", "any");
    harness_set(h, "parts", "hour");
    ROWS(h, "3013-04-24", "yesterday", "", "2024-05-17T13:56:00Z");
    ck_assert_uint_eq(h->n_rejections, 0);
    for (uint32_t r = 0; r < 3; r++) {
        ck_assert_int_eq(h->b.timestamp[r], -1);
        ck_assert_str_eq(cell(h, 1, r), "NULL");
    }
    ck_assert_str_eq(cell(h, 1, 3), "13");
    harness_free(h);
}
END_TEST

/* Compares with strftime of the zone's clock, over random times. Repeated times share their
 * text. */
START_TEST(parts_are_those_of_strftime)
{
    static const char *const parts[] = {"year",    "month", "week",   "date",   "day",
                                        "weekday", "hour",  "minute", "second", "iso8601"};
    static const char *const formats[] = {"%Y", "%m", "%G-W%V", "%F", "%d",
                                          "%a", "%H", "%H:%M",  "%T", NULL};
    uint64_t seed = seed_given();
    struct harness *h = parser("unix");
    harness_set(h, "parts", "year,month,week,date,day,weekday,hour,minute,second,iso8601");
    harness_set(h, "zone", "America/St_Johns");
    setenv("TZ", "America/St_Johns", 1);
    tzset();
    ck_assert_int_eq(harness_open(h, 1000), LEAT_OK);
    for (int i = 0; i < 1000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)(mix64_next(&seed) % 9223372036u));
        harness_row(h, text);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    for (uint32_t r = 0; r < 1000; r++)
        for (uint32_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            char want[64];
            time_t t = h->b.timestamp[r] / SECOND;
            struct tm tm;
            if (formats[p])
                strftime(want, sizeof want, formats[p], localtime_r(&t, &tm));
            else
                strftime(want, sizeof want, "%FT%TZ", gmtime_r(&t, &tm));
            if (strcmp(cell(h, 1 + p, r), want))
                ck_abort_msg("%s of %lld is %s, not %s", parts[p], (long long)t, cell(h, 1 + p, r),
                             want);
        }
    harness_free(h);
}
END_TEST

START_TEST(parts_may_have_a_prefix_and_a_fraction)
{
    struct harness *h = parser("unix");
    harness_set(h, "parts", "quarter_hour,iso8601");
    harness_set(h, "prefix", "of_");
    ROWS(h, "1715954136.25", "1715954136.000000001", "1715954399", "1715954400");
    ck_assert_str_eq(h->out.column[1].name, "of_quarter_hour");
    ck_assert_str_eq(cell(h, 1, 0), "13:45");
    ck_assert_str_eq(cell(h, 1, 2), "13:45");
    ck_assert_str_eq(cell(h, 1, 3), "14:00");
    ck_assert_str_eq(cell(h, 2, 0), "2024-05-17T13:55:36.25Z");
    ck_assert_str_eq(cell(h, 2, 1), "2024-05-17T13:55:36.000000001Z");
    harness_free(h);
}
END_TEST

START_TEST(without_a_column_the_time_of_the_source_has_parts)
{
    struct harness *h = parser_new("parse.time");
    harness_has(h, LEAT_HAS_TIMESTAMP);
    harness_set(h, "parts", "date,hour");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_record(h, "x");
    harness_record(h, "y");
    h->b.timestamp[0] = INT64_C(1715904000) * SECOND;
    h->b.timestamp[1] = -1;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "2024-05-17");
    ck_assert_str_eq(cell(h, 1, 0), "00");
    ck_assert_str_eq(cell(h, 1, 1), "NULL");
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1715904000) * SECOND);
    harness_free(h);
}
END_TEST

START_TEST(a_year_comes_from_the_parameter_or_the_source)
{
    struct harness *h = parser("syslog");
    harness_set(h, "year", "2023-07");
    ROWS(h, "Dec 31 23:59:59", "Jan  1 00:00:00");
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1704067199) * SECOND);
    ck_assert_int_eq(h->b.timestamp[1], INT64_C(1704067200) * SECOND);
    harness_free(h);
    h = parser("syslog");
    harness_has(h, LEAT_HAS_TIMESTAMP);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_row(h, "Dec 31 23:59:59");
    harness_row(h, "Dec 31 23:59:59");
    h->b.timestamp[0] = INT64_C(1704067205) * SECOND; /* five seconds after New Year */
    h->b.timestamp[1] = -1;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_int_eq(h->b.timestamp[0], INT64_C(1704067199) * SECOND);
    expect_rejected_for(h, 1, LEAT_R_TIME, "it has no year, and the record has no time");
    harness_free(h);
}
END_TEST

static void refused(const char *param, const char *value, const char *text)
{
    struct harness *h = parser("iso8601");
    harness_set(h, param, value);
    expect_refused_and_free(h, text);
}

START_TEST(mistakes_are_told_before_the_run)
{
    refused("column", "wehn", "no column 'wehn'");
    refused("format", "unix_mss", "did you mean 'unix_ms'?");
    refused("format", "%d.%m", "give year = \"2024\"");
    refused("year", "2024", "leave this out");
    refused("zone", "Europe/Berln", "did you mean 'Europe/Berlin'?");
    refused("zone", "tokyo", "did you mean 'Asia/Tokyo'?");
    refused("zone", "+2", "such as +02:00");
    refused("zone", "../localtime", "no time zone '../localtime'");
    refused("zone", "tzdata.zi", "tzdata.zi");
    refused("zone", "Europe", "no time zone 'Europe'");
    refused("parts", "hours", "did you mean 'hour'?");
    refused("parts", "hour,hour", "listed twice");
    struct harness *h = parser("syslog");
    harness_set(h, "year", "24");
    expect_refused_and_free(h, "'24' is not a year such as 2024");
    h = parser_new("parse.time");
    harness_column(h, "when", LEAT_NUMBER);
    harness_set(h, "column", "when");
    expect_refused_and_free(h, "column 'when' holds numbers");
    h = parser_new("parse.time");
    expect_refused_and_free(h, "name the column with the time");
    h = parser_new("parse.time");
    harness_has(h, LEAT_HAS_TIMESTAMP);
    expect_refused_and_free(h, "or the `parts` to make");
    h = parser("iso8601");
    harness_column(h, "hour", LEAT_TEXT);
    harness_set(h, "parts", "hour");
    expect_refused_and_free(h, "a column 'hour': give the new columns a prefix");
}
END_TEST

START_TEST(a_batch_that_is_full_rejects_the_record)
{
    struct harness *h = parser("iso8601");
    harness_set(h, "parts", "second");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_row(h, "2024-05-17T13:55:36Z");
    harness_row(h, "2024-05-17T13:55:37Z");
    h->b.cap_bytes = h->b.n_bytes + 8;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 1);
    expect_rejected_for(h, 1, LEAT_R_TOO_LARGE, "no room for the parts");
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_time", a_text_is_the_event_time_of_its_record,
           a_text_that_comes_again_is_the_same_time, a_zone_is_that_of_texts_without_an_offset,
           numbers_are_read_in_their_unit, what_is_no_time_is_rejected_with_the_text_and_the_format,
           a_record_without_a_value_can_be_kept, a_record_with_any_value_can_be_kept,
           parts_are_those_of_strftime, parts_may_have_a_prefix_and_a_fraction,
           without_a_column_the_time_of_the_source_has_parts,
           a_year_comes_from_the_parameter_or_the_source, mistakes_are_told_before_the_run,
           a_batch_that_is_full_rejects_the_record)
