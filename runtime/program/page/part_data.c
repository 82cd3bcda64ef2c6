/* part_data.c -- parts about the data of a run: inputs, stages, outputs, settings, memory. */
#include <string.h>

#include "fields.h"
#include "parts.h"

/* Writes a heading, a caption (unless NULL), and a table of rows. Takes ownership of `rows`. If
 * there are no rows, writes nothing and returns false. */
static bool data_put_table(const struct page *p, const char *heading, const char *caption,
                           json_t *rows, const struct report_column *column, uint32_t n)
{
    struct field_list list;
    bool any = json_array_size(rows);
    field_list_make(&list, rows, column, n);
    if (any && heading) page_heading(p, heading);
    if (any) page_table(p, (struct sheet_table){.list = &list.list, .caption = caption});
    json_decref(rows);
    return any;
}

#define DATA_COLUMNS(COLUMN) COLUMN, sizeof(COLUMN) / sizeof *(COLUMN)

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
    if (!data_put_table(p, NULL, NULL, input_rows(p), DATA_COLUMNS(column)))
        page_say(p, SHEET_NOTE,
                 "The files or topics that were read are not known here: the report of a run "
                 "(--report, --summary) has their names and sizes.");
}

/* ---- stages ---- */

static void data_put_stages(const struct page *p)
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

/* Returns the figures of stages that are not 0, such as an evaluation's correlation or a window's
 * late records. Omits the learners that another table shows. */
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

static void data_put_figures(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "id", .type = REPORT_NAME, .heading = "stage"},
        {.name = "figure", .type = REPORT_NAME},
        {.name = "value", .type = REPORT_FIGURE},
        {.name = "unit", .type = REPORT_WORD}};
    data_put_table(p, NULL, "Figures of stages", figure_rows(p), DATA_COLUMNS(column));
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

static void data_put_rejections(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "reason", .type = REPORT_WORD},
        {.name = "records", .type = REPORT_NUMBER},
        {.name = "example", .type = REPORT_NAME, .heading = "first example"}};
    const json_t *reasons = field(p->summary, "rejections"),
                 *examples = field(p->summary, "rejection_examples");
    const char *reason;
    json_t *n, *rows = json_array();
    json_object_foreach((json_t *)reasons, reason, n)
    {
        json_t *row = json_pack("{s:s, s:O}", "reason", reason, "records", n);
        json_t *example = json_object_get(examples, reason);
        if (example) json_object_set(row, "example", example);
        json_array_append_new(rows, row);
    }
    if (data_put_table(p, "Rejected records", NULL, rows, DATA_COLUMNS(column))) say_where_kept(p);
}

void part_data(const struct page *p)
{
    data_put_rejections(p);
    p->sheet->language->fold(p->sheet, "What was read");
    put_inputs(p);
    data_put_stages(p);
    data_put_figures(p);
    p->sheet->language->unfold(p->sheet);
}

/* ---- outputs ---- */

/* Returns the name of the parameter with a sink's target; NULL if there is none. */
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

/* True if the sink shows a learner's answer. part_answers() has already written it. */
static bool shows_answer(const struct page *p, const char *id)
{
    const json_t *answers = field(p->summary, "answers");
    for (size_t i = 0; i < json_array_size(answers); i++)
        if (!strcmp(field_text(json_array_get(answers, i), "sink"), id)) return true;
    return false;
}

/* Returns a value of a script, such as "m.csv", without its quotes. */
static const char *data_place(const char *where, struct arena *a)
{
    size_t n = strlen(where);
    if (!strcmp(where, "\"-\"")) return "standard output";
    if (n < 2 || where[0] != '"' || where[n - 1] != '"') return where;
    return arena_printf(a, "%.*s", (int)n - 2, where + 1);
}

/* ---- the last rows ---- */

enum { MAX_COLUMNS = 64 };

static const char *data_key_of(size_t column, struct arena *a)
{
    return arena_printf(a, "%zu", column);
}

/* Reads the columns. All cells are texts, so numbers keep their original digits. */
static uint32_t data_read_columns(const json_t *names, struct report_column to[MAX_COLUMNS],
                                  struct arena *a)
{
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(names) && n < MAX_COLUMNS; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        to[n++] = (struct report_column){
            .name = data_key_of(i, a), .heading = name ? name : "", .type = REPORT_WORD};
    }
    return n;
}

static json_t *data_read_rows(const json_t *rows, const struct report_column *column, uint32_t n)
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
    const char *where = data_place(where_of(stage), p->arena);
    struct report_column column[MAX_COLUMNS];
    uint32_t n = data_read_columns(field(last, "columns"), column, p->arena);
    size_t n_rows = json_array_size(given);
    if (!n || !n_rows) return;
    double all = field_number(stage, "out"), more = field_number(last, "more_columns");
    const char *caption = all > (double)n_rows
                              ? arena_printf(p->arena, "The last %zu of %s", n_rows,
                                             field_counted(all, "row", p->arena))
                              : "All rows";
    caption = arena_printf(p->arena, "%s in %s", caption, where);
    if (more > 0)
        caption = arena_printf(p->arena, "%s, without %s", caption,
                               field_counted(more, "further column", p->arena));
    data_put_table(p, NULL, caption, data_read_rows(given, column, n), column, n);
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
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        if (!is_written(p, stage)) continue;
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:f}", "where", data_place(where_of(stage), p->arena),
                            "sink", field_text(stage, "id"), "rows", field_number(stage, "out")));
    }
    data_put_table(p, "What was written", NULL, rows, DATA_COLUMNS(column));
    for (size_t i = 0; i < json_array_size(stages); i++)
        if (is_written(p, json_array_get(stages, i))) put_last_rows(p, json_array_get(stages, i));
}

/* ---- parameters of all stages ---- */

static json_t *data_row_of(const json_t *stage, const char *name, json_t *value, json_t *other)
{
    json_t *row = json_pack("{s:O?, s:s, s:O?}", "stage", field(stage, "id"), "parameter", name,
                            "value", value);
    if (json_is_string(other)) json_object_set(row, "default", other);
    return row;
}

/* Adds a stage's parameters to `changed`, or to `same` if they have their default. The script has
 * unset a parameter that has a default but no value, so it goes to `changed`. */
static void add_stage(const json_t *stage, json_t *changed, json_t *same)
{
    const json_t *parameters = field(stage, "parameters"), *defaults = field(stage, "defaults");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value)
    {
        json_t *other = json_object_get(defaults, name);
        json_array_append_new(other ? changed : same, data_row_of(stage, name, value, other));
    }
    json_object_foreach((json_t *)defaults, name, value)
    {
        if (!field(parameters, name))
            json_array_append_new(changed, data_row_of(stage, name, json_null(), value));
    }
}

void part_settings(const struct page *p)
{
    static const struct report_column column[] = {{.name = "stage", .type = REPORT_WORD},
                                                  {.name = "parameter", .type = REPORT_WORD},
                                                  {.name = "value", .type = REPORT_NAME},
                                                  {.name = "default", .type = REPORT_NAME}};
    const json_t *stages = field(p->summary, "stages");
    json_t *changed = json_array(), *same = json_array();
    for (size_t i = 0; i < json_array_size(stages); i++)
        add_stage(json_array_get(stages, i), changed, same);
    p->sheet->language->fold(p->sheet, "Settings");
    bool given = data_put_table(p, "Given", NULL, changed, column, 4);
    if (!data_put_table(p, "At their defaults", NULL, same, column, 3) && !given)
        page_say(p, SHEET_NOTE,
                 "This summary has no parameters: make it again with this version of leat "
                 "(--summary, --report, or a snapshot).");
    p->sheet->language->unfold(p->sheet);
}

/* ---- planned bytes ---- */

/* Members of the memory plan, and their descriptions on the page. */
static const char *const parts[][2] = {{"process_bytes", "process: program, stacks, script"},
                                       {"pool_bytes", "batches"},
                                       {"ring_bytes", "queues between threads"},
                                       {"stage_bytes", "stages"},
                                       {"answer_bytes", "answers"},
                                       {"shard_bytes", "states of partitions"},
                                       {"bytes", "all"}};

static void put_plan(const struct page *p, const json_t *plan)
{
    static const struct report_column column[] = {
        {.name = "what", .type = REPORT_NAME},
        {.name = "bytes", .type = REPORT_BYTES, .heading = "planned"}};
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (field_number(plan, parts[i][0]) > 0)
            json_array_append_new(rows, json_pack("{s:s, s:O}", "what", parts[i][1], "bytes",
                                                  field(plan, parts[i][0])));
    data_put_table(p, NULL, "The plan: upper bounds", rows, DATA_COLUMNS(column));
}

static json_t *stage_rows(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages");
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *s = json_array_get(stages, i);
        /* `used` is NaN in summaries of older versions. */
        double planned = field_number(s, "planned_bytes"),
               used = field_number(field(s, "memory"), "used");
        if (!(planned > 0)) continue;
        json_array_append_new(rows, json_pack("{s:O, s:f, s:f}", "stage", field(s, "id"), "planned",
                                              planned, "used", used >= 0 ? used : planned));
    }
    return rows;
}

static void part_memory_put_stages(const struct page *p)
{
    static const struct report_column column[] = {{.name = "stage", .type = REPORT_NAME},
                                                  {.name = "planned", .type = REPORT_BYTES},
                                                  {.name = "used", .type = REPORT_BYTES}};
    data_put_table(p, NULL, "Stages", stage_rows(p), DATA_COLUMNS(column));
}

static void put_saved(const struct page *p)
{
    static const struct report_column column[] = {
        {.name = "id", .type = REPORT_NAME, .heading = "stage"},
        {.name = "state_bytes", .type = REPORT_BYTES, .heading = "state"}};
    struct field_list list;
    field_list_make(&list, field(p->summary, "stages"), column, 2);
    page_table(p, (struct sheet_table){.list = &list.list, .caption = "States in the snapshot"});
    page_say(p, SHEET_NOTE, "The plan of memory is in the report of a run (--report, --summary).");
}

void part_memory(const struct page *p)
{
    const json_t *plan = field(p->summary, "plan");
    p->sheet->language->fold(p->sheet, "Memory");
    if (plan)
        put_plan(p, plan);
    else if (*field_text(p->summary, "saved"))
        put_saved(p);
    if (plan) part_memory_put_stages(p);
    p->sheet->language->unfold(p->sheet);
}
