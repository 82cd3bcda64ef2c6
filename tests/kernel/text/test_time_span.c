/* test_time_span.c -- spans of time as people write them, against timegm(). */
#include <string.h>
#include <time.h>

#include "kernels/text/time_span.h"
#include "support/suite.h"

#define SECOND INT64_C(1000000000)

static int64_t at(int year, int month, int day, int hour)
{
    struct tm t = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour};
    return (int64_t)timegm(&t) * SECOND;
}

static struct time_span_reader reader_in(int32_t offset, int64_t newest)
{
    struct time_span_reader r;
    time_zone_fixed(&r.reader.zone, offset);
    time_span_begin(&r, newest);
    return r;
}

static void reads(const char *text, int64_t want, int32_t offset, int64_t newest)
{
    struct time_span_reader r = reader_in(offset, newest);
    int64_t ns = -1;
    const char *why = time_moment(&r, text, &ns);
    ck_assert_msg(!why, "%s: %s", text, why);
    ck_assert_msg(ns == want, "%s: %lld, not %lld", text, (long long)ns, (long long)want);
}

START_TEST(a_date_a_month_and_a_year_are_their_beginnings)
{
    reads("2013", at(2013, 1, 1, 0), 0, TIME_NONE);
    reads("2013-07", at(2013, 7, 1, 0), 0, TIME_NONE);
    reads("2013-07-01", at(2013, 7, 1, 0), 0, TIME_NONE);
    reads("2013-07-01", at(2013, 6, 30, 22), 7200, TIME_NONE);
    reads("2013-07-01T12:00Z", at(2013, 7, 1, 12), 7200, TIME_NONE);
}
END_TEST

START_TEST(a_duration_ends_just_after_the_newest_time)
{
    int64_t newest = at(2013, 7, 31, 12);
    reads("-7d", at(2013, 7, 24, 12) + 1, 0, newest);
    reads("-2w", at(2013, 7, 17, 12) + 1, 0, newest);
    reads("-90min", newest + 1 - 5400 * SECOND, 0, newest);
    reads("-1.5h", newest + 1 - 5400 * SECOND, 0, newest);
    reads("-30s", newest + 1 - 30 * SECOND, 0, newest);
    reads("-0.5h", newest + 1 - 1800 * SECOND, 0, newest);
}
END_TEST

START_TEST(a_span_holds_its_beginning_and_not_its_end)
{
    struct time_span_reader r = reader_in(0, at(2013, 7, 31, 12));
    struct time_span s;
    ck_assert_ptr_null(time_span_read(&r, "2013-05..2013-06", &s));
    ck_assert(time_span_has(s, at(2013, 5, 1, 0)) && !time_span_has(s, at(2013, 6, 1, 0)));
    ck_assert(!time_span_has(s, at(2013, 5, 1, 0) - 1) && time_span_has(s, at(2013, 6, 1, 0) - 1));
    ck_assert_ptr_null(time_span_read(&r, "..2013-06", &s));
    ck_assert(time_span_has(s, 0) && !time_span_has(s, at(2013, 6, 1, 0)));
    ck_assert_ptr_null(time_span_read(&r, "-1d..", &s));
    ck_assert(time_span_has(s, at(2013, 7, 31, 12)) && time_span_has(s, at(2013, 7, 30, 12) + 1));
    ck_assert(!time_span_has(s, at(2013, 7, 30, 12)));
}
END_TEST

START_TEST(wrong_texts_are_told)
{
    static const char *const moments[] = {"",    "fish", "2013-13",  "2013-02-30", "-",      "-7",
                                          "-7y", "--7d", "-999999w", "1969-12-31", "-1e300d"};
    static const char *const spans[] = {"..",
                                        "2013",
                                        "2013..2012",
                                        "2013..2013",
                                        "2013..fish",
                                        "-1d..-2d",
                                        "2013-01-01T00:00:00.000000000000000000000000000000000000"
                                        "000000000000000000..2014"};
    struct time_span_reader r = reader_in(0, at(2013, 7, 31, 12)),
                            unknown = reader_in(0, TIME_NONE);
    struct time_span s;
    int64_t ns;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        ck_assert_msg(time_moment(&r, moments[i], &ns) != NULL, "%s", moments[i]);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        ck_assert_msg(time_span_read(&r, spans[i], &s) != NULL, "%s", spans[i]);
    ck_assert_ptr_nonnull(time_moment(&unknown, "-7d", &ns));
}
END_TEST

/* A year or month that cannot be is told by what is wrong with it, not by its length. */
START_TEST(a_reason_names_what_is_wrong)
{
    static const char *const said[][2] = {{"1900", "before 1970"}, {"2263", "after 2262"},
                                          {"2024-13", "month"},    {"7d", "-7d"},
                                          {"2013..2013", "empty"}, {"2013..2012", "ends before"}};
    struct time_span_reader r = reader_in(0, at(2013, 7, 31, 12));
    struct time_span s;
    int64_t ns;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *text = said[i][0];
        const char *wrong =
            time_span_is(text) ? time_span_read(&r, text, &s) : time_moment(&r, text, &ns);
        ck_assert_msg(wrong && strstr(wrong, said[i][1]), "%s: %s", text, wrong);
    }
}
END_TEST

LEAT_SUITE("time_span", a_date_a_month_and_a_year_are_their_beginnings,
           a_duration_ends_just_after_the_newest_time, a_span_holds_its_beginning_and_not_its_end,
           wrong_texts_are_told, a_reason_names_what_is_wrong)
