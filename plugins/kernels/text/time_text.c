/* time_text.c -- see time_text.h. */
#include "time_text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pow10.h"
#include "core/time/civil.h"
#include "decimal.h"
#include "edit_distance.h"
#include "time_pattern.h"

enum { SECOND = 1000000000, CLF = TIME_PATTERN, SYSLOG };

const char *const time_format_names[] = {"iso8601", "unix", "unix_ms", "unix_us",
                                         "unix_ns", "clf",  "syslog",  NULL};

static const char early[] = "it is before 1970, and event times begin there",
                  late[] = "it is after 2262-04-11T23:47:15Z, the last event time";

/* ---- formats ---- */

bool time_format_read(struct time_format *f, const char *text, char *why)
{
    if (strchr(text, '%')) return time_pattern_compile(f, text, why);
    int i = 0;
    while (time_format_names[i] && strcmp(time_format_names[i], text))
        i++;
    *f = (struct time_format){.kind = (enum time_kind)i, .has_year = true};
    if (i == CLF) return time_pattern_compile(f, "%d/%b/%Y:%H:%M:%S %z", why);
    if (i == SYSLOG) return time_pattern_compile(f, "%b %d %H:%M:%S", why);
    if (time_format_names[i]) return true;
    const char *near = edit_nearest(text, time_format_names);
    snprintf(why, TIME_WHY, "'%.40s' is none of %s%s%s%s", text,
             "iso8601, unix, unix_ms, unix_us, unix_ns, clf, syslog or a pattern such as %d.%m.%Y",
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

/* ---- numbers ---- */

/* Digits after the point that are whole nanoseconds. */
static int digits_of(enum time_kind kind) { return 9 - 3 * (int)(kind - TIME_UNIX); }

/* What a number of so many digits is that is no time of this format, but one of today in some
 * unit; else `wrong`. */
static const char *unit_instead(enum time_kind kind, int digits, const char *wrong)
{
    static const struct {
        enum time_kind kind;
        int digits;
        const char *said;
    } units[] = {{TIME_UNIX, 10, "it is a number, as of format = unix"},
                 {TIME_UNIX_MS, 13, "it is a number, as of format = unix_ms"},
                 {TIME_UNIX_US, 16, "it is a number, as of format = unix_us"},
                 {TIME_UNIX_NS, 19, "it is a number, as of format = unix_ns"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (digits == units[i].digits && kind != units[i].kind) return units[i].said;
    return wrong;
}

const char *time_of_number(enum time_kind kind, double x, int64_t *ns)
{
    double unit = pow10_f64[digits_of(kind)], whole = floor(x);
    if (!(x >= 0)) return early;
    if (whole >= (double)TIME_SECONDS * SECOND / unit)
        return unit_instead(kind, (int)log10(fmin(whole, 1e30)) + 1, late);
    *ns = (int64_t)whole * (int64_t)unit + (int64_t)rint((x - whole) * unit);
    return NULL;
}

/* A decimal number, in integers. */
static const char *read_unix(enum time_kind kind, const char *p, const char *end, int64_t *ns)
{
    static const char wrong[] = "it is not a number";
    const char *first = p + (*p == '-' || *p == '+');
    uint64_t whole = 0, fraction = 0;
    const char *q = decimal_digits(first, end, &whole);
    int digits = digits_of(kind), n = 0;
    bool is_long = q - first > 19;
    if (q < end && *q == '.') {
        const char *point = q + 1, *stop = point + digits < end ? point + digits : end;
        q = decimal_digits(point, stop, &fraction);
        n = (int)(q - point);
        while (q < end && decimal_is_digit(*q))
            q++;
        if (q == point && point == first + 1) return wrong;
    }
    if (q != end || q == first || is_long) {
        double x;
        return decimal_whole(p, end, &x) == DECIMAL_OK ? time_of_number(kind, x, ns) : wrong;
    }
    fraction *= pow10_u64[digits - n];
    if (*p == '-' && (whole || fraction)) return early;
    if (whole >= (uint64_t)TIME_SECONDS * pow10_u64[9 - digits]) return late;
    *ns = (int64_t)(whole * pow10_u64[digits] + fraction);
    return NULL;
}

/* ---- ISO 8601 ---- */

static const char *iso_date(const char **text, const char *end, struct time_fields *t)
{
    const char *p = *text;
    if (end - p < 8) return "it is too short";
    uint32_t century = time_two(p), year = time_two(p + 2);
    uint32_t dash = p[4] == '-';
    if (dash && (end - p < 10 || p[7] != '-')) return "its date is not YYYY-MM-DD";
    uint32_t month = time_two(p + 4 + dash), day = time_two(p + 6 + 2 * dash);
    if ((century | year | month | day) > 127) return "its date is not YYYY-MM-DD";
    t->year = (int32_t)(100 * century + year);
    t->month = (int32_t)month;
    t->day = (int32_t)day;
    if (month - 1 > 11) return "its month is not 01 to 12";
    *text = p + 8 + 2 * dash;
    return NULL;
}

/* HH:MM[:SS] or HHMM[SS]. */
static const char *iso_clock(const char **text, const char *end, struct time_fields *t)
{
    static const char wrong[] = "its time is not HH:MM:SS";
    const char *p = *text;
    if (end - p < 4) return wrong;
    uint32_t colon = p[2] == ':';
    if (colon && end - p < 5) return wrong;
    uint32_t hour = time_two(p), minute = time_two(p + 2 + colon), second = 0;
    p += 4 + colon;
    if (end - p >= 2 + (int)colon && (colon ? *p == ':' : decimal_is_digit(*p))) {
        second = time_two(p + colon);
        p += 2 + colon;
    }
    if ((hour | minute | second) > 127) return wrong;
    if (hour > 23) return "its hour is not 00 to 23";
    if (minute > 59) return "its minute is not 00 to 59";
    if (second > 60) return "its second is not 00 to 60";
    t->hour = (int32_t)hour;
    t->minute = (int32_t)minute;
    t->second = (int32_t)second;
    *text = p;
    return NULL;
}

static const char *read_iso(const char *p, const char *end, struct time_fields *t)
{
    const char *wrong = iso_date(&p, end, t);
    if (wrong || p == end) return wrong;
    if (*p != 'T' && *p != 't' && *p != ' ') return "neither T nor a blank follows its date";
    p++;
    wrong = iso_clock(&p, end, t);
    if (wrong || p == end) return wrong;
    if (*p == '.' || *p == ',') {
        p++;
        wrong = time_take_fraction(&p, end, &t->nanos);
        if (wrong || p == end) return wrong;
    }
    p += *p == ' ';
    wrong = time_take_offset(&p, end, &t->offset);
    if (wrong) return wrong;
    return p == end ? NULL : "something follows its offset";
}

static const char *number_instead(enum time_kind kind, const char *p, const char *end,
                                  const char *wrong)
{
    uint64_t x = 0;
    const char *stop = decimal_digits(p, end, &x);
    return stop == end || *stop == '.' ? unit_instead(kind, (int)(stop - p), wrong) : wrong;
}

/* ---- fields to a time ---- */

/* The seconds of a date and its time of day, as a clock shows them. */
static const char *clock_of(const struct time_fields *t, int64_t *shown)
{
    int64_t days;
    if (t->of_year) {
        if (t->of_year > 365 + civil_is_leap(t->year)) return "its year has no day 366";
        days = civil_to_days(t->year, 1, 1) + t->of_year - 1;
    } else {
        if (t->day < 1 || t->day > civil_days_of(t->year, t->month))
            return "its month does not have that day";
        days = civil_to_days(t->year, t->month, t->day);
    }
    int32_t hour = t->twelve ? t->hour % 12 + 12 * (t->twelve == 2) : t->hour;
    *shown = days * CIVIL_DAY + 3600 * hour + 60 * t->minute + t->second;
    return NULL;
}

static const char *time_of(struct time_reader *r, const struct time_fields *t, int64_t *ns)
{
    int64_t shown, seconds = t->seconds;
    if (seconds < 0) {
        const char *wrong = clock_of(t, &shown);
        if (wrong) return wrong;
        seconds =
            t->offset == TIME_NO_OFFSET ? time_zone_to_utc(&r->zone, shown) : shown - t->offset;
    }
    if (seconds < 0) return early;
    if (seconds >= TIME_SECONDS) return late;
    *ns = seconds * SECOND + t->nanos;
    return NULL;
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* Of the year of `near` and those beside it, the one whose time is closest; of two the first. */
static const char *time_near(struct time_reader *r, struct time_fields *t, int64_t near,
                             int64_t *ns)
{
    int32_t year = civil_of_days(near / SECOND / CIVIL_DAY).year;
    const char *wrong = NULL;
    bool found = false;
    for (t->year = year - 1; t->year <= year + 1; t->year++) {
        int64_t at;
        const char *why = time_of(r, t, &at);
        if (why) {
            wrong = why;
            continue;
        }
        if (!found || distance(at, near) < distance(*ns, near)) *ns = at;
        found = true;
    }
    return found ? NULL : wrong;
}

static const char *time_without_year(struct time_reader *r, struct time_fields *t, int64_t near,
                                     int64_t *ns)
{
    if (!r->year && near < 0) return "it has no year, and the record no time that would tell it";
    if (!r->year) return time_near(r, t, near, ns);
    t->year = r->year + (t->month < r->month);
    return time_of(r, t, ns);
}

const char *time_read(struct time_reader *r, const char *text, size_t n, int64_t near, int64_t *ns)
{
    struct time_fields t = {.month = 1, .day = 1, .offset = TIME_NO_OFFSET, .seconds = -1};
    const char *end = text + n, *wrong;
    if (!n) return "it is empty";
    switch (r->format.kind) {
    case TIME_ISO8601:
        wrong = read_iso(text, end, &t);
        break;
    case TIME_PATTERN:
        wrong = time_pattern_match(&r->format, text, end, &t);
        break;
    default:
        wrong = read_unix(r->format.kind, text, end, ns);
        return wrong == late ? number_instead(r->format.kind, text, end, wrong) : wrong;
    }
    if (wrong && r->format.kind == TIME_ISO8601)
        return number_instead(TIME_ISO8601, text, end, wrong);
    if (wrong) return wrong;
    if (!r->format.has_year) return time_without_year(r, &t, near, ns);
    return time_of(r, &t, ns);
}
