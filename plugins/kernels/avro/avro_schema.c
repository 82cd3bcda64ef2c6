/* avro_schema.c -- reads a schema with jansson; the JSON tree owns the names and symbols */
#include "avro_schema.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 128, MAX_NAME = 1024, MAX_MEMBERS = 16384, MAX_CHAIN = 1024 };

struct avro_schema {
    json_t *json;            /* array of the texts */
    struct avro_type *types; /* list of all types */
    struct avro_type *root;
    uint64_t fingerprint;
    uint32_t symbols;
};

/* State while a schema is read. */
struct avro_schema_reading {
    struct avro_schema *schema;
    const char *space; /* namespace of the enclosing type; "" if none */
    int depth;
    char *why;
    size_t cap;
};

static struct avro_type *schema_fail(struct avro_schema_reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the reason to r->why. Keeps an earlier reason, because it is that of the
 * innermost type. */
static struct avro_type *schema_fail(struct avro_schema_reading *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*r->why) vsnprintf(r->why, r->cap, format, args);
    va_end(args);
    return NULL;
}

static struct avro_type *avro_schema_no_memory(struct avro_schema_reading *r)
{
    return schema_fail(r, "there is not enough memory for the schema");
}

/* ---- types ---- */

static struct avro_type *new_type(struct avro_schema_reading *r, enum avro_kind kind)
{
    struct avro_type *t = calloc(1, sizeof *t);
    if (!t) return avro_schema_no_memory(r);
    t->kind = kind;
    t->next = r->schema->types;
    r->schema->types = t;
    return t;
}

static bool make_members(struct avro_schema_reading *r, struct avro_type *t, size_t n)
{
    if (n > MAX_MEMBERS) return schema_fail(r, "a type has more than %d members", (int)MAX_MEMBERS);
    t->member = calloc(n + 1, sizeof *t->member);
    t->n = (uint32_t)n;
    return t->member || avro_schema_no_memory(r);
}

static const char *const primitives[] = {"null",  "boolean", "int",   "long",
                                         "float", "double",  "bytes", "string"};
enum { N_PRIMITIVES = sizeof primitives / sizeof *primitives };

/* Returns the kind of a primitive type, or N_PRIMITIVES if the name is no primitive type. */
static int primitive_of(const char *name)
{
    int kind = 0;
    while (kind < N_PRIMITIVES && strcmp(primitives[kind], name) != 0)
        kind++;
    return kind;
}

static struct avro_type *named(const struct avro_schema_reading *r, const char *name)
{
    struct avro_type *t = r->schema->types;
    while (t && (!t->name || strcmp(t->name, name) != 0))
        t = t->next;
    return t;
}

/* Returns the type with a name: a primitive type, or a type that was declared before. Looks for
 * `name` in the current namespace first, then for `name` without a namespace. */
static struct avro_type *avro_schema_by_name(struct avro_schema_reading *r, const char *name)
{
    char whole[2 * MAX_NAME];
    int kind = primitive_of(name);
    if (kind < N_PRIMITIVES) return new_type(r, (enum avro_kind)kind);
    snprintf(whole, sizeof whole, "%s.%s", r->space, name);
    struct avro_type *t = *r->space && !strchr(name, '.') ? named(r, whole) : NULL;
    if (!t) t = named(r, name);
    return t ? t : schema_fail(r, "there is no type '%.100s'", name);
}

/* ---- logical types ---- */

static bool avro_schema_is_integer(const json_t *json, const char *key, json_int_t min,
                                   json_int_t max, json_int_t *value)
{
    const json_t *member = json_object_get(json, key);
    *value = json_integer_value(member);
    return json_is_integer(member) && *value >= min && *value <= max;
}

static void set_decimal(struct avro_type *t, const json_t *json)
{
    json_int_t precision, scale;
    bool scaled = avro_schema_is_integer(json, "scale", 0, 1 << 20, &scale);
    if (!avro_schema_is_integer(json, "precision", 1, 1 << 20, &precision) || scale > precision ||
        (!scaled && json_object_get(json, "scale")))
        return;
    t->logical = AVRO_DECIMAL;
    t->scale = (uint32_t)scale;
    t->precision = (uint32_t)precision;
}

static const struct logical {
    const char *name;
    enum avro_kind kind;
    enum avro_logical logical;
    uint8_t digits;
} logicals[] = {
    {"date", AVRO_INT, AVRO_DATE, 0},
    {"time-millis", AVRO_INT, AVRO_TIME, 3},
    {"time-micros", AVRO_LONG, AVRO_TIME, 6},
    {"timestamp-millis", AVRO_LONG, AVRO_TIMESTAMP, 3},
    {"timestamp-micros", AVRO_LONG, AVRO_TIMESTAMP, 6},
    {"timestamp-nanos", AVRO_LONG, AVRO_TIMESTAMP, 9},
    {"local-timestamp-millis", AVRO_LONG, AVRO_LOCAL_TIMESTAMP, 3},
    {"local-timestamp-micros", AVRO_LONG, AVRO_LOCAL_TIMESTAMP, 6},
    {"local-timestamp-nanos", AVRO_LONG, AVRO_LOCAL_TIMESTAMP, 9},
};

static void set_logical(struct avro_type *t, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "logicalType"));
    if (!name) return;
    if (!strcmp(name, "decimal") && (t->kind == AVRO_BYTES || t->kind == AVRO_FIXED))
        set_decimal(t, json);
    if (!strcmp(name, "uuid") && t->kind == AVRO_FIXED && t->n == 16) t->logical = AVRO_UUID;
    if (!strcmp(name, "uuid") && t->kind == AVRO_STRING) t->logical = AVRO_UUID_TEXT;
    if (!strcmp(name, "duration") && t->kind == AVRO_FIXED && t->n == 12)
        t->logical = AVRO_DURATION;
    if (!strcmp(name, "big-decimal") && t->kind == AVRO_BYTES) t->logical = AVRO_BIG_DECIMAL;
    for (size_t i = 0; i < sizeof logicals / sizeof *logicals; i++) {
        if (strcmp(name, logicals[i].name) != 0 || t->kind != logicals[i].kind) continue;
        t->logical = logicals[i].logical;
        t->digits = logicals[i].digits;
    }
}

/* ---- declarations ---- */

static struct avro_type *read_type(struct avro_schema_reading *r, json_t *json);

/* Sets t->name to the name with its namespace. The JSON tree owns the string. */
static bool set_name(struct avro_schema_reading *r, struct avro_type *t, json_t *json)
{
    char whole[2 * MAX_NAME];
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *space = json_string_value(json_object_get(json, "namespace"));
    if (!name || !*name || strlen(name) >= MAX_NAME || (space && strlen(space) >= MAX_NAME))
        return schema_fail(r, "a record, enum or fixed has no name, or its name is too long");
    if (!space) space = r->space;
    if (strchr(name, '.') || !*space)
        snprintf(whole, sizeof whole, "%s", name);
    else
        snprintf(whole, sizeof whole, "%s.%s", space, name);
    if (named(r, whole)) return schema_fail(r, "the type '%.100s' is declared twice", whole);
    json_t *kept = json_string(whole);
    if (!kept || json_object_set_new(json, " name", kept)) return avro_schema_no_memory(r);
    t->name = json_string_value(kept);
    return true;
}

static bool avro_schema_read_field(struct avro_schema_reading *r, json_t *json,
                                   struct avro_member *m)
{
    m->name = json_string_value(json_object_get(json, "name"));
    if (!m->name) return schema_fail(r, "a field has no name");
    m->def = json_object_get(json, "default");
    m->type = read_type(r, json_object_get(json, "type"));
    if (m->type) return true;
    if (!strstr(r->why, ", in field")) {
        size_t n = strlen(r->why);
        snprintf(r->why + n, r->cap - n, ", in field '%.100s'", m->name);
    }
    return false;
}

static bool has_field(const struct avro_type *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(t->member[i].name, t->member[n].name)) return true;
    return false;
}

/* Reads a record. While it reads the fields, r->space is the namespace of the record's name. */
static struct avro_type *avro_schema_read_record(struct avro_schema_reading *r, json_t *json)
{
    char space[2 * MAX_NAME];
    const char *before = r->space;
    const json_t *fields = json_object_get(json, "fields");
    struct avro_type *t = new_type(r, AVRO_RECORD);
    if (!t || !set_name(r, t, json)) return NULL;
    if (!json_is_array(fields)) return schema_fail(r, "record '%.100s' has no fields", t->name);
    if (!make_members(r, t, json_array_size(fields))) return NULL;
    const char *dot = strrchr(t->name, '.');
    snprintf(space, sizeof space, "%.*s", dot ? (int)(dot - t->name) : 0, t->name);
    r->space = space;
    bool good = true;
    for (uint32_t i = 0; good && i < t->n; i++) {
        good = avro_schema_read_field(r, json_array_get(fields, i), &t->member[i]);
        if (good && has_field(t, i))
            good = schema_fail(r, "record '%.100s' has two fields '%.100s'", t->name,
                               t->member[i].name);
    }
    r->space = before;
    return good ? t : NULL;
}

static struct avro_type *read_enum(struct avro_schema_reading *r, json_t *json)
{
    const json_t *symbols = json_object_get(json, "symbols");
    struct avro_type *t = new_type(r, AVRO_ENUM);
    if (!t || !set_name(r, t, json)) return NULL;
    size_t n = json_array_size(symbols);
    if (!n || n > MAX_MEMBERS) return schema_fail(r, "enum '%.100s' has no symbols", t->name);
    t->symbol = calloc(n, sizeof *t->symbol);
    if (!t->symbol) return avro_schema_no_memory(r);
    t->n = (uint32_t)n;
    t->first_symbol = r->schema->symbols;
    r->schema->symbols += t->n;
    for (uint32_t i = 0; i < t->n; i++) {
        t->symbol[i] = json_string_value(json_array_get(symbols, i));
        if (!t->symbol[i])
            return schema_fail(r, "a symbol of enum '%.100s' is not a text", t->name);
    }
    return t;
}

static struct avro_type *read_fixed(struct avro_schema_reading *r, json_t *json)
{
    json_int_t size;
    struct avro_type *t = new_type(r, AVRO_FIXED);
    if (!t || !set_name(r, t, json)) return NULL;
    if (!avro_schema_is_integer(json, "size", 0, INT32_MAX, &size))
        return schema_fail(r, "fixed '%.100s' has no size", t->name);
    t->n = (uint32_t)size;
    set_logical(t, json);
    return t;
}

/* Reads an array or a map. `key` is the member of the JSON object with the type of its items. */
static struct avro_type *read_container(struct avro_schema_reading *r, json_t *json,
                                        enum avro_kind kind, const char *key)
{
    struct avro_type *t = new_type(r, kind);
    if (!t || !make_members(r, t, 1)) return NULL;
    t->member[0].type = read_type(r, json_object_get(json, key));
    return t->member[0].type ? t : NULL;
}

static struct avro_type *avro_schema_read_union(struct avro_schema_reading *r, json_t *json)
{
    struct avro_type *t = new_type(r, AVRO_UNION);
    if (!t || !make_members(r, t, json_array_size(json))) return NULL;
    if (!t->n) return schema_fail(r, "a union has no branches");
    for (uint32_t i = 0; i < t->n; i++) {
        t->member[i].type = read_type(r, json_array_get(json, i));
        if (!t->member[i].type) return NULL;
        if (t->member[i].type->kind == AVRO_UNION)
            return schema_fail(r, "a union stands directly in a union");
    }
    return t;
}

static struct avro_type *read_object(struct avro_schema_reading *r, json_t *json)
{
    json_t *type = json_object_get(json, "type");
    const char *name = json_string_value(type);
    if (!name) return read_type(r, type); /* the type is nested: {"type": {...}} */
    if (!strcmp(name, "record") || !strcmp(name, "error")) return avro_schema_read_record(r, json);
    if (!strcmp(name, "enum")) return read_enum(r, json);
    if (!strcmp(name, "fixed")) return read_fixed(r, json);
    if (!strcmp(name, "array")) return read_container(r, json, AVRO_ARRAY, "items");
    if (!strcmp(name, "map")) return read_container(r, json, AVRO_MAP, "values");
    struct avro_type *t = avro_schema_by_name(r, name);
    if (t && !t->name) set_logical(t, json);
    return t;
}

static struct avro_type *read_type(struct avro_schema_reading *r, json_t *json)
{
    struct avro_type *t;
    if (r->depth == MAX_DEPTH)
        return schema_fail(r, "types are nested more than %d deep", (int)MAX_DEPTH);
    r->depth++;
    if (json_is_string(json))
        t = avro_schema_by_name(r, json_string_value(json));
    else if (json_is_array(json))
        t = avro_schema_read_union(r, json);
    else if (json_is_object(json))
        t = read_object(r, json);
    else
        t = schema_fail(r, "a type is missing");
    r->depth--;
    return t;
}

/* ---- types whose values take no bytes ---- */

enum { NEW, VISITING, VISITED };

/* Sets t->empty, also for the types of its fields. Returns false if a record contains itself. The
 * search does not enter arrays, maps and unions, because their values take at least one byte. So
 * the search is only as deep as the nesting of records directly inside records. */
static bool find_empty(struct avro_schema_reading *r, struct avro_type *t, int depth)
{
    if (t->visit == VISITED) return true;
    if (t->visit == VISITING || depth == MAX_CHAIN)
        return schema_fail(r, "record '%.100s' contains itself without an end", t->name);
    t->visit = VISITING;
    t->empty = t->kind == AVRO_NULL || t->kind == AVRO_RECORD || (t->kind == AVRO_FIXED && !t->n);
    for (uint32_t i = 0; t->kind == AVRO_RECORD && i < t->n; i++) {
        struct avro_type *field = (struct avro_type *)(uintptr_t)t->member[i].type;
        if (!find_empty(r, field, depth + 1)) return false;
        t->empty &= field->empty;
    }
    t->visit = VISITED;
    return true;
}

static bool find_all_empty(struct avro_schema_reading *r)
{
    for (struct avro_type *t = r->schema->types; t; t = t->next)
        if (!find_empty(r, t, 0)) return false;
    return true;
}

/* ---- schemas ---- */

/* Parses the text as any JSON value. read_type() and schema_is_of_records() reject unsuitable
 * values. */
static json_t *avro_schema_load(const char *text, size_t n, struct avro_schema_reading *r)
{
    json_error_t error;
    json_t *json = json_loadb(text, n, JSON_DECODE_ANY, &error);
    if (!json) schema_fail(r, "it is not JSON: line %d: %s", error.line, error.text);
    return json;
}

/* True if the type is a record, or a union whose branches are records. */
static bool schema_is_of_records(const struct avro_type *t)
{
    if (t->kind != AVRO_UNION) return t->kind == AVRO_RECORD;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->member[i].type->kind != AVRO_RECORD) return false;
    return true;
}

/* Reads the texts in order. Sets the root to the type of the last one. */
static bool schema_read_texts(struct avro_schema_reading *r, const struct avro_schema_text *texts,
                              uint32_t n_texts)
{
    r->schema->json = json_array();
    if (!r->schema->json) return avro_schema_no_memory(r);
    for (uint32_t i = 0; i < n_texts; i++) {
        json_t *json = avro_schema_load(texts[i].text, texts[i].n, r);
        if (!json) return false;
        if (json_array_append_new(r->schema->json, json)) return avro_schema_no_memory(r);
        r->schema->root = read_type(r, json);
        if (!r->schema->root) return false;
    }
    return schema_is_of_records(r->schema->root) ||
           schema_fail(r, "it is not the schema of a record: its \"type\" must be \"record\"");
}

struct avro_schema *avro_schema_read(const struct avro_schema_text *texts, uint32_t n_texts,
                                     char *why, size_t cap)
{
    struct avro_schema *s = calloc(1, sizeof *s);
    struct avro_schema_reading r = {.schema = s, .space = "", .why = why, .cap = cap};
    *why = 0;
    if (!s) {
        avro_schema_no_memory(&r);
        return NULL;
    }
    if (schema_read_texts(&r, texts, n_texts) && find_all_empty(&r)) {
        s->fingerprint = avro_fingerprint(s->root);
        return s;
    }
    avro_schema_free(s);
    return NULL;
}

void avro_schema_free(struct avro_schema *s)
{
    if (!s) return;
    for (struct avro_type *t = s->types, *next; t; t = next) {
        next = t->next;
        free(t->member);
        free(t->symbol);
        free(t);
    }
    json_decref(s->json);
    free(s);
}

const struct avro_type *avro_schema_root(const struct avro_schema *s) { return s->root; }

uint64_t avro_schema_fingerprint(const struct avro_schema *s) { return s->fingerprint; }

uint32_t avro_schema_symbols(const struct avro_schema *s) { return s->symbols; }
