/* schema_json.c -- see schema_json.h. A header belongs to an open source and is left out. */
#include "schema_json.h"

#include <string.h>

#include "json_text.h"

#define NUMBER(F)                                                                                  \
    {                                                                                              \
#F, offsetof(struct leat_schema, F)                                                        \
    }
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {NUMBER(has),
               NUMBER(score),
               NUMBER(open),
               NUMBER(examples_per_record),
               NUMBER(entries_per_record),
               NUMBER(bytes_per_entry),
               NUMBER(parts_per_record),
               NUMBER(added_bytes_per_record),
               NUMBER(max_record_bytes),
               NUMBER(copies_text),
               NUMBER(added_names)};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

json_t *schema_to_json(const struct leat_schema *s)
{
    json_t *o = json_object(), *columns = json_array(), *fields = json_array();
    for (size_t i = 0; i < N_NUMBERS; i++) {
        uint32_t v;
        memcpy(&v, (const char *)s + numbers[i].offset, sizeof v);
        if (v) json_object_set_new(o, numbers[i].name, json_integer(v));
    }
    for (uint32_t i = 0; i < s->n_columns; i++)
        json_array_append_new(columns, json_pack("{s:o, s:i}", "name", json_text(s->column[i].name),
                                                 "type", (int)s->column[i].type));
    for (uint32_t i = 0; i < s->n_fields; i++)
        json_array_append_new(fields, json_text(s->fields[i]));
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "fields", fields);
    return o;
}

static const char *read_columns(const json_t *all, struct arena *a, struct leat_schema *s)
{
    s->n_columns = (uint32_t)json_array_size(all);
    struct leat_column *column = arena_alloc(a, (s->n_columns + 1) * sizeof *column);
    for (uint32_t i = 0; i < s->n_columns; i++) {
        const json_t *c = json_array_get(all, i);
        const char *name = json_string_value(json_object_get(c, "name"));
        json_int_t type = json_integer_value(json_object_get(c, "type"));
        if (!name || (type != LEAT_TEXT && type != LEAT_NUMBER)) return "columns";
        column[i] = (struct leat_column){.name = arena_strdup(a, name), .type = (uint32_t)type};
    }
    s->column = column;
    return NULL;
}

static const char *read_fields(const json_t *all, struct arena *a, struct leat_schema *s)
{
    s->n_fields = (uint32_t)json_array_size(all);
    const char **field = arena_alloc(a, (s->n_fields + 1) * sizeof *field);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const char *name = json_string_value(json_array_get(all, i));
        if (!name) return "fields";
        field[i] = arena_strdup(a, name);
    }
    s->fields = field;
    return NULL;
}

const char *schema_from_json(const json_t *o, struct arena *a, struct leat_schema *s)
{
    *s = (struct leat_schema){.size = sizeof *s};
    for (size_t i = 0; i < N_NUMBERS; i++) {
        const json_t *there = json_object_get(o, numbers[i].name);
        json_int_t v = json_integer_value(there);
        if ((there && !json_is_integer(there)) || v < 0 || v > UINT32_MAX) return numbers[i].name;
        uint32_t small = (uint32_t)v;
        memcpy((char *)s + numbers[i].offset, &small, sizeof small);
    }
    const char *wrong = read_columns(json_object_get(o, "columns"), a, s);
    return wrong ? wrong : read_fields(json_object_get(o, "fields"), a, s);
}
