/* time_parts.c -- implementation of time_parts.h. */
#include "time_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/cells/strings.h"

enum part { YEAR, MONTH, WEEK, DATE, DAY, WEEKDAY, HOUR, QUARTER_HOUR, MINUTE, SECOND, ISO8601 };

const char *const time_part_names[TIME_PARTS + 1] = {"year",   "month",   "week",    "date",
                                                     "day",    "weekday", "hour",    "quarter_hour",
                                                     "minute", "second",  "iso8601", NULL};

static const uint8_t bytes_of[TIME_PARTS] = {4, 2, 8, 10, 2, 3, 2, 5, 5, 8, TIME_PART_BYTES};

static const char weekdays[7][4] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

uint32_t time_part_find(const char *name)
{
    uint32_t i = 0;
    while (i < TIME_PARTS && strcmp(time_part_names[i], name))
        i++;
    return i;
}

uint32_t time_part_bytes(uint32_t which) { return bytes_of[which]; }

struct time_shown time_shown_in(struct time_zone *z, int64_t ns)
{
    int64_t utc = ns / 1000000000;
    struct time_shown t = {.ns = ns, .seconds = utc + time_zone_offset(z, utc)};
    t.day = civil_floor_div(t.seconds, CIVIL_DAY);
    t.date = civil_of_days(t.day);
    return t;
}

static int64_t number_of(enum part which, const struct time_shown *t)
{
    int64_t second = t->seconds - CIVIL_DAY * t->day; /* second of the day */
    switch (which) {
    case YEAR:
        return t->date.year;
    case MONTH:
        return t->date.month;
    case WEEK:
        return civil_floor_div(t->day + 3, 7); /* number of the week, which begins on a Monday */
    case DATE:
        return t->day;
    case DAY:
        return t->date.day;
    case WEEKDAY:
        return civil_weekday(t->day);
    case HOUR:
        return second / 3600;
    case QUARTER_HOUR:
        return second / 900 * 15;
    case MINUTE:
        return second / 60;
    case SECOND:
        return second;
    case ISO8601:
        return t->ns;
    }
    return 0;
}

/* Writes an ISO week. The year of a week is the year of its Thursday. */
static int week_text(char *out, size_t cap, int64_t day)
{
    int64_t thursday = day - civil_weekday(day) + 3;
    int32_t year = civil_of_days(thursday).year;
    return snprintf(out, cap, "%04d-W%02d", year,
                    (int)(thursday - civil_to_days(year, 1, 1)) / 7 + 1);
}

static int iso_text(char *out, size_t cap, int64_t ns)
{
    int64_t seconds = ns / 1000000000, second = seconds % CIVIL_DAY;
    struct civil d = civil_of_days(seconds / CIVIL_DAY);
    int fraction = (int)(ns % 1000000000), digits = 9;
    int n = snprintf(out, cap, "%04d-%02d-%02dT%02d:%02d:%02d", d.year, d.month, d.day,
                     (int)second / 3600, (int)second / 60 % 60, (int)second % 60);
    for (; fraction && fraction % 10 == 0; fraction /= 10)
        digits--;
    if (fraction) n += snprintf(out + n, cap - (size_t)n, ".%0*d", digits, fraction);
    return n + snprintf(out + n, cap - (size_t)n, "Z");
}

static int time_parts_write_text(char *out, size_t cap, enum part which, int64_t x,
                                 const struct time_shown *t)
{
    int i = (int)x;
    switch (which) {
    case YEAR:
        return snprintf(out, cap, "%04d", i);
    case WEEK:
        return week_text(out, cap, t->day);
    case DATE:
        return snprintf(out, cap, "%04d-%02d-%02d", t->date.year, t->date.month, t->date.day);
    case WEEKDAY:
        return snprintf(out, cap, "%s", weekdays[i]);
    case QUARTER_HOUR:
    case MINUTE:
        return snprintf(out, cap, "%02d:%02d", i / 60, i % 60);
    case SECOND:
        return snprintf(out, cap, "%02d:%02d:%02d", i / 3600, i / 60 % 60, i % 60);
    case ISO8601:
        return iso_text(out, cap, x);
    default:
        return snprintf(out, cap, "%02d", i); /* month, day, hour */
    }
}

bool time_part_text(struct time_part *p, const struct time_shown *t, struct leat_batch *b)
{
    char text[64];
    int64_t x = number_of((enum part)p->which, t);
    if (p->has_text && x == p->number) return true;
    int n = time_parts_write_text(text, sizeof text, (enum part)p->which, x, t);
    assert(n <= bytes_of[p->which]);
    p->has_text = strings_append(b, text, (size_t)n, &p->text);
    p->number = x;
    return p->has_text;
}
