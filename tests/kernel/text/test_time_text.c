/* test_time_text.c -- time_text.h against strptime and timegm, over random times.
 *
 * snprintf and strftime write the times in many forms. Invalid times must give the right messages.
 * Tests run in the C locale, where strptime's names are English. SEED=… replays other times. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strptime */
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/text/edit_distance.h"
#include "kernels/text/time_text.h"
#include "support/random.h"
#include "support/suite.h"

#define LAST   INT64_C(9223372036)
#define SECOND INT64_C(1000000000)

static struct time_reader reader;

static void set_format(const char *format)
{
    char why[TIME_WHY] = "";
    ck_assert_msg(time_format_read(&reader.format, format, why), "%s: %s", format, why);
    time_zone_fixed(&reader.zone, 0);
    reader.year = reader.month = 0;
}

/* Reads the text at the very end of a heap block, to catch reads past it. */
static const char *take_near(const char *text, int64_t near, int64_t *ns)
{
    size_t n = strlen(text);
    char *exact = malloc(n + !n);
    memcpy(exact, text, n);
    *ns = -7;
    const char *wrong = time_read(&reader, exact, n, near, ns);
    free(exact);
    return wrong;
}

static void expect(const char *text, int64_t want)
{
    int64_t ns;
    const char *wrong = take_near(text, TIME_NONE, &ns);
    if (wrong || ns != want)
        ck_abort_msg("'%s' is %lld and not %lld: %s", text, (long long)ns, (long long)want,
                     wrong ? wrong : "");
}

static void expect_wrong(const char *text, const char *part)
{
    int64_t ns;
    const char *wrong = take_near(text, TIME_NONE, &ns);
    ck_assert_msg(wrong && strstr(wrong, part), "'%s': %s", text, wrong ? wrong : "is a time");
}

static int64_t random_seconds(uint64_t *seed)
{
    return (int64_t)(mix64_next(seed) % (uint64_t)LAST);
}

static struct tm parts_of(int64_t seconds)
{
    time_t t = seconds;
    struct tm tm;
    gmtime_r(&t, &tm);
    return tm;
}

/* ---- ISO 8601 ---- */

/* Writes the reading of a clock that is `offset` minutes ahead of UTC. */
static void write_iso(char *out, int64_t seconds, uint32_t nanos, int digits, int offset,
                      uint64_t *s)
{
    struct tm tm = parts_of(seconds + 60 * offset);
    bool basic = below(s, 4) == 0;
    int sign = offset < 0 ? '-' : '+', hours = abs(offset) / 60, minutes = abs(offset) % 60;
    out += sprintf(out, basic ? "%04d%02d%02d" : "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1,
                   tm.tm_mday);
    *out++ = "Tt "[below(s, 3)];
    out +=
        sprintf(out, basic ? "%02d%02d%02d" : "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (digits) out += sprintf(out, "%c%09u", ".,"[below(s, 2)], nanos) - (9 - digits);
    if (below(s, 3) == 0) *out++ = ' ';
    if (!offset && below(s, 2))
        strcpy(out, (const char *const[]){"Z", "z", "UTC", "GMT"}[below(s, 4)]);
    else if (!minutes && below(s, 2))
        sprintf(out, "%c%02d", sign, hours);
    else
        sprintf(out, below(s, 2) ? "%c%02d:%02d" : "%c%02d%02d", sign, hours, minutes);
}

START_TEST(random_times_in_every_way_of_iso8601_are_those_of_gmtime)
{
    static const uint32_t power[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                     10000,      1000,      100,      10,      1};
    uint64_t seed = seed_given();
    set_format("iso8601");
    for (int i = 0; i < 300000; i++) {
        char text[64];
        int digits = (int)below(&seed, 10), offset = (int)below(&seed, 2879) - 1439;
        uint32_t nanos = digits ? below(&seed, 1000000000) / power[digits] * power[digits] : 0;
        int64_t seconds = random_seconds(&seed);
        write_iso(text, seconds, nanos, digits, below(&seed, 2) ? offset : 0, &seed);
        expect(text, seconds * SECOND + nanos);
    }
}
END_TEST

START_TEST(what_iso8601_leaves_out_is_zero_or_of_the_zone)
{
    int64_t day = INT64_C(1715904000) * SECOND; /* date -ud 2024-05-17 +%s */
    set_format("iso8601");
    expect("2024-05-17", day);
    expect("20240517", day);
    expect("2024-05-17T13:55", day + 50100 * SECOND);
    expect("2024-05-17T1355Z", day + 50100 * SECOND);
    expect("2024-05-17 13:55:36.1234567891", day + 50136 * SECOND + 123456789);
    expect("2024-05-17 23:59:60Z", day + 86400 * SECOND);
    expect("1970-01-01T00:00:00-00:00", 0);
    expect("2262-04-11T23:47:15.999999999Z", (LAST - 1) * SECOND + 999999999);
    time_zone_fixed(&reader.zone, 7200);
    expect("2024-05-17T13:55:36", day + 42936 * SECOND);
    expect("2024-05-17T13:55:36Z", day + 50136 * SECOND);
    expect("1970-01-01T02:00", 0);
}
END_TEST

START_TEST(a_number_is_told_with_the_format_that_reads_it)
{
    set_format("iso8601");
    expect_wrong("1715954136", "format = unix");
    expect_wrong("1715954136.25", "format = unix");
    expect_wrong("1715954136250", "format = unix_ms");
    expect_wrong("1715954136250000", "format = unix_us");
    expect_wrong("1715954136250000000", "format = unix_ns");
    expect_wrong("17159541362500", "month");
    expect_wrong("1715954136x", "month");
}
END_TEST

START_TEST(what_is_no_time_of_iso8601_is_told)
{
    static const char *const cases[][2] = {{"", "empty"},
                                           {"2024", "too short"},
                                           {"17.05.2024 13:55", "YYYY-MM-DD"},
                                           {"2024-5-17", "YYYY-MM-DD"},
                                           {"2024-05-17x", "T nor a blank"},
                                           {"2024/05/17", "YYYY-MM-DD"},
                                           {"2024-00-17", "month"},
                                           {"2024-13-01", "month"},
                                           {"2024-05-00", "day"},
                                           {"2023-02-29", "day"},
                                           {"1900-02-29", "day"},
                                           {"2024-04-31", "day"},
                                           {"2024-05-17T", "HH:MM:SS"},
                                           {"2024-05-17T1", "HH:MM:SS"},
                                           {"2024-05-17T24:00", "hour"},
                                           {"2024-05-17T13:60", "minute"},
                                           {"2024-05-17T13:55:61", "second"},
                                           {"2024-05-17T13:55:3", "offset"},
                                           {"2024-05-17T13:55:36.", "fraction"},
                                           {"2024-05-17T13:55:36+", "offset"},
                                           {"2024-05-17T13:55:36+24:00", "offset"},
                                           {"2024-05-17T13:55:36+02:60", "offset"},
                                           {"2024-05-17T13:55:36 CET", "offset"},
                                           {"2024-05-17T13:55:36Zx", "follows"},
                                           {"1969-12-31T23:59:59Z", "before 1970"},
                                           {"1970-01-01T00:00:00+00:01", "before 1970"},
                                           {"2262-04-11T23:47:16Z", "after 2262"},
                                           {"9999-12-31", "after 2262"},
                                           {"0000-01-01", "before 1970"},
                                           {"\xff\xfe-05-17", "YYYY"}};
    set_format("iso8601");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_wrong(cases[i][0], cases[i][1]);
}
END_TEST

/* ---- numbers ---- */

START_TEST(numbers_since_1970_are_exact_in_every_unit)
{
    static const char *const formats[] = {"unix", "unix_ms", "unix_us", "unix_ns"};
    uint64_t seed = seed_given();
    for (int f = 0; f < 4; f++) {
        set_format(formats[f]);
        for (int i = 0; i < 50000; i++) {
            char digits[40], text[40];
            int64_t ns = random_seconds(&seed) * SECOND + below(&seed, 1000000000);
            int point = sprintf(digits, "%011lld", (long long)ns) - 9 + 3 * f;
            sprintf(text, f < 3 ? "%.*s.%s" : "%.*s%s", point, digits, digits + point);
            expect(text, ns);
        }
    }
}
END_TEST

START_TEST(numbers_are_read_in_all_their_forms)
{
    set_format("unix");
    expect("1.5e9", 1500000000 * SECOND);
    expect("+12.", 12 * SECOND);
    expect("0.0000000019", 1);
    expect("-0", 0);
    expect("00000000000000000000000012", 12 * SECOND);
    expect_wrong("-1", "before 1970");
    expect_wrong("-0.5", "before 1970");
    expect_wrong("9223372036", "after 2262");
    expect_wrong("1700000000123", "a number, as of format = unix_ms");
    expect_wrong("99999999999999999999999", "after 2262");
    expect_wrong("1e300", "after 2262");
    for (const char *const *p = (const char *const[]){"x", "12x", ".", "-", "nan", "inf", "0x10",
                                                      "1e400", "1 2", "1.2.3", NULL};
         *p; p++)
        expect_wrong(*p, "not a number");
}
END_TEST

START_TEST(doubles_are_rounded_to_a_nanosecond)
{
    int64_t ns;
    uint64_t seed = seed_given();
    for (int i = 0; i < 100000; i++) {
        double x = uniform(&seed, 0, 9.2e9);
        ck_assert(!time_of_number(TIME_UNIX, x, &ns));
        long double exact = (long double)x * 1e9L; /* 64 bits of mantissa */
        if (fabsl(exact - (long double)ns) > 0.5L) ck_abort_msg("%.17g is %lld", x, (long long)ns);
    }
    ck_assert(!time_of_number(TIME_UNIX_NS, 0x1p62, &ns) && ns == INT64_C(1) << 62);
    ck_assert(time_of_number(TIME_UNIX_NS, 0x1p63, &ns) != NULL);
    ck_assert(time_of_number(TIME_UNIX_MS, -1, &ns) != NULL);
    ck_assert(time_of_number(TIME_UNIX, (double)NAN, &ns) != NULL);
}
END_TEST

/* ---- patterns ---- */

START_TEST(patterns_read_what_strftime_writes_and_strptime_reads)
{
    static const char *const patterns[] = {"%Y-%m-%d %H:%M:%S",
                                           "%Y%m%d%H%M%S",
                                           "%d/%b/%Y:%H:%M:%S",
                                           "%a, %d %B %Y %T",
                                           "%j %Y %H:%M:%S",
                                           "%A %e %h %Y %T",
                                           "%F %I:%M:%S %p",
                                           "%s",
                                           "%D %R",
                                           "%l%p %d.%m.%Y",
                                           "%k h %F",
                                           "%%%H %Y-%m-%d"};
    uint64_t seed = seed_given();
    for (size_t f = 0; f < sizeof patterns / sizeof *patterns; f++) {
        set_format(patterns[f]);
        for (int i = 0; i < 20000; i++) {
            char text[100];
            /* strptime has %y of 1969 to 2068 */
            int64_t last = strstr(patterns[f], "%D") ? INT64_C(3124137600) : LAST;
            time_t t = (time_t)(mix64_next(&seed) % (uint64_t)last);
            struct tm tm = parts_of(t), read = {0};
            ck_assert_uint_gt(strftime(text, sizeof text, patterns[f], &tm), 0);
            ck_assert_msg(strptime(text, patterns[f], &read) != NULL, "'%s'", text);
            expect(text, strcmp(patterns[f], "%s") ? timegm(&read) * SECOND : t * SECOND);
        }
    }
}
END_TEST

START_TEST(ready_formats_are_those_of_logs)
{
    set_format("clf"); /* Apache's documentation */
    expect("10/Oct/2000:13:55:36 -0700", INT64_C(971211336) * SECOND);
    expect_wrong("10/Okt/2000:13:55:36 -0700", "month");
    expect_wrong("10/Oct/2000:13:55:36", "too early");
    set_format("syslog");
    reader.year = 2003;
    reader.month = 1;
    expect("Oct 11 22:14:15",
           INT64_C(1065910455) * SECOND); /* date -ud "2003-10-11 22:14:15" +%s */
    expect("Feb  5 17:32:18", INT64_C(1044466338) * SECOND);
    expect_wrong("Feb 29 17:32:18", "day");
}
END_TEST

START_TEST(fractions_offsets_and_names_are_read_by_patterns)
{
    set_format("%d.%m.%Y %H:%M:%S.%f%z");
    expect("17.05.2024 13:55:36.5+02:00", INT64_C(1715946936) * SECOND + 500000000);
    expect("17.5.2024 13:55:36.5Z", INT64_C(1715954136) * SECOND + 500000000);
    set_format("%d %b %Y %I %p");
    expect("17 MAY 2024 12 am", INT64_C(1715904000) * SECOND);
}
END_TEST

/* ---- years that are not written ---- */

START_TEST(a_year_is_that_of_twelve_months)
{
    set_format("syslog");
    expect_wrong("Oct 11 22:14:15", "no year");
    reader.year = 2023;
    reader.month = 7;
    expect("Jul  1 00:00:00", INT64_C(1688169600) * SECOND); /* 2023 */
    expect("Dec 31 23:59:59", INT64_C(1704067199) * SECOND); /* 2023 */
    expect("Jan  1 00:00:00", INT64_C(1704067200) * SECOND); /* 2024 */
    expect("Feb 29 00:00:00", INT64_C(1709164800) * SECOND); /* 2024 has one */
}
END_TEST

START_TEST(or_the_one_that_is_closest_to_a_time_of_the_record)
{
    uint64_t seed = seed_given();
    set_format("syslog");
    for (int i = 0; i < 100000; i++) {
        char text[32];
        int64_t t = 200 * INT64_C(86400) + random_seconds(&seed) % (LAST - 400 * INT64_C(86400)),
                ns;
        int64_t near = t + (int64_t)below(&seed, 180 * 86400) - 90 * 86400;
        struct tm tm = parts_of(t);
        strftime(text, sizeof text, "%b %e %H:%M:%S", &tm);
        ck_assert(!take_near(text, near * SECOND, &ns));
        if (ns != t * SECOND) ck_abort_msg("%s near %lld", text, (long long)near);
    }
}
END_TEST

/* ---- invalid formats ---- */

START_TEST(wrong_formats_are_told)
{
    static const char *const cases[][2] = {{"iso", "did you mean 'iso8601'"},
                                           {"unix_sec", "did you mean 'unix_"},
                                           {"ISO8601", "did you mean 'iso8601'"},
                                           {"nonsense", "not one of iso8601"},
                                           {"", "not one of"},
                                           {"%", "it ends with %"},
                                           {"%Y-%m-%d %Q", "no %Q"},
                                           {"%Y-%m-%d %N", "did you mean %f"},
                                           {"%Y-%m-%d %Z", "%z"},
                                           {"%Y-%m", "day"},
                                           {"%H:%M", "day"},
                                           {"%Y %Y-%m-%d", "year twice"},
                                           {"%Y-%m-%d %I", "%p"},
                                           {"%Y-%m-%d %H %p", "%I"},
                                           {"%s %Y", "%s"},
                                           {"%j", "year"},
                                           {"%Y-%m-%d.%f", "%S"},
                                           {"%Y-%j-%m", "day twice"},
                                           {"%d%e %m", "day twice"},
                                           {"%m-%b-%d", "month twice"}};
    char why[TIME_WHY];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        why[0] = 0;
        ck_assert_msg(!time_format_read(&reader.format, cases[i][0], why), "%s", cases[i][0]);
        ck_assert_msg(strstr(why, cases[i][1]), "%s: %s", cases[i][0], why);
    }
    char long_one[400] = "%Y-%m-%d";
    memset(long_one + 8, 'x', sizeof long_one - 9);
    ck_assert(!time_format_read(&reader.format, long_one, why) && strstr(why, "64 parts"));
}
END_TEST

START_TEST(any_bytes_are_a_time_or_are_told)
{
    static const char letters[] = "0123456789-:TZ+. ,%aAmMpPJjun/";
    static const char *const formats[] = {"iso8601", "unix", "clf", "%j%Y%p%I%M %S.%f%z", "%y%m%d"};
    uint64_t seed = seed_given();
    for (int i = 0; i < 300000; i++) {
        char text[40];
        uint32_t n = below(&seed, 32);
        int64_t ns;
        if (i % 60000 == 0) set_format(formats[i / 60000]);
        for (uint32_t k = 0; k < n; k++)
            text[k] = below(&seed, 50) ? letters[below(&seed, sizeof letters - 1)]
                                       : (char)(1 + below(&seed, 255));
        text[n] = 0;
        if (!take_near(text, TIME_NONE, &ns) && ns < 0) ck_abort_msg("'%s' is before 1970", text);
    }
}
END_TEST

/* ---- edit_distance.h ---- */

/* By its definition, without a table. */
static size_t slow_distance(const char *a, const char *b)
{
    if (!*a) return strlen(b);
    if (!*b) return strlen(a);
    size_t changed = (*a != *b) + slow_distance(a + 1, b + 1);
    size_t out = 1 + slow_distance(a + 1, b), in = 1 + slow_distance(a, b + 1);
    size_t less = out < in ? out : in;
    return less < changed ? less : changed;
}

START_TEST(a_distance_is_the_fewest_changes)
{
    uint64_t seed = seed_given();
    for (int i = 0; i < 2000; i++) {
        char a[8] = "", b[8] = "";
        for (uint32_t k = below(&seed, 7); k > 0; k--)
            a[strlen(a)] = (char)('a' + below(&seed, 3));
        for (uint32_t k = below(&seed, 7); k > 0; k--)
            b[strlen(b)] = (char)('a' + below(&seed, 3));
        ck_assert_uint_eq(edit_distance(a, b, strlen(b)), slow_distance(a, b));
    }
    ck_assert_uint_eq(edit_distance("Berlin", "bErLiN", 6), 0);
}
END_TEST

LEAT_SUITE("time_text", random_times_in_every_way_of_iso8601_are_those_of_gmtime,
           what_iso8601_leaves_out_is_zero_or_of_the_zone, what_is_no_time_of_iso8601_is_told,
           a_number_is_told_with_the_format_that_reads_it,
           numbers_since_1970_are_exact_in_every_unit, numbers_are_read_in_all_their_forms,
           doubles_are_rounded_to_a_nanosecond,
           patterns_read_what_strftime_writes_and_strptime_reads, ready_formats_are_those_of_logs,
           fractions_offsets_and_names_are_read_by_patterns, a_year_is_that_of_twelve_months,
           or_the_one_that_is_closest_to_a_time_of_the_record, wrong_formats_are_told,
           any_bytes_are_a_time_or_are_told, a_distance_is_the_fewest_changes)
