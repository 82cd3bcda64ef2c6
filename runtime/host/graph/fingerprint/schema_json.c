/* schema_json.c -- implementation of schema_json.h. It leaves out headers, which belong to open
 * sources. */
#include "schema_json.h"

#include <stdbool.h>
#include <string.h>

#include "host/log/json_text.h"
#include "host/graph/column_type.h"

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
               NUMBER(entries_per_256_bytes),
               NUMBER(parts_per_record),
               NUMBER(added_bytes_per_record),
               NUMBER(max_record_bytes),
               NUMBER(copies_text),
               NUMBER(added_names),
               NUMBER(extents)};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static json_t *names_to_json(const char *const *name, uint32_t n)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(all, json_text(name[i]));
    return all;
}

static json_t *column_to_json(const struct leat_column *c)
{
    json_t *o = json_pack("{s:o, s:i}", "name", json_text(c->name), "type", (int)c->type);
    if (c->decimal) json_object_set_new(o, "decimal", json_integer(c->decimal));
    if (c->thousands) json_object_set_new(o, "thousands", json_integer(c->thousands));
    return o;
}

json_t *schema_to_json(const struct leat_schema *s)
{
    json_t *o = json_object(), *columns = json_array();
    for (size_t i = 0; i < N_NUMBERS; i++) {
        uint32_t v;
        memcpy(&v, (const char *)s + numbers[i].offset, sizeof v);
        if (v) json_object_set_new(o, numbers[i].name, json_integer(v));
    }
    for (uint32_t i = 0; i < s->n_columns; i++)
        json_array_append_new(columns, column_to_json(&s->column[i]));
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "fields", names_to_json(s->fields, s->n_fields));
    if (s->n_classes) json_object_set_new(o, "classes", names_to_json(s->classes, s->n_classes));
    return o;
}

/* Reads member `key` of a column, a character code. Sets *sign to 0 if the member is absent.
 * Returns false if it is not a character. */
static bool read_sign(const json_t *column, const char *key, char *sign)
{
    const json_t *o = json_object_get(column, key);
    json_int_t c = json_integer_value(o);
    *sign = (char)c;
    return !o || (json_is_integer(o) && c > 0 && c < 128);
}

static const char *read_columns(const json_t *all, struct arena *a, struct leat_schema *s)
{
    s->n_columns = (uint32_t)json_array_size(all);
    struct leat_column *column = arena_alloc(a, (s->n_columns + 1) * sizeof *column);
    for (uint32_t i = 0; i < s->n_columns; i++) {
        const json_t *c = json_array_get(all, i);
        const char *name = json_string_value(json_object_get(c, "name"));
        json_int_t type = json_integer_value(json_object_get(c, "type"));
        char decimal, thousands;
        if (!name || type < 0 || !column_type_is_known((uint32_t)type) ||
            !read_sign(c, "decimal", &decimal) || !read_sign(c, "thousands", &thousands))
            return "columns";
        column[i] = (struct leat_column){.name = arena_strdup(a, name),
                                         .type = (uint32_t)type,
                                         .decimal = decimal,
                                         .thousands = thousands};
    }
    s->column = column;
    return NULL;
}

/* Reads an array of names. Returns NULL if an element is not a text. */
static const char *const *read_names(const json_t *all, struct arena *a, uint32_t *n)
{
    *n = (uint32_t)json_array_size(all);
    const char **name = arena_alloc(a, (*n + 1) * sizeof *name);
    for (uint32_t i = 0; i < *n; i++) {
        const char *text = json_string_value(json_array_get(all, i));
        if (!text) return NULL;
        name[i] = arena_strdup(a, text);
    }
    return name;
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
    if (s->score > LEAT_SCORE_DECISION) return "score";
    s->fields = read_names(json_object_get(o, "fields"), a, &s->n_fields);
    if (!s->fields) return "fields";
    s->classes = read_names(json_object_get(o, "classes"), a, &s->n_classes);
    if (!s->classes) return "classes";
    return read_columns(json_object_get(o, "columns"), a, s);
}
