/* part_settings.c -- every parameter of every stage: those that differ from their defaults, and the
 * others. */
#include "fields.h"
#include "parts.h"

static json_t *row_of(const json_t *stage, const char *name, json_t *value, json_t *other)
{
    json_t *row = json_pack("{s:O?, s:s, s:O?}", "stage", field(stage, "id"), "parameter", name,
                            "value", value);
    if (json_is_string(other)) json_object_set(row, "default", other);
    return row;
}

/* Values that were taken away (their default is another) stand among the changed ones, too. */
static void add_stage(const json_t *stage, json_t *changed, json_t *same)
{
    const json_t *parameters = field(stage, "parameters"), *defaults = field(stage, "defaults");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value)
    {
        json_t *other = json_object_get(defaults, name);
        json_array_append_new(other ? changed : same, row_of(stage, name, value, other));
    }
    json_object_foreach((json_t *)defaults, name, value)
    {
        if (!field(parameters, name))
            json_array_append_new(changed, row_of(stage, name, json_null(), value));
    }
}

static void put_rows(const struct page *p, const char *heading, const json_t *rows, bool defaults)
{
    static const struct report_column column[] = {{.name = "stage", .type = REPORT_WORD},
                                                  {.name = "parameter", .type = REPORT_WORD},
                                                  {.name = "value", .type = REPORT_NAME},
                                                  {.name = "default", .type = REPORT_NAME}};
    struct field_list list;
    field_list_make(&list, rows, column, defaults ? 4 : 3);
    if (!list.list.n_rows) return;
    page_heading(p, heading);
    page_table(p, (struct sheet_table){.list = &list.list});
}

void part_settings(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages");
    json_t *changed = json_array(), *same = json_array();
    for (size_t i = 0; i < json_array_size(stages); i++)
        add_stage(json_array_get(stages, i), changed, same);
    p->sheet->language->fold(p->sheet, "Settings");
    put_rows(p, "Given", changed, true);
    put_rows(p, "At their defaults", same, false);
    if (!json_array_size(changed) && !json_array_size(same))
        page_say(p, SHEET_NOTE,
                 "This summary has no parameters: one of this version of leat "
                 "(--summary, --report, or a snapshot) has them.");
    p->sheet->language->unfold(p->sheet);
    json_decref(changed);
    json_decref(same);
}
