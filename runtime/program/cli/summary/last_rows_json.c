/* last_rows_json.c -- see last_rows_json.h. */
#include "last_rows_json.h"

#include <stdio.h>

#include "host/log/json_text.h"
#include "host/exec/instance/observe.h"

static json_t *columns_json(const struct last_rows *l, const struct leat_schema *in)
{
    json_t *all = json_array();
    for (uint32_t c = 0; c < l->n_columns; c++)
        json_array_append_new(all, json_text(in->column[c].name));
    return all;
}

static json_t *cell_json(const struct last_cell *c)
{
    char text[LAST_TEXT + sizeof "…"];
    if (!c->has) return json_null();
    int n = snprintf(text, sizeof text, "%.*s%s", (int)c->len, c->text, c->cut ? "…" : "");
    return json_text_n(text, (size_t)n);
}

void last_rows_json_add(const struct instance *sink, json_t *to)
{
    const struct last_rows *l = sink->writing.last_rows;
    if (!l || !l->n) return;
    json_t *rows = json_array();
    for (uint64_t r = l->n > LAST_ROWS ? l->n - LAST_ROWS : 0; r < l->n; r++) {
        json_t *row = json_array();
        for (uint32_t c = 0; c < l->n_columns; c++)
            json_array_append_new(row, cell_json(&l->cell[r % LAST_ROWS][c]));
        json_array_append_new(rows, row);
    }
    const struct leat_schema *in = &sink->node->schema_in;
    json_object_set_new(to, "last_rows",
                        json_pack("{s:o, s:o, s:I}", "columns", columns_json(l, in), "rows", rows,
                                  "more_columns", (json_int_t)(in->n_columns - l->n_columns)));
}
