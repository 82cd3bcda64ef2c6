/* test_time_zone.c -- civil.h against timegm, and all zones of the machine against the C library.
 *
 * A zone's offset at any time must agree, and the time at which its clocks showed another. SEED=…
 * replays other random times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/time/civil.h"
#include "kernels/text/time_zone.h"
#include "support/random.h"
#include "support/suite.h"

#define DATABASE "/usr/share/zoneinfo"
#define LAST     INT64_C(9223372036)
#define DAY      86400

static struct time_zone zone;

/* ---- the calendar ---- */

START_TEST(every_day_of_ten_thousand_years_is_that_of_timegm)
{
    for (int64_t day = civil_to_days(0, 1, 1); day < civil_to_days(9999, 12, 31); day++) {
        struct civil c = civil_of_days(day);
        if (civil_to_days(c.year, c.month, c.day) != day)
            ck_abort_msg("day %lld comes back as %lld", (long long)day,
                         (long long)civil_to_days(c.year, c.month, c.day));
        if (day % 31) continue; /* gmtime is slow */
        time_t t = day * DAY;
        struct tm tm;
        gmtime_r(&t, &tm);
        if (tm.tm_year + 1900 != c.year || tm.tm_mon + 1 != c.month || tm.tm_mday != c.day ||
            (tm.tm_wday + 6) % 7 != civil_weekday(day) || timegm(&tm) != t)
            ck_abort_msg("day %lld is %d-%d-%d", (long long)day, c.year, c.month, c.day);
    }
}
END_TEST

START_TEST(months_have_their_days)
{
    for (int year = 1896; year < 2110; year++)
        for (int month = 1; month <= 12; month++) {
            int64_t next =
                month < 12 ? civil_to_days(year, month + 1, 1) : civil_to_days(year + 1, 1, 1);
            ck_assert_int_eq(civil_days_of(year, month), next - civil_to_days(year, month, 1));
        }
}
END_TEST

/* ---- zones ---- */

static const char *read_zone(const char *name)
{
    char path[300];
    static char bytes[1 << 16];
    snprintf(path, sizeof path, DATABASE "/%s", name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s: there is no such file: install tzdata", path);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    setenv("TZ", name, 1);
    tzset();
    return time_zone_read(&zone, bytes, n);
}

static int64_t offset_of(int64_t utc)
{
    time_t t = utc;
    struct tm tm;
    localtime_r(&t, &tm);
    return tm.tm_gmtoff;
}

/* Returns the first time at which the clocks of the C library's zone show `local`. In a gap, the
 * offset before it counts. Offsets change at most once in two days. */
static int64_t utc_of(int64_t local)
{
    int64_t before = offset_of(local - DAY), after = offset_of(local + DAY);
    int64_t earlier = local - (before > after ? before : after);
    int64_t later = local - (before > after ? after : before);
    if (earlier + offset_of(earlier) == local) return earlier;
    if (later + offset_of(later) == local) return later;
    return local - offset_of(earlier);
}

static void compare(const char *name, int64_t t)
{
    int64_t offset = time_zone_offset(&zone, t), utc = time_zone_to_utc(&zone, t);
    if (offset != offset_of(t))
        ck_abort_msg("%s at %lld: offset %lld, and the C library has %lld", name, (long long)t,
                     (long long)offset, (long long)offset_of(t));
    if (utc != utc_of(t))
        ck_abort_msg("%s shows %lld: at %lld, and the C library has %lld", name, (long long)t,
                     (long long)utc, (long long)utc_of(t));
}

/* Compares random times, and times around each change until 2030. Later changes follow one rule. */
static void compare_zone(const char *name)
{
    uint64_t seed = seed_given();
    const char *wrong = read_zone(name);
    ck_assert_msg(wrong == NULL, "%s: %s", name, wrong ? wrong : "");
    for (int i = 0; i < 50; i++)
        compare(name, 2 * DAY + (int64_t)(mix64_next(&seed) % (uint64_t)(LAST - 4 * DAY)));
    for (uint32_t i = 1; i < zone.n && zone.change[i].from < LAST - 3 * DAY;
         i += zone.change[i].from < INT64_C(1900000000) ? 1 : 37)
        for (int64_t at = -7200; at <= 7200; at += 1800) {
            compare(name, zone.change[i].from + at - (i & 1));
            compare(name, zone.change[i].local + at - (i & 1));
        }
}

START_TEST(every_zone_is_that_of_the_c_library)
{
    char line[256], name[200];
    FILE *f = fopen(DATABASE "/tzdata.zi", "r");
    int zones = 0;
    ck_assert_msg(f != NULL, "there is no " DATABASE "/tzdata.zi: install tzdata");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "Z %199s", name) == 1) {
            compare_zone(name);
            zones++;
        }
    fclose(f);
    ck_assert_int_gt(zones, 300);
}
END_TEST

/* In this order, searches by the clock and by UTC find the same change. */
START_TEST(changes_are_in_the_order_of_clocks_too)
{
    static const char *const names[] = {"Europe/Berlin", "America/New_York", "Africa/Casablanca",
                                        "Pacific/Apia",  "Asia/Pyongyang",   "Antarctica/Troll"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert(read_zone(names[i]) == NULL);
        ck_assert_uint_gt(zone.n, 1);
        for (uint32_t k = 1; k < zone.n; k++) {
            ck_assert_int_lt(zone.change[k - 1].from, zone.change[k].from);
            ck_assert_int_lt(zone.change[k - 1].local, zone.change[k].local);
        }
    }
}
END_TEST

START_TEST(a_gap_and_a_fold_follow_their_rules)
{
    ck_assert(read_zone("Europe/Berlin") == NULL);
    int64_t spring = civil_to_days(2024, 3, 31) * DAY, autumn = civil_to_days(2024, 10, 27) * DAY;
    ck_assert_int_eq(time_zone_to_utc(&zone, spring + 7199), spring + 3599);
    ck_assert_int_eq(time_zone_to_utc(&zone, spring + 9000), spring + 5400); /* 2:30 never was */
    ck_assert_int_eq(time_zone_to_utc(&zone, spring + 10800), spring + 3600);
    ck_assert_int_eq(time_zone_to_utc(&zone, autumn + 9000), autumn + 1800); /* the first 2:30 */
    ck_assert_int_eq(time_zone_to_utc(&zone, autumn + 10799), autumn + 3599);
    ck_assert_int_eq(time_zone_to_utc(&zone, autumn + 10800), autumn + 7200);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    ck_assert(read_zone("Europe/Berlin") == NULL);
    int64_t spring = civil_to_days(1980, 4, 6) * DAY, autumn = civil_to_days(1980, 9, 28) * DAY;
    ck_assert_int_eq(time_zone_offset(&zone, spring + 3599), 3600);
    ck_assert_int_eq(time_zone_offset(&zone, spring + 3600), 7200);
    ck_assert_int_eq(time_zone_offset(&zone, autumn + 3599), 7200);
    ck_assert_int_eq(time_zone_offset(&zone, autumn + 3600), 3600);
    ck_assert_int_eq(time_zone_to_utc(&zone, autumn + 9000), autumn + 1800); /* 00:30Z */
    ck_assert_int_eq(time_zone_to_utc(&zone, spring + 9000), spring + 5400); /* 01:30Z */
}
END_TEST

/* ---- files made here ---- */

/* Makes a file with no changes and this last line. Returns its length. */
static size_t make_file(unsigned char *out, const char *rule)
{
    unsigned char *p = out;
    for (int block = 0; block < 2; block++) {
        memset(p, 0, 44);
        memcpy(p, "TZif2", 5);
        p[39] = 1; /* one type */
        p[43] = 4; /* four characters */
        memcpy(p + 44, "\0\0\0\0\0\0UTC", 10);
        p += 54;
    }
    return (size_t)(p - out) + (size_t)sprintf((char *)p, "\n%s\n", rule);
}

/* The rules of POSIX that few zones have, against the C library, which takes them from TZ. */
START_TEST(rules_of_every_kind_are_those_of_the_c_library)
{
    static const char *const rules[] = {
        "EST5EDT,M3.2.0,M11.1.0",      "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
        "AAA-1BBB,J60/0,J300/3:30",    "AAA-1BBB,59/1,299",
        "IST-1GMT0,M10.5.0,M3.5.0/1",  "AAA3:30:15",
        "CST-9:30CDT-10:45,J60,J61/2", "XXX3YYY4,M1.1.1/0,M12.5.6/23"};
    unsigned char file[256];
    uint64_t seed = seed_given();
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ck_assert(time_zone_read(&zone, file, make_file(file, rules[i])) == NULL);
        setenv("TZ", rules[i], 1);
        tzset();
        for (int k = 0; k < 5000; k++) {
            int64_t t = 400 * DAY + (int64_t)(mix64_next(&seed) % (uint64_t)(LAST - 800 * DAY));
            if (time_zone_offset(&zone, t) != offset_of(t))
                ck_abort_msg("%s at %lld: %d, and the C library has %lld", rules[i], (long long)t,
                             (int)time_zone_offset(&zone, t), (long long)offset_of(t));
        }
    }
}
END_TEST

START_TEST(wrong_rules_are_refused)
{
    static const char *const rules[] = {"EST",
                                        "5",
                                        "EST5EDT,M3.2.0",
                                        "EST5EDT,M3.2.7,M11.1.0",
                                        "EST5EDT,M13.2.0,M11.1.0",
                                        "EST5EDT,M3.6.0,M11.1.0",
                                        "EST5EDT,J366,M11.1.0",
                                        "EST5EDT,M3.2.0,M11.1.0x",
                                        "EST99",
                                        "<EST5",
                                        "EST5EDT,J0,J5",
                                        "EST5:70"};
    unsigned char file[256];
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *wrong = time_zone_read(&zone, file, make_file(file, rules[i]));
        ck_assert_msg(wrong && strstr(wrong, "rule"), "%s is taken", rules[i]);
    }
}
END_TEST

START_TEST(files_that_are_cut_or_damaged_are_refused_or_read_without_harm)
{
    unsigned char whole[256];
    size_t n = make_file(whole, "CET-1CEST,M3.5.0,M10.5.0/3");
    uint64_t seed = seed_given();
    for (size_t len = 0; len < n; len++) {
        unsigned char *exact = malloc(len + 1);
        memcpy(exact, whole, len);
        ck_assert_msg(time_zone_read(&zone, exact, len) != NULL, "%zu bytes are taken", len);
        free(exact);
    }
    ck_assert(time_zone_read(&zone, whole, n) == NULL);
    for (int i = 0; i < 100000; i++) {
        unsigned char file[256];
        memcpy(file, whole, n);
        for (int k = 0; k < 3; k++)
            file[below(&seed, (uint32_t)n)] = (unsigned char)below(&seed, 256);
        if (!time_zone_read(&zone, file, n)) time_zone_to_utc(&zone, 1700000000);
    }
    whole[54 + 31] = 1; /* a leap second */
    ck_assert(time_zone_read(&zone, whole, n) != NULL);
}
END_TEST

START_TEST(a_fixed_offset_is_the_same_at_any_time)
{
    uint64_t seed = seed_given();
    time_zone_fixed(&zone, -12345);
    for (int i = 0; i < 1000; i++) {
        int64_t t = (int64_t)(mix64_next(&seed) % (uint64_t)LAST);
        ck_assert_int_eq(time_zone_offset(&zone, t), -12345);
        ck_assert_int_eq(time_zone_to_utc(&zone, t), t + 12345);
    }
}
END_TEST

LEAT_SUITE("time_zone", every_day_of_ten_thousand_years_is_that_of_timegm, months_have_their_days,
           every_zone_is_that_of_the_c_library, changes_are_in_the_order_of_clocks_too,
           a_gap_and_a_fold_follow_their_rules, rules_of_every_kind_are_those_of_the_c_library,
           wrong_rules_are_refused, files_that_are_cut_or_damaged_are_refused_or_read_without_harm,
           a_fixed_offset_is_the_same_at_any_time, the_example_of_the_header_is_what_happens)
