/* part_written.c -- what sinks of records wrote, and where: of a pipeline without a learner that is
 * the answer. The page is made of a summary alone, which has the last rows of those that a stage
 * made, such as a window; all are where they were written. */
#include <string.h>

#include "fields.h"
#include "parts.h"

/* The parameter of a sink that says where its records go; NULL: it is no such sink. */
static const char *where_of(const json_t *stage)
{
    static const char *const names[] = {"path", "topic", "url", "command"};
    if (strncmp(field_text(stage, "plugin"), "sink.", 5) != 0) return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *given = field_text(field(stage, "parameters"), names[i]),
                   *is = *given ? given : field_text(field(stage, "defaults"), names[i]);
        if (*is) return is;
    }
    return NULL;
}

/* A sink that shows a learner is a part of its own. */
static bool shows_answer(const struct page *p, const char *id)
{
    const json_t *answers = field(p->summary, "answers");
    for (size_t i = 0; i < json_array_size(answers); i++)
        if (!strcmp(field_text(json_array_get(answers, i), "sink"), id)) return true;
    return false;
}

/* "m.csv" as it stands in a script, without its quotes. */
static const char *shown(const char *where, struct arena *a)
{
    size_t n = strlen(where);
    if (!strcmp(where, "\"-\"")) return "standard output";
    if (n < 2 || where[0] != '"' || where[n - 1] != '"') return where;
    return arena_printf(a, "%.*s", (int)n - 2, where + 1);
}

/* ---- the last rows ---- */

enum { MAX_COLUMNS = 64 };

static const char *key_of(size_t column, struct arena *a) { return arena_printf(a, "%zu", column); }

/* Cells are texts, with the digits that were written. */
static uint32_t read_columns(const json_t *names, struct report_column to[MAX_COLUMNS],
                             struct arena *a)
{
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(names) && n < MAX_COLUMNS; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        to[n++] = (struct report_column){
            .name = key_of(i, a), .heading = name ? name : "", .type = REPORT_WORD};
    }
    return n;
}

static json_t *read_rows(const json_t *rows, const struct report_column *column, uint32_t n)
{
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_object();
        for (uint32_t c = 0; c < n; c++) {
            json_t *cell = json_array_get(json_array_get(rows, i), c);
            if (json_is_string(cell)) json_object_set(row, column[c].name, cell);
        }
        json_array_append_new(all, row);
    }
    return all;
}

static void put_last_rows(const struct page *p, const json_t *stage)
{
    const json_t *last = field(stage, "last_rows"), *given = field(last, "rows");
    const char *where = shown(where_of(stage), p->arena);
    struct report_column column[MAX_COLUMNS];
    struct field_list list;
    uint32_t n = read_columns(field(last, "columns"), column, p->arena);
    size_t n_rows = json_array_size(given);
    if (!n || !n_rows) return;
    json_t *rows = read_rows(given, column, n);
    field_list_make(&list, rows, column, n);
    double all = field_number(stage, "out"), more = field_number(last, "more_columns");
    const char *caption = all > (double)n_rows
                              ? arena_printf(p->arena, "The last %zu of %s", n_rows,
                                             field_counted(all, "row", p->arena))
                              : "All rows";
    caption = arena_printf(p->arena, "%s in %s", caption, where);
    if (more > 0)
        caption = arena_printf(p->arena, "%s, without %s", caption,
                               field_counted(more, "further column", p->arena));
    page_table(p, (struct sheet_table){.list = &list.list, .caption = caption});
    json_decref(rows);
}

static bool is_written(const struct page *p, const json_t *stage)
{
    return where_of(stage) && !shows_answer(p, field_text(stage, "id"));
}

void part_written(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "where", .type = REPORT_NAME, .heading = "written to"},
        {.name = "sink", .type = REPORT_NAME},
        {.name = "rows", .type = REPORT_NUMBER}};
    const json_t *stages = field(p->summary, "stages");
    json_t *rows = json_array();
    struct field_list list;
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        if (!is_written(p, stage)) continue;
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:f}", "where", shown(where_of(stage), p->arena), "sink",
                            field_text(stage, "id"), "rows", field_number(stage, "out")));
    }
    field_list_make(&list, rows, column, sizeof column / sizeof *column);
    if (list.list.n_rows) {
        page_heading(p, "What was written");
        page_table(p, (struct sheet_table){.list = &list.list});
    }
    for (size_t i = 0; i < json_array_size(stages); i++)
        if (is_written(p, json_array_get(stages, i))) put_last_rows(p, json_array_get(stages, i));
    json_decref(rows);
}
