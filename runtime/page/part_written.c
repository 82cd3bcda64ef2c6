/* part_written.c -- what sinks of records wrote, and where: of a pipeline without a learner that is
 * the answer. The page is made of a summary alone, and the rows are where they were written. */
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
        const char *where = where_of(stage), *id = field_text(stage, "id");
        if (!where || shows_answer(p, id)) continue;
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f}", "where", shown(where, p->arena),
                                              "sink", id, "rows", field_number(stage, "out")));
    }
    field_list_make(&list, rows, column, sizeof column / sizeof *column);
    if (list.list.n_rows) {
        page_heading(p, "What was written");
        page_table(p, (struct sheet_table){.list = &list.list});
    }
    json_decref(rows);
}
