/* time_counts.c -- implementation of time_counts.h. */
#include "time_counts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SECOND 1000000000LL
#define DAY    86400LL

/* Widths in seconds. The last one covers all times that an int64_t can hold. */
static const int64_t widths[] = {1,        5,         15,         60,         300, 900,
                                 3600,     3 * 3600,  6 * 3600,   12 * 3600,  DAY, 7 * DAY,
                                 28 * DAY, 364 * DAY, 3640 * DAY, 36400 * DAY};

enum { UNIT_DAY = 10 }; /* index of a day */

/* Seconds from the Monday before 1970-01-01, a Thursday, to 1970. */
#define MONDAY (3 * DAY)

/* Returns the number of the span of this width that holds ns. */
static int64_t time_counts_number(uint32_t width, int64_t ns)
{
    return (ns / SECOND + MONDAY) / widths[width];
}

static void time_counts_join(struct time_span *to, const struct time_span *from)
{
    to->records += from->records;
    to->labelled += from->labelled;
    to->positive += from->positive;
    to->sum += from->sum;
}

/* Joins neighbouring spans, so that the width becomes the next one. */
static void time_counts_widen(struct time_counts *t)
{
    int64_t factor = widths[t->width + 1] / widths[t->width], first = t->first / factor;
    struct time_span joined[TIME_SPANS] = {{0}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        n = (uint32_t)((t->first + i) / factor - first);
        time_counts_join(&joined[n], &t->span[i]);
    }
    memcpy(t->span, joined, sizeof joined);
    t->first = first;
    t->n = n + 1;
    t->width++;
}

/* Makes room for a time before the first span, or after the last one. */
static void time_counts_reach(struct time_counts *t, int64_t ns)
{
    for (;;) {
        int64_t number = time_counts_number(t->width, ns);
        int64_t low = number < t->first ? number : t->first,
                high = number >= t->first + t->n ? number + 1 : t->first + t->n;
        if (high - low > TIME_SPANS) {
            time_counts_widen(t);
            continue;
        }
        memmove(t->span + (t->first - low), t->span, t->n * sizeof *t->span);
        memset(t->span, 0, (size_t)(t->first - low) * sizeof *t->span);
        t->first = low;
        t->n = (uint32_t)(high - low);
        return;
    }
}

/* Finds the span of ns, and notes it as the span of the last record. */
static void time_counts_find(struct time_counts *t, int64_t ns)
{
    if (!t->n) t->first = time_counts_number(t->width, ns);
    time_counts_reach(t, ns);
    t->at = (uint32_t)(time_counts_number(t->width, ns) - t->first);
    t->begin = (t->first + t->at) * widths[t->width] - MONDAY;
    t->end = t->begin + widths[t->width];
}

void time_counts_add(struct time_counts *t, int64_t ns, double label)
{
    int64_t second = ns / SECOND;
    if (!t->n) t->unit = UNIT_DAY;
    if (!t->n || second < t->begin || second >= t->end) time_counts_find(t, ns);
    while (t->unit && second % widths[t->unit])
        t->unit--;
    struct time_span *s = &t->span[t->at];
    s->records++;
    if (!isfinite(label)) return;
    s->labelled++;
    s->positive += label > 0;
    s->sum += label;
}

void time_counts_settle(struct time_counts *t)
{
    while (t->n && t->width < t->unit)
        time_counts_widen(t);
}

int64_t time_counts_seconds(const struct time_counts *t) { return widths[t->width]; }

int64_t time_counts_begin(const struct time_counts *t, uint32_t i)
{
    return ((t->first + i) * widths[t->width] - MONDAY) * SECOND;
}
