/* part_data.c -- what was read, how it went through the stages, and what was rejected. */
#include <string.h>

#include "fields.h"
#include "parts.h"

/* ---- inputs ---- */

static json_t *input_rows(const struct page *p)
{
    const json_t *inputs = field(p->summary, "inputs");
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i), *names = field(input, "names");
        const char *text = "";
        for (size_t k = 0; k < json_array_size(names); k++)
            text = arena_printf(p->arena, "%s%s%s", text, k ? ", " : "",
                                json_string_value(json_array_get(names, k)));
        if (field_number(input, "more") > 0)
            text = arena_printf(p->arena, "%s and %s more", text,
                                field_count(field_number(input, "more"), p->arena));
        json_t *row = json_deep_copy(input);
        json_object_set_new(row, "names", json_string(text));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void put_inputs(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "names", .type = REPORT_NAME, .heading = "input"},
        {.name = "source", .type = REPORT_WORD},
        {.name = "records", .type = REPORT_NUMBER},
        {.name = "bytes", .type = REPORT_BYTES}};
    struct field_list list;
    json_t *rows = input_rows(p);
    field_list_make(&list, rows, column, sizeof column / sizeof *column);
    if (list.list.n_rows)
        page_table(p, (struct sheet_table){.list = &list.list});
    else
        page_say(p, SHEET_NOTE,
                 "Which files or topics were read is not known here: the report of a run "
                 "(--report, --summary) has their names and sizes.");
    json_decref(rows);
}

/* ---- stages ---- */

static void put_stages(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "id", .type = REPORT_NAME, .heading = "stage"},
        {.name = "plugin", .type = REPORT_WORD},
        {.name = "in", .type = REPORT_NUMBER},
        {.name = "out", .type = REPORT_NUMBER},
        {.name = "filtered", .type = REPORT_NUMBER},
        {.name = "rejected", .type = REPORT_NUMBER},
        {.name = "seconds", .type = REPORT_NUMBER, .decimals = 2}};
    struct field_list list;
    field_list_make(&list, field(p->summary, "stages"), column, sizeof column / sizeof *column);
    page_table(p, (struct sheet_table){.list = &list.list, .caption = "Records of each stage"});
}

/* What stages have measured or counted, but zeros: an evaluation's correlation, a window's late
 * records. What predicts has a table of its own. */
static json_t *figure_rows(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages"), *value;
    const char *name;
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *s = json_array_get(stages, i), *kinds = field(s, "figures");
        if (field(s, "curve")) continue;
        json_object_foreach((json_t *)field(s, "metrics"), name, value)
        {
            const char *unit = field_text(field(kinds, name), "unit");
            if (!json_is_number(value) || json_number_value(value) == 0) continue;
            json_array_append_new(rows, json_pack("{s:O?, s:s, s:O, s:s}", "id", field(s, "id"),
                                                  "figure", name, "value", value, "unit",
                                                  strcmp(unit, "1") ? unit : ""));
        }
    }
    return rows;
}

static void put_figures(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "id", .type = REPORT_NAME, .heading = "stage"},
        {.name = "figure", .type = REPORT_NAME},
        {.name = "value", .type = REPORT_FIGURE},
        {.name = "unit", .type = REPORT_WORD}};
    struct field_list list;
    json_t *rows = figure_rows(p);
    field_list_make(&list, rows, column, sizeof column / sizeof *column);
    if (list.list.n_rows)
        page_table(p, (struct sheet_table){.list = &list.list, .caption = "Figures of stages"});
    json_decref(rows);
}

/* ---- rejections ---- */

static void say_where_kept(const struct page *p)
{
    const char *places = field_text(p->summary, "dead_letters_to");
    if (*places)
        page_say(p, SHEET_NOTE, arena_printf(p->arena, "All of them are in %s.", places));
    else
        page_say(p, SHEET_NOTE, "dead_letters = \"FILE\" of the pipeline keeps all of them.");
}

static void put_rejections(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "reason", .type = REPORT_WORD},
        {.name = "records", .type = REPORT_NUMBER},
        {.name = "example", .type = REPORT_NAME, .heading = "the first of them"}};
    const json_t *reasons = field(p->summary, "rejections"),
                 *examples = field(p->summary, "rejection_examples");
    struct field_list list;
    const char *reason;
    json_t *n, *rows = json_array();
    json_object_foreach((json_t *)reasons, reason, n)
    {
        json_t *row = json_pack("{s:s, s:O}", "reason", reason, "records", n);
        json_t *example = json_object_get(examples, reason);
        if (example) json_object_set(row, "example", example);
        json_array_append_new(rows, row);
    }
    field_list_make(&list, rows, column, sizeof column / sizeof *column);
    if (list.list.n_rows) {
        page_heading(p, "Rejected records");
        page_table(p, (struct sheet_table){.list = &list.list});
        say_where_kept(p);
    }
    json_decref(rows);
}

void part_data(const struct page *p)
{
    put_rejections(p);
    p->sheet->language->fold(p->sheet, "What was read");
    put_inputs(p);
    put_stages(p);
    put_figures(p);
    p->sheet->language->unfold(p->sheet);
}
