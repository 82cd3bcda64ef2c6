/* part_time.c -- the part about records by event time: their share, or the mean of their labels. */
#include <math.h>
#include <string.h>

#include "fields.h"
#include "parts.h"

enum { DAY = 86400 };

/* Returns the width of a span: "week", "3 hours", "15 minutes". */
static const char *time_width(double seconds, struct arena *a)
{
    static const struct {
        double seconds;
        const char *noun;
    } units[] = {{7 * DAY, "week"}, {DAY, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t i = 0;
    while (i < 4 && seconds < units[i].seconds)
        i++;
    double n = seconds / units[i].seconds;
    return n == 1 ? units[i].noun : field_counted(n, units[i].noun, a);
}

/* Returns the begin of a span: its date, and the time of day if spans are shorter than a day. */
static const char *time_from(const char *iso, double seconds, struct arena *a)
{
    enum {
        DATE = sizeof "2026-11-23" - 1,
        MINUTE = sizeof "10:00" - 1,
        SECOND = sizeof "10:00:00" - 1
    };
    if (strlen(iso) < DATE + 1 + SECOND) return iso;
    if (seconds >= DAY) return arena_printf(a, "%.*s", DATE, iso);
    return arena_printf(a, "%.*s %.*s", DATE, iso, seconds < 60 ? SECOND : MINUTE, iso + DATE + 1);
}

/* Sums over the spans, and the rows of the table. */
struct over_time {
    json_t *rows;
    double seconds, records, positive;
    bool shares, means;
    size_t mixed; /* spans with records of both labels */
};

static struct over_time time_rows(const json_t *o, struct arena *a)
{
    struct over_time t = {.rows = json_array(), .seconds = field_number(o, "seconds")};
    const json_t *spans = field(o, "spans");
    for (size_t i = 0; i < json_array_size(spans); i++) {
        const json_t *span = json_array_get(spans, i);
        double records = field_number(span, "records"), positive = field_number(span, "positive");
        const char *from = time_from(field_text(span, "from"), t.seconds, a);
        json_t *row =
            json_pack("{s:s, s:O?, s:O?, s:O?}", "from", from, "records", field(span, "records"),
                      "positive", field(span, "positive"), "mean", field(span, "mean"));
        if (positive >= 0 && records > 0)
            json_object_set_new(row, "share", json_real(100 * positive / records));
        json_array_append_new(t.rows, row);
        t.shares |= positive >= 0;
        t.mixed += positive > 0 && positive < records;
        t.means |= json_is_number(field(span, "mean"));
        t.records += records > 0 ? records : 0;
        t.positive += positive > 0 ? positive : 0;
    }
    return t;
}

/* The labels of two periods are all equal in each span but those where a period begins or ends.
 * Then shares tell nothing. */
static bool time_divides_labels(const struct over_time *t)
{
    return t->positive > 0 && t->positive < t->records && t->mixed <= 2 &&
           json_array_size(t->rows) > 4;
}

enum { FROM, RECORDS, POSITIVE, SHARE, MEAN, COLUMNS };

static void time_put(const struct page *p, const struct over_time *t)
{
    struct report_column column[COLUMNS] = {
        [FROM] = {.name = "from", .type = REPORT_WORD},
        [RECORDS] = {.name = "records", .type = REPORT_NUMBER},
        [POSITIVE] = {.name = "positive", .type = REPORT_NUMBER, .heading = "such records"},
        [SHARE] = {.name = "share", .type = REPORT_NUMBER, .heading = "share, %", .decimals = 1},
        [MEAN] = {.name = "mean", .type = REPORT_NUMBER}};
    for (int c = POSITIVE; c <= SHARE; c++)
        column[c].in = t->shares ? 0 : REPORT_IN_NONE;
    column[MEAN].in = t->means ? 0 : REPORT_IN_NONE;
    const char *width = time_width(t->seconds, p->arena);
    struct field_list list;
    field_list_make(&list, t->rows, column, COLUMNS);
    struct sheet_columns picture[2];
    uint32_t n = 0;
    if (t->shares || t->means)
        picture[n++] = (struct sheet_columns){
            .title = arena_printf(p->arena, t->means ? "Mean by %s" : "Share by %s", width),
            .says = t->means
                        ? "Each bar is the mean of the labels."
                        : arena_printf(p->arena, "The dashed line is the share of all: %.3g %%.",
                                       100 * t->positive / t->records),
            .list = &list.list,
            .column = t->means ? MEAN : SHARE,
            .y_label = t->means ? "mean" : "share, %",
            .all = t->means ? (double)NAN : 100 * t->positive / t->records};
    picture[n++] =
        (struct sheet_columns){.title = arena_printf(p->arena, "Records by %s", width),
                               .says = arena_printf(p->arena, "%s with an event time, in UTC.",
                                                    field_counted(t->records, "record", p->arena)),
                               .list = &list.list,
                               .column = RECORDS,
                               .y_label = "records",
                               .all = (double)NAN};
    page_heading(p, "Over time");
    p->sheet->language->columns(p->sheet, picture, n);
}

void part_over_time(const struct page *p)
{
    struct over_time t = time_rows(field(p->summary, "over_time"), p->arena);
    if (time_divides_labels(&t)) t.shares = false;
    if (json_array_size(t.rows) > 1 && t.records > 0) time_put(p, &t);
    json_decref(t.rows);
}
