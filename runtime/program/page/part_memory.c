/* part_memory.c -- the bytes that were planned, and those that stages took. */
#include "fields.h"
#include "parts.h"

/* The parts of the plan, and what they are for. */
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
    struct field_list list;
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (field_number(plan, parts[i][0]) > 0)
            json_array_append_new(rows, json_pack("{s:s, s:O}", "what", parts[i][1], "bytes",
                                                  field(plan, parts[i][0])));
    field_list_make(&list, rows, column, 2);
    page_table(p, (struct sheet_table){.list = &list.list, .caption = "The plan: upper bounds"});
    json_decref(rows);
}

static json_t *stage_rows(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages");
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *s = json_array_get(stages, i);
        double planned = field_number(s, "planned_bytes"),
               used = field_number(field(s, "memory"), "used"); /* not in older summaries */
        if (!(planned > 0)) continue;
        json_array_append_new(rows, json_pack("{s:O, s:f, s:f}", "stage", field(s, "id"), "planned",
                                              planned, "used", used >= 0 ? used : planned));
    }
    return rows;
}

static void put_stages(const struct page *p)
{
    static const struct report_column column[] = {{.name = "stage", .type = REPORT_NAME},
                                                  {.name = "planned", .type = REPORT_BYTES},
                                                  {.name = "used", .type = REPORT_BYTES}};
    struct field_list list;
    json_t *rows = stage_rows(p);
    field_list_make(&list, rows, column, 3);
    if (list.list.n_rows)
        page_table(p, (struct sheet_table){.list = &list.list, .caption = "Stages"});
    json_decref(rows);
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
    if (plan) put_stages(p);
    p->sheet->language->unfold(p->sheet);
}
