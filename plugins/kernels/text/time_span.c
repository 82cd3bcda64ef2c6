/* time_span.c -- implementation of time_span.h */
#include "time_span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENT_BYTES = 64 };

void time_span_begin(struct time_span_reader *r, int64_t newest)
{
    char why[TIME_WHY];
    r->newest = newest;
    time_format_read(&r->reader.format, "iso8601", why);
}

bool time_ago(const char *text, int64_t *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"min", 6e10}, {"h", 3.6e12}, {"d", 8.64e13}, {"w", 6.048e14}};
    char *end;
    if (*text != '-' || text[1] < '0' || text[1] > '9') return false;
    double n = strtod(text + 1, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit) && n * units[i].ns < 9e18) {
            *ns = (int64_t)(n * units[i].ns);
            return true;
        }
    return false;
}

static const char *before_newest(const struct time_span_reader *r, int64_t ago, int64_t *ns)
{
    if (r->newest < 0) return "it counts from the newest time, which is unknown: give a date";
    if (ago > r->newest) return "that is before 1970";
    *ns = r->newest + 1 - ago;
    return NULL;
}

const char *time_moment(struct time_span_reader *r, const char *text, int64_t *ns)
{
    char whole[MOMENT_BYTES];
    size_t n = strlen(text);
    int64_t ago;
    if (time_ago(text, &ago)) return before_newest(r, ago, ns);
    if (*text == '-') return "a time before the end is such as -90min, -6h, -7d or -2w";
    if (strspn(text, "0123456789") == 4 && (n == 4 || (n == 7 && text[4] == '-'))) {
        snprintf(whole, sizeof whole, "%s%s", text, n == 4 ? "-01-01" : "-01");
        return time_read(&r->reader, whole, strlen(whole), TIME_NONE, ns);
    }
    snprintf(whole, sizeof whole, "-%s", text);
    if (time_ago(whole, &ago)) return "a time before the end begins with -, such as -7d";
    return time_read(&r->reader, text, n, TIME_NONE, ns);
}

bool time_span_is(const char *text) { return strstr(text, "..") != NULL; }

const char *time_span_read(struct time_span_reader *r, const char *text, struct time_span *s)
{
    const char *dots = strstr(text, ".."), *wrong = NULL;
    char from[MOMENT_BYTES];
    *s = TIME_SPAN_ALL;
    if (!dots || (dots == text && !dots[2])) return "write FROM..TO, such as 2024-05..2024-06";
    if ((size_t)(dots - text) >= sizeof from) return "it is too long";
    memcpy(from, text, (size_t)(dots - text));
    from[dots - text] = 0;
    if (*from) wrong = time_moment(r, from, &s->from);
    if (!wrong && dots[2]) wrong = time_moment(r, dots + 2, &s->to);
    if (!wrong && s->from == s->to) wrong = "it is empty, as its end is no part of it";
    if (!wrong && s->from > s->to) wrong = "it ends before it begins";
    return wrong;
}
