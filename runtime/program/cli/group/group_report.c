/* group_report.c -- implementation of group_report.h. */
#include "group_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/terminal.h"
#include "core/text/plain_text.h"
#include "host/log/json_text.h"
#include "program/page/fields.h"

enum { SHOWN = 20 };

struct group_report {
    json_t *group;                /* the record of the group, with the totals */
    json_t *members, *partitions; /* arrays, members of `group` */
    struct arena arena;
    FILE *out;
};

static const char *report_text_of(const json_t *o, const char *key, const char *missing)
{
    const char *text = field_text(o, key);
    return *text ? text : missing;
}

/* ---- sorting the records ---- */

/* Moves the records to the arrays of their kinds. Returns false if there is no group. */
static bool report_sort(struct group_report *r, json_t *records)
{
    size_t i;
    json_t *o;
    json_array_foreach(records, i, o)
    {
        const char *kind = field_text(o, "record");
        json_t *to = !strcmp(kind, "member") ? r->members : r->partitions;
        if (!strcmp(kind, "group"))
            r->group = o;
        else
            json_array_append(to, o);
    }
    json_array_foreach(records, i, o) { json_object_del(o, "record"); }
    if (!r->group) return false;
    json_object_set(r->group, "members", r->members);
    json_object_set(r->group, "partitions", r->partitions);
    return true;
}

/* Counts the partitions without this member. */
static json_int_t report_missing(const struct group_report *r, const char *key)
{
    json_int_t n = 0;
    size_t i;
    json_t *p;
    json_array_foreach(r->partitions, i, p) n += !field(p, key) || json_is_null(field(p, key));
    return n;
}

/* Adds the totals to the group: lag (null if it is unknown), and what partitions lack. */
static void report_add_up(struct group_report *r)
{
    double lag = 0;
    size_t i;
    json_t *p;
    json_array_foreach(r->partitions, i, p) lag += field_number(p, "lag");
    json_object_set_new(r->group, "lag", isnan(lag) ? json_null() : json_integer((json_int_t)lag));
    json_object_set_new(r->group, "without_owner", json_integer(report_missing(r, "owner")));
    if (!json_is_string(field(r->group, "state_topic"))) return;
    json_object_set_new(r->group, "without_state", json_integer(report_missing(r, "state_offset")));
}

/* ---- tables ---- */

static void report_table(struct group_report *r, const json_t *rows,
                         const struct report_column *column, uint32_t n)
{
    char buf[1024];
    struct text_out out = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = r->out};
    struct report t = {.out = &out, .terminal = terminal_columns(fileno(r->out))};
    struct field_list list;
    field_list_make(&list, rows, column, n);
    fputc('\n', r->out);
    report_begin(&t, NULL);
    report_rows(&t, &list.list);
    report_end(&t);
    text_flush(&out);
}

/* Gives each member a short name: its instance, else its client and its place in the list. */
static void report_name_members(struct group_report *r)
{
    size_t i;
    json_t *m;
    json_array_foreach(r->members, i, m)
    {
        const char *instance = field_text(m, "instance");
        const char *name = *instance ? instance
                                     : arena_printf(&r->arena, "%s#%zu",
                                                    report_text_of(m, "client", "member"), i + 1);
        json_object_set_new(m, "name", json_text(name));
    }
}

static const char *report_name_of(const struct group_report *r, const char *id)
{
    size_t i;
    json_t *m;
    json_array_foreach(r->members, i,
                       m) if (!strcmp(field_text(m, "id"), id)) return field_text(m, "name");
    return id;
}

static void report_members(struct group_report *r)
{
    static const struct report_column column[] = {
        {.name = "name", .type = REPORT_WORD, .heading = "member"},
        {.name = "host", .type = REPORT_WORD},
        {.name = "partitions"},
        {.name = "id", .type = REPORT_NAME}};
    if (json_array_size(r->members))
        report_table(r, r->members, column, sizeof column / sizeof *column);
}

/* Returns the lag, by which partitions are sorted. An unknown lag comes before 0, and after any
 * other. */
static double report_lag(const json_t *p)
{
    double lag = field_number(p, "lag");
    return isnan(lag) ? 0.5 : lag;
}

static int report_by_lag(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    double p = report_lag(x), q = report_lag(y);
    if (p != q) return p < q ? 1 : -1;
    int order = strcmp(field_text(x, "topic"), field_text(y, "topic"));
    p = field_number(x, "partition");
    q = field_number(y, "partition");
    return order ? order : (p > q) - (p < q);
}

static const char *report_span(struct group_report *r, double ms)
{
    return field_span(ms / 1000, &r->arena);
}

/* Returns the row of a table for a partition. */
static json_t *report_row(struct group_report *r, const json_t *p)
{
    const char *owner = field_text(p, "owner");
    json_t *row = json_copy((json_t *)p);
    const char *name =
        arena_printf(&r->arena, "%s/%.0f", field_text(p, "topic"), field_number(p, "partition"));
    json_object_set_new(row, "name", json_text(name));
    json_object_set_new(row, "owner", json_text(*owner ? report_name_of(r, owner) : "none"));
    json_object_set_new(row, "behind", json_text(report_span(r, field_number(p, "behind_ms"))));
    json_object_set_new(row, "age", json_text(report_span(r, field_number(p, "state_age_ms"))));
    return row;
}

static void report_partitions(struct group_report *r, size_t most)
{
    static const struct report_column column[] = {
        {.name = "name", .type = REPORT_WORD, .heading = "partition"},
        {.name = "owner", .type = REPORT_WORD},
        {.name = "committed"},
        {.name = "end"},
        {.name = "lag"},
        {.name = "behind", .type = REPORT_WORD},
        {.name = "state_offset", .heading = "state at"},
        {.name = "state_bytes", .type = REPORT_BYTES, .heading = "size"},
        {.name = "age", .type = REPORT_WORD}};
    enum { ALL = sizeof column / sizeof *column, OF_STATES = 3 };
    size_t n = json_array_size(r->partitions), shown = n < most ? n : most;
    bool states = field(r->group, "without_state") != NULL;
    json_t **by_lag = arena_alloc(&r->arena, (n + 1) * sizeof *by_lag);
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        by_lag[i] = json_array_get(r->partitions, i);
    qsort(by_lag, n, sizeof *by_lag, report_by_lag);
    for (size_t i = 0; i < shown; i++)
        json_array_append_new(rows, report_row(r, by_lag[i]));
    if (n) report_table(r, rows, column, states ? ALL : ALL - OF_STATES);
    if (shown < n) fprintf(r->out, "… and %zu more, less behind (--k %zu)\n", n - shown, n);
    json_decref(rows);
}

/* ---- the head ---- */

static void report_head(struct group_report *r)
{
    const json_t *g = r->group;
    struct arena *a = &r->arena;
    plain_text_line(r->out, "group %s: %s, %s, %s; coordinator %s", field_text(g, "group"),
                    report_text_of(g, "state", "unknown"),
                    field_counted((double)json_array_size(r->members), "member", a),
                    report_text_of(g, "assignor", "no assignor"),
                    report_text_of(g, "coordinator", "unknown"));
    const char *lag = json_is_null(field(g, "lag")) ? "unknown: no offset is committed for some"
                                                    : field_count(field_number(g, "lag"), a);
    plain_text_line(r->out, "%s: lag %s; %s without an owner%s",
                    field_counted((double)json_array_size(r->partitions), "partition", a), lag,
                    field_count(field_number(g, "without_owner"), a),
                    field(g, "without_state")
                        ? arena_printf(a, ", %s without a state",
                                       field_count(field_number(g, "without_state"), a))
                        : "");
}

bool group_report(json_t *records, const struct command_line *c, FILE *out)
{
    struct group_report r = {.members = json_array(), .partitions = json_array(), .out = out};
    bool whole = report_sort(&r, records);
    if (whole) report_add_up(&r);
    if (whole && c->json) {
        json_print(json_incref(r.group), JSON_INDENT(2), out);
    } else if (whole) {
        report_name_members(&r);
        report_head(&r);
        report_members(&r);
        report_partitions(&r, c->k ? c->k : SHOWN);
    }
    json_decref(r.members);
    json_decref(r.partitions);
    arena_free(&r.arena);
    return whole;
}
