/* time_pattern.c -- see time_pattern.h. */
#include "time_pattern.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/pow10.h"

static const char month_names[12][10] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
static const char weekday_names[7][10] = {"monday", "tuesday",  "wednesday", "thursday",
                                          "friday", "saturday", "sunday"};

static bool is_digit(char c) { return (uint8_t)(c - '0') < 10; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

/* ---- pieces of a text ---- */

const char *time_take_fraction(const char **p, const char *end, int32_t *nanos)
{
    const char *from = *p, *q = from;
    uint32_t x = 0, n = 0;
    for (; q < end && is_digit(*q); q++)
        if (n < 9) {
            x = 10 * x + (uint32_t)(*q - '0');
            n++;
        }
    *p = q;
    *nanos = (int32_t)(x * (uint32_t)pow10_u64[9 - n]);
    return q == from ? "its fraction has no digits" : NULL;
}

/* The first letters of [p, end) are those of word, whatever their case. */
static bool begins(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - p) < n) return false;
    for (size_t i = 0; i < n; i++)
        if (lower(p[i]) != word[i]) return false;
    return true;
}

const char *time_take_offset(const char **p, const char *end, int32_t *offset)
{
    static const char wrong[] = "its offset is not Z or between -23:59 and +23:59";
    const char *q = *p;
    bool is_signed = q < end && (*q == '+' || *q == '-');
    *offset = 0;
    if (!is_signed) {
        size_t n = begins(q, end, "z") ? 1 : begins(q, end, "utc") || begins(q, end, "gmt") ? 3 : 0;
        *p = q + n;
        return n ? NULL : wrong;
    }
    if (end - q < 3) return wrong;
    uint32_t hours = time_two(q + 1), minutes = 0;
    const char *more = q + 3 + (end - q > 3 && q[3] == ':');
    if (end - more >= 2 && is_digit(*more)) {
        minutes = time_two(more);
        *p = more + 2;
    } else {
        *p = q + 3;
    }
    if (hours > 23 || minutes > 59) return wrong;
    *offset = (int32_t)(3600 * hours + 60 * minutes) * (*q == '-' ? -1 : 1);
    return NULL;
}

/* Up to `digits` digits, after blanks. false: there are none, or the number is not in its range. */
static bool take_number(const char **p, const char *end, int digits, int32_t min, int32_t max,
                        int32_t *x)
{
    const char *q = *p;
    while (q < end && is_blank(*q))
        q++;
    const char *from = q;
    for (*x = 0; q < end && q - from < digits && is_digit(*q); q++)
        *x = 10 * *x + (*q - '0');
    *p = q;
    return q > from && *x >= min && *x <= max;
}

/* Three letters as one number, in lower case. */
static uint32_t three_of(const char *p)
{
    return (uint32_t)lower(p[0]) << 16 | (uint32_t)lower(p[1]) << 8 | (uint32_t)lower(p[2]);
}

/* Which of n names stands at *p, whole or its first three letters, from 0; n: none does. */
static int32_t take_name(const char **p, const char *end, const char (*names)[10], int32_t n)
{
    int32_t i = 0;
    if (end - *p < 3) return n;
    uint32_t three = three_of(*p);
    while (i < n && three_of(names[i]) != three)
        i++;
    if (i < n) *p += begins(*p + 3, end, names[i] + 3) ? strlen(names[i]) : 3;
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
    for (; q < end && is_digit(*q) && x < TIME_SECONDS; q++)
        x = 10 * x + (*q - '0');
    *p = q;
    *seconds = x;
    if (q == from) return "its seconds since 1970 are no number";
    return x < TIME_SECONDS ? NULL : "it is after 2262-04-11T23:47:15Z";
}

static const char *take_half(const char **p, const char *end, int32_t *twelve)
{
    bool is_pm = begins(*p, end, "pm");
    if (!is_pm && !begins(*p, end, "am")) return "neither AM nor PM stands where %p does";
    *twelve = 1 + is_pm;
    *p += 2;
    return NULL;
}

/* ---- matching ---- */

static const char *take_date(const char **p, const char *end, char what, struct time_fields *t)
{
    switch (what) {
    case 'Y':
        return take_year(p, end, &t->year);
    case 'y':
        if (!take_number(p, end, 2, 0, 99, &t->year)) return "its year is not two digits";
        t->year += t->year < 69 ? 2000 : 1900;
        return NULL;
    case 'm':
        return take_number(p, end, 2, 1, 12, &t->month) ? NULL : "its month is not 1 to 12";
    case 'b':
        t->month = 1 + take_name(p, end, month_names, 12);
        return t->month <= 12 ? NULL : "no name of a month stands where %b does";
    case 'd':
        return take_number(p, end, 2, 1, 31, &t->day) ? NULL : "its day is not 1 to 31";
    case 'j':
        return take_number(p, end, 3, 1, 366, &t->of_year) ? NULL
                                                           : "its day of the year is not 1 to 366";
    default:
        assert(what == 'a');
        return take_name(p, end, weekday_names, 7) < 7
                   ? NULL
                   : "no name of a weekday stands where %a does";
    }
}

static const char *take_clock(const char **p, const char *end, char what, struct time_fields *t)
{
    switch (what) {
    case 'H':
        return take_number(p, end, 2, 0, 23, &t->hour) ? NULL : "its hour is not 0 to 23";
    case 'I':
        return take_number(p, end, 2, 1, 12, &t->hour) ? NULL : "its hour is not 1 to 12";
    case 'M':
        return take_number(p, end, 2, 0, 59, &t->minute) ? NULL : "its minute is not 0 to 59";
    case 'S':
        return take_number(p, end, 2, 0, 60, &t->second) ? NULL : "its second is not 0 to 60";
    case 'f':
        return time_take_fraction(p, end, &t->nanos);
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
        while (*p < end && is_blank(**p))
            (*p)++;
        return NULL;
    }
    if (*p == end) return "it ends too early";
    if (**p != step.literal) return "it does not follow the pattern";
    (*p)++;
    return NULL;
}

static const char *take_step(const char **p, const char *end, struct time_step step,
                             struct time_fields *t)
{
    if (!step.what || step.what == ' ') return take_literal(p, end, step);
    if (*p == end) return "it ends too early";
    return step.is_date ? take_date(p, end, step.what, t) : take_clock(p, end, step.what, t);
}

const char *time_pattern_match(const struct time_format *f, const char *p, const char *end,
                               struct time_fields *t)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < f->n && !wrong; i++)
        wrong = take_step(&p, end, f->step[i], t);
    if (wrong) return wrong;
    return p == end ? NULL : "something follows it";
}

/* ---- compiling ---- */

/* Directives that are another one, or several. */
static const struct {
    char what;
    const char *is;
} same[] = {
    {'F', "Y-m-d"}, {'T', "H:M:S"}, {'R', "H:M"}, {'D', "m/d/y"}, {'e', "d"},
    {'k', "H"},     {'l', "I"},     {'B', "b"},   {'h', "b"},     {'A', "a"},
};

/* What is said by each, so that none is said twice. */
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

static bool has(const struct time_format *f, const char *any)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->step[i].what && strchr(any, f->step[i].what)) return true;
    return false;
}

static bool add(struct time_format *f, char what, char literal, char *why)
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
            snprintf(why, TIME_WHY, "it says the %s twice", known[k].noun);
            return false;
        }
    return add(f, what, 0, why);
}

static bool refuse_directive(char what, char *why)
{
    if (!what)
        snprintf(why, TIME_WHY, "a %% stands at its end: write %%%% for a percent sign");
    else if (what == 'Z')
        snprintf(why, TIME_WHY,
                 "names of zones (%%Z) mean several zones: give the zone by `zone`, or read an "
                 "offset by %%z");
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

/* The directive of one letter; several for %T and its like. */
static bool compile_one(struct time_format *f, char what, char *why)
{
    if (what == '%') return add(f, 0, '%', why);
    for (int i = 0; i < SAME; i++) {
        if (same[i].what != what) continue;
        bool fine = true;
        for (const char *p = same[i].is; *p && fine; p++)
            fine = find_known(*p) < KNOWN ? add_directive(f, *p, why) : add(f, 0, *p, why);
        return fine;
    }
    return find_known(what) < KNOWN ? add_directive(f, what, why) : refuse_directive(what, why);
}

/* What a pattern lacks or has too much; NULL: it says which time it is. */
static const char *unfit(const struct time_format *f)
{
    bool whole = has(f, "s");
    if (whole && has(f, "YymbdjaHIMSpz")) return "%s says all but the fraction of a second";
    if (whole) return NULL;
    if (has(f, "j") && has(f, "mb")) return "it says the day twice: by %j and by the month";
    if (has(f, "j") && !has(f, "Yy")) return "%j needs a year (%Y)";
    if (!has(f, "j") && !(has(f, "mb") && has(f, "d")))
        return "it does not say the day: it needs %m and %d, as in %Y-%m-%d";
    if (has(f, "I") != has(f, "p")) return "%I and %p need each other; %H is the hour of 24";
    if (has(f, "f") && !has(f, "S")) return "%f, the fraction of a second, needs %S";
    return NULL;
}

bool time_pattern_compile(struct time_format *f, const char *text, char *why)
{
    *f = (struct time_format){.kind = TIME_PATTERN};
    bool fine = true;
    for (const char *p = text; *p && fine; p++) {
        if (*p == '%') {
            fine = compile_one(f, p[1], why);
            p += p[1] != 0;
        } else {
            fine = add(f, is_blank(*p) ? ' ' : 0, *p, why);
        }
    }
    const char *lacks = fine ? unfit(f) : NULL;
    if (lacks) snprintf(why, TIME_WHY, "%s", lacks);
    f->has_year = has(f, "Yys");
    return fine && !lacks;
}
