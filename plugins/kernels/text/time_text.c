/* time_text.c -- implementation of time_text.h */
#include "time_text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pow10.h"
#include "core/time/civil.h"
#include "decimal.h"
#include "edit_distance.h"

/* Fields read from a text. Missing fields are 0, except month and day, which are 1. */
struct time_fields {
    int32_t year, month, day;
    int32_t of_year; /* day of the year, from 1; 0: month and day apply */
    int32_t hour, minute, second, nanos;
    int32_t twelve;  /* form of `hour`: 0: of 24 hours; 1: of twelve, AM; 2: of twelve, PM */
    int32_t offset;  /* seconds east of UTC, or TIME_NO_OFFSET                             */
    int64_t seconds; /* seconds since 1970, without nanos; -1: the other fields apply      */
};

/* ---- patterns ---- */

static const char month_names[12][10] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
static const char weekday_names[7][10] = {"monday", "tuesday",  "wednesday", "thursday",
                                          "friday", "saturday", "sunday"};

static bool time_text_is_blank(char c) { return c == ' ' || c == '\t'; }
static char time_text_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

/* ---- parts of a text ---- */

static const char *take_fraction(const char **p, const char *end, int32_t *nanos)
{
    const char *from = *p, *q = from;
    uint32_t x = 0, n = 0;
    for (; q < end && decimal_is_digit(*q); q++)
        if (n < 9) {
            x = 10 * x + (uint32_t)(*q - '0');
            n++;
        }
    *p = q;
    *nanos = (int32_t)(x * (uint32_t)pow10_u64[9 - n]);
    return q == from ? "its fraction has no digits" : NULL;
}

/* True if [p, end) begins with the letters of `word`, in any case. */
static bool time_text_begins(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - p) < n) return false;
    for (size_t i = 0; i < n; i++)
        if (time_text_lower(p[i]) != word[i]) return false;
    return true;
}

/* Reads a number of up to `digits` digits at *p, after any blanks. Returns false if there is none,
 * or it is not in [min, max]. */
static bool time_text_take_number(const char **p, const char *end, int digits, int32_t min,
                                  int32_t max, int32_t *x)
{
    const char *q = *p;
    while (q < end && time_text_is_blank(*q))
        q++;
    const char *from = q;
    for (*x = 0; q < end && q - from < digits && decimal_is_digit(*q); q++)
        *x = 10 * *x + (*q - '0');
    *p = q;
    return q > from && *x >= min && *x <= max;
}

/* Returns the three letters at p, in lower case, packed into one number. */
static uint32_t three_of(const char *p)
{
    return (uint32_t)time_text_lower(p[0]) << 16 | (uint32_t)time_text_lower(p[1]) << 8 |
           (uint32_t)time_text_lower(p[2]);
}

/* Reads one of n names at *p, written in full or as its first three letters. Returns its index, or
 * n if none matches. */
static int32_t time_text_take_name(const char **p, const char *end, const char (*names)[10],
                                   int32_t n)
{
    int32_t i = 0;
    if (end - *p < 3) return n;
    uint32_t three = three_of(*p);
    while (i < n && three_of(names[i]) != three)
        i++;
    if (i < n) *p += time_text_begins(*p + 3, end, names[i] + 3) ? strlen(names[i]) : 3;
    return i;
}

static const char *take_year(const char **p, const char *end, int32_t *year)
{
    const char *q = *p;
    if (end - q < 4 || time_two(q) > 99 || time_two(q + 2) > 99)
        return "its year is not four digits";
    *year = (int32_t)(100 * time_two(q) + time_two(q + 2));
    *p = q + 4;
    return NULL;
}

static const char *take_seconds(const char **p, const char *end, int64_t *seconds)
{
    const char *from = *p, *q = from;
    int64_t x = 0;
    for (; q < end && decimal_is_digit(*q) && x < TIME_SECONDS; q++)
        x = 10 * x + (*q - '0');
    *p = q;
    *seconds = x;
    if (q == from) return "its seconds since 1970 are not a number";
    return x < TIME_SECONDS ? NULL : "it is after 2262-04-11T23:47:15Z";
}

static const char *take_half(const char **p, const char *end, int32_t *twelve)
{
    bool is_pm = time_text_begins(*p, end, "pm");
    if (!is_pm && !time_text_begins(*p, end, "am")) return "AM or PM is missing at %p";
    *twelve = 1 + is_pm;
    *p += 2;
    return NULL;
}

/* ---- matching a pattern ---- */

static const char *take_date(const char **p, const char *end, char what, struct time_fields *t)
{
    switch (what) {
    case 'Y':
        return take_year(p, end, &t->year);
    case 'y':
        if (!time_text_take_number(p, end, 2, 0, 99, &t->year)) return "its year is not two digits";
        t->year += t->year < 69 ? 2000 : 1900;
        return NULL;
    case 'm':
        return time_text_take_number(p, end, 2, 1, 12, &t->month) ? NULL
                                                                  : "its month is not 1 to 12";
    case 'b':
        t->month = 1 + time_text_take_name(p, end, month_names, 12);
        return t->month <= 12 ? NULL : "the name of a month is missing at %b";
    case 'd':
        return time_text_take_number(p, end, 2, 1, 31, &t->day) ? NULL : "its day is not 1 to 31";
    case 'j':
        return time_text_take_number(p, end, 3, 1, 366, &t->of_year)
                   ? NULL
                   : "its day of the year is not 1 to 366";
    default:
        assert(what == 'a');
        return time_text_take_name(p, end, weekday_names, 7) < 7
                   ? NULL
                   : "the name of a weekday is missing at %a";
    }
}

static const char *take_clock(const char **p, const char *end, char what, struct time_fields *t)
{
    switch (what) {
    case 'H':
        return time_text_take_number(p, end, 2, 0, 23, &t->hour) ? NULL : "its hour is not 0 to 23";
    case 'I':
        return time_text_take_number(p, end, 2, 1, 12, &t->hour) ? NULL : "its hour is not 1 to 12";
    case 'M':
        return time_text_take_number(p, end, 2, 0, 59, &t->minute) ? NULL
                                                                   : "its minute is not 0 to 59";
    case 'S':
        return time_text_take_number(p, end, 2, 0, 60, &t->second) ? NULL
                                                                   : "its second is not 0 to 60";
    case 'f':
        return take_fraction(p, end, &t->nanos);
    case 'p':
        return take_half(p, end, &t->twelve);
    case 's':
        return take_seconds(p, end, &t->seconds);
    default:
        assert(what == 'z');
        return time_take_offset(p, end, &t->offset);
    }
}

static const char *take_literal(const char **p, const char *end, struct time_step step)
{
    if (step.what == ' ') {
        while (*p < end && time_text_is_blank(**p))
            (*p)++;
        return NULL;
    }
    if (*p == end) return "it ends too early";
    if (**p != step.literal) return "it does not follow the pattern";
    (*p)++;
    return NULL;
}

static const char *time_text_take_step(const char **p, const char *end, struct time_step step,
                                       struct time_fields *t)
{
    if (!step.what || step.what == ' ') return take_literal(p, end, step);
    if (*p == end) return "it ends too early";
    return step.is_date ? take_date(p, end, step.what, t) : take_clock(p, end, step.what, t);
}

static const char *match_pattern(const struct time_format *f, const char *p, const char *end,
                                 struct time_fields *t)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < f->n && !wrong; i++)
        wrong = time_text_take_step(&p, end, f->step[i], t);
    if (wrong) return wrong;
    return p == end ? NULL : "something follows it";
}

/* ---- compiling a pattern ---- */

/* Directives that are abbreviations of one or several other directives. */
static const struct {
    char what;
    const char *is;
} same[] = {
    {'F', "Y-m-d"}, {'T', "H:M:S"}, {'R', "H:M"}, {'D', "m/d/y"}, {'e', "d"},
    {'k', "H"},     {'l', "I"},     {'B', "b"},   {'h', "b"},     {'A', "a"},
};

/* Part of a time that each directive sets; used to detect parts that occur twice. */
static const struct {
    char what;
    const char *noun;
} known[] = {
    {'Y', "year"},   {'y', "year"},   {'m', "month"},    {'b', "month"},
    {'d', "day"},    {'j', "day"},    {'H', "hour"},     {'I', "hour"},
    {'M', "minute"}, {'S', "second"}, {'f', "fraction"}, {'p', "half of the day"},
    {'z', "offset"}, {'s', "time"},   {'a', "weekday"},
};
enum { SAME = sizeof same / sizeof *same, KNOWN = sizeof known / sizeof *known };

static int find_known(char what)
{
    int i = 0;
    while (i < KNOWN && known[i].what != what)
        i++;
    return i;
}

static bool time_text_has(const struct time_format *f, const char *any)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->step[i].what && strchr(any, f->step[i].what)) return true;
    return false;
}

static bool add_step(struct time_format *f, char what, char literal, char *why)
{
    if (f->n == TIME_STEPS) {
        snprintf(why, TIME_WHY, "it has more than %d parts", TIME_STEPS);
        return false;
    }
    bool is_date = what && strchr("Yymbdja", what);
    f->step[f->n++] = (struct time_step){what, literal, is_date};
    return true;
}

static bool add_directive(struct time_format *f, char what, char *why)
{
    int k = find_known(what);
    for (uint32_t i = 0; i < f->n; i++)
        if (f->step[i].what && f->step[i].what != ' ' &&
            !strcmp(known[find_known(f->step[i].what)].noun, known[k].noun)) {
            snprintf(why, TIME_WHY, "it has the %s twice", known[k].noun);
            return false;
        }
    return add_step(f, what, 0, why);
}

static bool refuse_directive(char what, char *why)
{
    if (!what)
        snprintf(why, TIME_WHY, "it ends with %%: write %%%% for a percent sign");
    else if (what == 'Z')
        snprintf(why, TIME_WHY,
                 "the name of a zone (%%Z) can mean several zones: set `zone`, or read an offset "
                 "by %%z");
    else if (what == 'N' || what == 'L')
        snprintf(why, TIME_WHY, "there is no %%%c: did you mean %%f, the fraction of a second?",
                 what);
    else
        snprintf(why, TIME_WHY,
                 "there is no %%%c: there are %%Y %%y %%m %%b %%d %%j %%a %%H %%I %%p %%M %%S %%f "
                 "%%z %%s %%F %%T %%R %%D %%%%",
                 what >= ' ' && what < 127 ? what : '?');
    return false;
}

/* Compiles the directive with the letter `what`, which may expand to several, as %T does. */
static bool compile_one(struct time_format *f, char what, char *why)
{
    if (what == '%') return add_step(f, 0, '%', why);
    for (int i = 0; i < SAME; i++) {
        if (same[i].what != what) continue;
        bool fine = true;
        for (const char *p = same[i].is; *p && fine; p++)
            fine = find_known(*p) < KNOWN ? add_directive(f, *p, why) : add_step(f, 0, *p, why);
        return fine;
    }
    return find_known(what) < KNOWN ? add_directive(f, what, why) : refuse_directive(what, why);
}

/* Returns NULL if a pattern determines the time; otherwise a sentence about the part that it
 * lacks or has twice. */
static const char *time_unfit(const struct time_format *f)
{
    bool whole = time_text_has(f, "s");
    if (whole && time_text_has(f, "YymbdjaHIMSpz"))
        return "%s already has all but the fraction of a second";
    if (whole) return NULL;
    if (time_text_has(f, "j") && time_text_has(f, "mb"))
        return "it has the day twice: by %j and by the month";
    if (time_text_has(f, "j") && !time_text_has(f, "Yy")) return "%j needs a year (%Y)";
    if (!time_text_has(f, "j") && !(time_text_has(f, "mb") && time_text_has(f, "d")))
        return "it does not say the day: it needs %m and %d, as in %Y-%m-%d";
    if (time_text_has(f, "I") != time_text_has(f, "p"))
        return "%I and %p need each other; %H is the hour of 24";
    if (time_text_has(f, "f") && !time_text_has(f, "S"))
        return "%f, the fraction of a second, needs %S";
    return NULL;
}

static bool compile_pattern(struct time_format *f, const char *text, char *why)
{
    *f = (struct time_format){.kind = TIME_PATTERN};
    bool fine = true;
    for (const char *p = text; *p && fine; p++) {
        if (*p == '%') {
            fine = compile_one(f, p[1], why);
            p += p[1] != 0;
        } else {
            fine = add_step(f, time_text_is_blank(*p) ? ' ' : 0, *p, why);
        }
    }
    const char *lacks = fine ? time_unfit(f) : NULL;
    if (lacks) snprintf(why, TIME_WHY, "%s", lacks);
    f->has_year = time_text_has(f, "Yys");
    return fine && !lacks;
}

/* ---- predefined formats ---- */

enum { SECOND = 1000000000, CLF = TIME_PATTERN, SYSLOG };

const char *const time_format_names[] = {"iso8601", "unix", "unix_ms", "unix_us",
                                         "unix_ns", "clf",  "syslog",  NULL};

static const char early[] = "it is before 1970, where event times begin "
                            "(missing = any takes it as no time)",
                  late[] = "it is after 2262-04-11T23:47:15Z, the last event time";

/* ---- formats ---- */

bool time_format_read(struct time_format *f, const char *text, char *why)
{
    if (strchr(text, '%')) return compile_pattern(f, text, why);
    int i = 0;
    while (time_format_names[i] && strcmp(time_format_names[i], text))
        i++;
    *f = (struct time_format){.kind = (enum time_kind)i, .has_year = true};
    if (i == CLF) return compile_pattern(f, "%d/%b/%Y:%H:%M:%S %z", why);
    if (i == SYSLOG) return compile_pattern(f, "%b %d %H:%M:%S", why);
    if (time_format_names[i]) return true;
    const char *near = edit_nearest(text, time_format_names);
    snprintf(why, TIME_WHY, "'%.40s' is not one of %s%s%s%s", text,
             "iso8601, unix, unix_ms, unix_us, unix_ns, clf, syslog or a pattern such as %d.%m.%Y",
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

/* ---- unix formats ---- */

/* Returns how many digits after the point of a number make whole nanoseconds: 9 for TIME_UNIX,
 * 0 for TIME_UNIX_NS. */
static int time_text_digits_of(enum time_kind kind) { return 9 - 3 * (int)(kind - TIME_UNIX); }

/* Returns a hint if a number with this many digits would be a present-day time in another unit;
 * else `wrong`. */
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
    double unit = pow10_f64[time_text_digits_of(kind)], whole = floor(x);
    if (!(x >= 0)) return early;
    if (whole >= (double)TIME_SECONDS * SECOND / unit)
        return unit_instead(kind, pow10_exponent(fmin(whole, 1e30)) + 1, late);
    *ns = (int64_t)whole * (int64_t)unit + (int64_t)rint((x - whole) * unit);
    return NULL;
}

/* Reads a decimal number, with integer arithmetic where possible. */
static const char *read_unix(enum time_kind kind, const char *p, const char *end, int64_t *ns)
{
    static const char wrong[] = "it is not a number";
    const char *first = p + (*p == '-' || *p == '+');
    uint64_t whole = 0, fraction = 0;
    const char *q = decimal_digits(first, end, &whole);
    int digits = time_text_digits_of(kind), n = 0;
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

/* Reads HH:MM[:SS] or HHMM[SS]. */
static const char *iso_clock(const char **text, const char *end, struct time_fields *t)
{
    static const char wrong[] = "its time is not HH:MM or HH:MM:SS";
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
        wrong = take_fraction(&p, end, &t->nanos);
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

/* ---- conversion of fields to a time ---- */

/* Sets *shown to the seconds since 1970 that a clock shows at this date and time of day. */
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

static const char *time_text_time_of(struct time_reader *r, const struct time_fields *t,
                                     int64_t *ns)
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

/* Chooses the year of `near`, the one before or the one after it, such that the time is closest to
 * `near`. If two are equally close, chooses the earlier one. */
static const char *time_near(struct time_reader *r, struct time_fields *t, int64_t near,
                             int64_t *ns)
{
    int32_t year = civil_of_days(near / SECOND / CIVIL_DAY).year;
    const char *wrong = NULL;
    bool found = false;
    for (t->year = year - 1; t->year <= year + 1; t->year++) {
        int64_t at;
        const char *why = time_text_time_of(r, t, &at);
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
    if (!r->year && near < 0) return "it has no year, and the record has no time to take it from";
    if (!r->year) return time_near(r, t, near, ns);
    t->year = r->year + (t->month < r->month);
    return time_text_time_of(r, t, ns);
}

const char *time_read(struct time_reader *r, const char *text, size_t n, int64_t near, int64_t *ns)
{
    const enum time_kind kind = r->format.kind;
    const char *end = text + n, *wrong;
    if (!n) return "it is empty";
    if (kind != TIME_ISO8601 && kind != TIME_PATTERN) {
        wrong = read_unix(kind, text, end, ns);
        return wrong == late ? number_instead(kind, text, end, wrong) : wrong;
    }
    struct time_fields t = {.month = 1, .day = 1, .offset = TIME_NO_OFFSET, .seconds = -1};
    wrong =
        kind == TIME_ISO8601 ? read_iso(text, end, &t) : match_pattern(&r->format, text, end, &t);
    if (wrong && kind == TIME_ISO8601) return number_instead(kind, text, end, wrong);
    if (wrong) return wrong;
    if (!r->format.has_year) return time_without_year(r, &t, near, ns);
    return time_text_time_of(r, &t, ns);
}
