/* start_time.c -- see start_time.h. */
#include "start_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/time_text.h"

static const char *const words[] = {"earliest",  "latest", "committed",
                                    "timestamp", "offset", NULL}; /* enum consumer_start */

/* "-90min": so long before now. */
static bool read_ago(const char *text, int64_t *ms)
{
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"s", 1e3}, {"min", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}, {"w", 6.048e8}};
    char *end;
    double n = *text == '-' ? strtod(text + 1, &end) : -1;
    int64_t now = (int64_t)(clock_unix_ns() / 1000000);
    if (!(n >= 0) || end == text + 1) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit) && n * units[i].ms < (double)now) {
            *ms = now - (int64_t)(n * units[i].ms);
            return true;
        }
    return false;
}

/* Without an offset it is UTC. */
static bool read_date(const char *text, int64_t *ms)
{
    struct time_reader reader = {.year = 0};
    char why[TIME_WHY];
    int64_t ns;
    if (!time_format_read(&reader.format, "iso8601", why)) return false;
    if (time_read(&reader, text, strlen(text), TIME_NONE, &ns)) return false;
    *ms = ns / 1000000 + (ns % 1000000 > 0);
    return true;
}

int start_time_read(const struct consumer_cfg *cfg, int64_t *ms)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(cfg->start, words[i])) {
            *ms = cfg->timestamp;
            return i;
        }
    return read_ago(cfg->start, ms) || read_date(cfg->start, ms) ? START_TIMESTAMP : -1;
}

void start_time_check(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    int64_t ms;
    const char *near = edit_nearest(cfg->start, words);
    if (start_time_read(cfg, &ms) >= 0) return;
    if (near)
        d->error(d, "start", "'%s' is no place to begin: did you mean '%s'?", cfg->start, near);
    else
        d->error(d, "start",
                 "'%s' is no place to begin: give earliest, latest, committed, timestamp, offset, "
                 "a time such as 2026-11-20T12:00:00Z, or -6h for six hours ago",
                 cfg->start);
}
