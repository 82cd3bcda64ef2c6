/* trace_record.c -- see trace_record.h. */
#include "trace_record.h"

#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "host/flow/convert.h"

enum { USUAL_NAME = 256 };

static json_t *slice_json(const struct leat_batch *b, struct leat_str s)
{
    if (s.len == LEAT_NULL || s.off == LEAT_NULL) return json_null();
    return json_text_n(b->bytes + s.off, s.len);
}

json_t *trace_record_head(struct hbatch *h, uint32_t r)
{
    struct batch_origin o = batch_origin(h, r);
    json_t *head = json_pack("{s:o, s:o}", "source", json_text(h->source->node->id), "input",
                             json_text(instance_origin(h->source, &o)));
    json_object_set_new(head, o.line ? "line" : "number",
                        json_integer((json_int_t)(o.line ? o.line : o.offset + 1)));
    json_object_set_new(head, "raw", slice_json(&h->b, h->b.raw[r]));
    return head;
}

/* ---- the state of a record ---- */

static json_t *cell_json(const struct leat_batch *b, const struct leat_schema *schema, uint32_t c,
                         uint32_t r)
{
    char text[CONVERT_TEXT];
    size_t n;
    const uint32_t type = schema->column[c].type;
    const char *s = convert_cell(b, c, type, r, text, &n);
    if (!s) return json_null();
    if (type == LEAT_NUMBER) return json_figure(b->column[c].number[r]);
    if (type == LEAT_INT64) return json_integer((json_int_t)b->column[c].int64[r]);
    if (type == LEAT_BOOLEAN) return json_boolean(b->column[c].boolean[r]);
    return json_text_n(s, n);
}

static json_t *columns_json(const struct leat_batch *b, const struct leat_schema *schema,
                            uint32_t r)
{
    json_t *all = json_array();
    for (uint32_t c = 0; c < schema->n_columns; c++)
        json_array_append_new(all,
                              json_pack("{s:o, s:o}", "name", json_text(schema->column[c].name),
                                        "value", cell_json(b, schema, c, r)));
    return all;
}

json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry)
{
    char usual[USUAL_NAME];
    size_t n = leat_name_text(b, entry, usual, sizeof usual);
    if (n <= sizeof usual) return json_text_n(usual, n);
    char *whole = memory_take(n);
    leat_name_text(b, entry, whole, n);
    json_t *name = json_text_n(whole, n);
    free(whole);
    return name;
}

static json_t *example_json(const struct leat_batch *b, uint32_t e)
{
    json_t *features = json_array();
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        json_array_append_new(features, json_pack("{s:o, s:o}", "name", trace_record_feature(b, i),
                                                  "value", json_figure((double)b->value[i])));
    return json_pack("{s:o, s:o, s:o}", "label", json_figure((double)b->ex_label[e]), "weight",
                     json_figure((double)b->ex_weight[e]), "features", features);
}

static json_t *examples_json(const struct leat_batch *b, uint32_t r)
{
    json_t *all = json_array();
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->ex_record[e] == r) json_array_append_new(all, example_json(b, e));
    return all;
}

json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema, uint32_t r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "raw", slice_json(b, b->raw[r]), "columns",
                     columns_json(b, schema, r), "label", json_figure((double)b->label[r]),
                     "weight", json_figure((double)b->weight[r]), "examples", examples_json(b, r));
}

/* ---- what is another one ---- */

static json_t *changed_columns(const json_t *before, const json_t *after)
{
    json_t *changed = json_array(), *column;
    size_t i;
    json_array_foreach(after, i, column) if (!json_equal(column, json_array_get(before, i)))
        json_array_append(changed, column);
    return changed;
}

void trace_record_changes(json_t *step, json_t *before, json_t *after)
{
    static const char *const kept[] = {"raw", "label", "weight", "examples"};
    json_t *columns =
        changed_columns(json_object_get(before, "columns"), json_object_get(after, "columns"));
    if (json_array_size(columns)) json_object_set(step, "columns", columns);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *now = json_object_get(after, kept[i]);
        if (!json_equal(now, json_object_get(before, kept[i]))) json_object_set(step, kept[i], now);
    }
    json_decref(columns);
    json_decref(before);
    json_decref(after);
}
