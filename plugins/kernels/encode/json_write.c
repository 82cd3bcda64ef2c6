/* json_write.c -- implementation of json_write.h. */
#include "json_write.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/utf8.h"
#include "fit_made.h"

enum json_write_kind {
    JSON_W_TEXT,   /* a member that is the same in all records */
    JSON_W_VALUE,  /* a member with the value of a column */
    JSON_W_OBJECT, /* a member with an object; its steps follow */
    JSON_W_END     /* the end of an object */
};

enum json_write_type { JSON_W_BOOLEAN, JSON_W_INTEGER, JSON_W_NUMBER, JSON_W_STRING, JSON_W_TYPES };

/* Property of a schema, as its keywords say. */
struct json_property {
    const json_t *schema;
    bool type[JSON_W_TYPES], null, object;
    const json_t *symbols; /* NULL: any text */
};

struct json_write_step {
    enum json_write_kind kind;
    enum json_write_type type;  /* VALUE */
    struct fit_place place;     /* VALUE */
    bool null, required;        /* VALUE, OBJECT: how it is written without a value */
    char *text;                 /* "name": ; TEXT: with a value behind it */
    uint32_t n_text, n;         /* n: OBJECT: number of the steps that belong to it */
    double min, max;            /* VALUE of a number */
    bool above, below;          /* the value must not be min, max */
    uint32_t shortest, longest; /* VALUE of a text: characters */
    const json_t *symbols;      /* VALUE of a text, NULL: any */
};

enum { JSON_W_DEEP = 32 /* most objects, references and choices in each other */ };

struct json_writer {
    struct fit_binding binding;
    json_t *schema;
    struct json_write_step *step;
    uint32_t n, cap;
    bool failed; /* there was not enough memory */
};

/* ---- properties ---- */

static const char *const json_type_names[JSON_W_TYPES] = {"boolean", "integer", "number", "string"};

/* Follows references, which begin with "#/", to the schema that they name. Returns NULL if one
 * leads nowhere. */
static const json_t *json_w_follow(const struct json_writer *w, const json_t *schema)
{
    for (int deep = 0; deep < JSON_W_DEEP; deep++) {
        const char *to = json_string_value(json_object_get(schema, "$ref"));
        if (!to) return schema;
        if (strncmp(to, "#/", 2) != 0) return NULL;
        schema = w->schema;
        for (to += 2; schema; to += strcspn(to, "/") + (to[strcspn(to, "/")] == '/')) {
            size_t n = strcspn(to, "/");
            if (!n) break;
            schema = json_object_getn(schema, to, n);
        }
    }
    return NULL;
}

static void json_take_type(struct json_property *p, const char *type)
{
    for (int i = 0; i < JSON_W_TYPES; i++)
        p->type[i] |= !strcmp(type, json_type_names[i]);
    p->null |= !strcmp(type, "null");
    p->object |= !strcmp(type, "object");
}

/* Returns false if an element is neither a text nor null. outer: the property may be null by what
 * stands around this schema. */
static bool json_take_enum(struct json_property *p, const json_t *symbols, bool outer)
{
    p->null = outer;
    for (size_t i = 0; i < json_array_size(symbols); i++) {
        const json_t *one = json_array_get(symbols, i);
        if (json_is_null(one))
            p->null = true;
        else if (!json_is_string(one))
            return false;
    }
    p->symbols = symbols;
    p->type[JSON_W_STRING] = true;
    return true;
}

/* Reads the keywords of a property. Returns false if they ask for something else than one value or
 * an object. */
static bool json_read_property(const struct json_writer *w, const json_t *schema, int deep,
                               struct json_property *p)
{
    schema = json_w_follow(w, schema);
    const json_t *type = json_object_get(schema, "type"), *some = json_object_get(schema, "anyOf");
    const json_t *symbols = json_object_get(schema, "enum");
    bool outer = p->null;
    if (!some) some = json_object_get(schema, "oneOf");
    if (!json_is_object(schema) || deep > JSON_W_DEEP || json_object_get(schema, "allOf") ||
        json_object_get(schema, "not") || json_object_get(schema, "const"))
        return false;
    if (!p->schema || type || symbols) p->schema = schema;
    if (json_is_string(type)) json_take_type(p, json_string_value(type));
    for (size_t i = 0; i < json_array_size(type); i++)
        if (json_is_string(json_array_get(type, i)))
            json_take_type(p, json_string_value(json_array_get(type, i)));
    if (symbols && !json_take_enum(p, symbols, outer)) return false;
    size_t others = 0;
    for (size_t i = 0; i < json_array_size(some); i++) {
        const json_t *one = json_array_get(some, i);
        const char *name = json_string_value(json_object_get(one, "type"));
        others += !(name && !strcmp(name, "null"));
        if (others > 1 || !json_read_property(w, one, deep + 1, p)) return false;
    }
    return true;
}

/* Returns the type of the property that suits a column best; JSON_W_TYPES if none does. */
static enum json_write_type json_type_for(const struct json_property *p, enum fit_kind kind)
{
    /* missing boolean integer real time text bytes */
    static const uint8_t suits[JSON_W_TYPES][FIT_KINDS] = {[JSON_W_BOOLEAN] = {0, 9, 1, 1, 0, 2, 0},
                                                           [JSON_W_INTEGER] = {0, 0, 8, 3, 0, 3, 0},
                                                           [JSON_W_NUMBER] = {0, 0, 7, 8, 0, 4, 0},
                                                           [JSON_W_STRING] = {0, 2, 2, 2, 9, 9, 9}};
    enum json_write_type best = JSON_W_TYPES;
    for (int i = 0; i < JSON_W_TYPES; i++)
        if (p->type[i] && suits[i][kind] > (best < JSON_W_TYPES ? suits[best][kind] : 0))
            best = (enum json_write_type)i;
    return best;
}

static const char *json_property_text(const struct json_property *p)
{
    if (p->symbols) return "enum";
    for (int i = 0; i < JSON_W_TYPES; i++)
        if (p->type[i]) return json_type_names[i];
    const char *type = json_string_value(json_object_get(p->schema, "type"));
    return type ? type : "of another type";
}

/* ---- steps ---- */

static struct json_write_step *json_add_step(struct json_writer *w,
                                             const struct json_write_step *step)
{
    if (w->n == w->cap) {
        uint32_t cap = w->cap ? 2 * w->cap : 16;
        struct json_write_step *grown = realloc(w->step, cap * sizeof *grown);
        w->failed |= !grown;
        if (!grown) return NULL;
        w->step = grown;
        w->cap = cap;
    }
    w->step[w->n] = *step;
    return &w->step[w->n++];
}

/* Returns "name": with the value behind it, if it has one. */
static char *json_member_text(struct json_writer *w, const char *name, const json_t *value,
                              uint32_t *n)
{
    json_t *string = json_string(name);
    char *key = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    char *rest = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("");
    size_t size = key && rest ? strlen(key) + strlen(rest) + 2 : 0;
    char *text = size ? malloc(size) : NULL;
    if (text) snprintf(text, size, "%s:%s", key, rest);
    *n = size ? (uint32_t)size - 1 : 0;
    w->failed |= !text;
    json_decref(string);
    free(key);
    free(rest);
    return text;
}

static void json_set_limits(struct json_write_step *s, const json_t *schema)
{
    const json_t *low = json_object_get(schema, "exclusiveMinimum");
    const json_t *high = json_object_get(schema, "exclusiveMaximum");
    const json_t *few = json_object_get(schema, "minLength");
    const json_t *many = json_object_get(schema, "maxLength");
    const json_t *min = json_object_get(schema, "minimum"),
                 *max = json_object_get(schema, "maximum");
    s->min = json_is_number(min) ? json_number_value(min) : -(double)INFINITY;
    s->max = json_is_number(max) ? json_number_value(max) : (double)INFINITY;
    s->above = json_is_number(low) && json_number_value(low) >= s->min;
    s->below = json_is_number(high) && json_number_value(high) <= s->max;
    if (s->above) s->min = json_number_value(low);
    if (s->below) s->max = json_number_value(high);
    s->shortest = json_is_integer(few) ? (uint32_t)json_integer_value(few) : 0;
    s->longest = json_is_integer(many) ? (uint32_t)json_integer_value(many) : UINT32_MAX;
}

static void json_add_value(struct json_writer *w, const struct json_property *p, const char *path,
                           uint32_t column, struct json_write_step *s)
{
    s->kind = JSON_W_VALUE;
    s->type = json_type_for(p, w->binding.column[column].kind);
    s->symbols = p->symbols;
    s->place = (struct fit_place){path, json_property_text(p), column};
    json_set_limits(s, p->schema);
    if (s->type == JSON_W_TYPES)
        fit_refuse_type(&w->binding, column, path, json_property_text(p));
    else if (json_add_step(w, s))
        return;
    free(s->text);
}

static void json_add_members(struct json_writer *w, const json_t *object, const char *path,
                             int deep);

static void json_add_object(struct json_writer *w, const json_t *object, const char *path,
                            struct json_write_step *s, int deep)
{
    uint32_t at = w->n;
    s->kind = JSON_W_OBJECT;
    if (!json_add_step(w, s)) {
        free(s->text);
        return;
    }
    json_add_members(w, object, path, deep + 1);
    json_add_step(w, &(struct json_write_step){.kind = JSON_W_END});
    w->step[at].n = w->n - at - 1;
}

/* Adds a property that has no column: its default, null, or nothing. */
static void json_add_without(struct json_writer *w, const json_t *schema,
                             const struct json_property *p, const char *path,
                             struct json_write_step *s, const char *name)
{
    const json_t *def = json_object_get(schema, "default");
    if (!def) def = json_object_get(schema, "const");
    json_t *null = json_null();
    free(s->text);
    if (!def && !s->required) return;
    if (!def && !p->null) {
        fit_refuse_field(&w->binding, path, json_property_text(p), " and is required");
        return;
    }
    s->kind = JSON_W_TEXT;
    s->text = json_member_text(w, name, def ? def : null, &s->n_text);
    if (!json_add_step(w, s)) free(s->text);
}

static bool json_requires(const json_t *object, const char *name)
{
    const json_t *names = json_object_get(object, "required");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *one = json_string_value(json_array_get(names, i));
        if (one && !strcmp(one, name)) return true;
    }
    return false;
}

static void json_add_member(struct json_writer *w, const json_t *object, const char *outer,
                            const char *name, const json_t *schema, int deep)
{
    struct json_property p = {.schema = NULL};
    struct json_write_step s = {.required = json_requires(object, name)};
    const char *path = fit_path(&w->binding, outer, name);
    bool good = json_read_property(w, schema, 0, &p);
    s.text = json_member_text(w, name, NULL, &s.n_text);
    s.null = p.null;
    w->failed |= !path;
    uint32_t column = path ? fit_bind(&w->binding, path) : FIT_NO_COLUMN;
    if (w->failed)
        free(s.text);
    else if (column != FIT_NO_COLUMN && good)
        json_add_value(w, &p, path, column, &s);
    else if (column != FIT_NO_COLUMN) {
        fit_refuse_type(&w->binding, column, path, json_property_text(&p));
        free(s.text);
    } else if (fit_binds_inside(&w->binding, path) && good && p.object && deep < JSON_W_DEEP)
        json_add_object(w, p.schema, path, &s, deep);
    else
        json_add_without(w, schema, &p, path, &s, name);
}

/* Refuses properties that are required, but not described. */
static void json_check_required(struct json_writer *w, const json_t *object, const char *outer)
{
    const json_t *names = json_object_get(object, "required");
    for (size_t i = 0; i < json_array_size(names) && !w->failed; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!name || json_object_get(json_object_get(object, "properties"), name)) continue;
        const char *path = fit_path(&w->binding, outer, name);
        w->failed |= !path;
        if (path)
            fit_fault(w->binding.faults,
                      "field '%.200s' is required, but \"properties\" does not have it: add it "
                      "there",
                      path);
    }
}

static void json_add_members(struct json_writer *w, const json_t *object, const char *path,
                             int deep)
{
    json_check_required(w, object, path);
    json_t *properties = json_object_get(object, "properties");
    for (void *i = json_object_iter(properties); i && !w->failed;
         i = json_object_iter_next(properties, i))
        json_add_member(w, object, path, json_object_iter_key(i), json_object_iter_value(i), deep);
}

/* ---- writers ---- */

void json_writer_free(struct json_writer *w)
{
    if (!w) return;
    for (uint32_t i = 0; i < w->n; i++)
        free(w->step[i].text);
    fit_binding_close(&w->binding);
    json_decref(w->schema);
    free(w->step);
    free(w);
}

/* Reads the schema and adds its steps. */
static void json_writer_read(struct json_writer *w, const char *text, size_t n,
                             struct fit_faults *faults)
{
    json_error_t error;
    struct json_property root = {.schema = NULL};
    w->schema = json_loadb(text, n, 0, &error);
    if (!w->schema) {
        fit_fault(faults, "the schema is not JSON: line %d: %s", error.line, error.text);
        return;
    }
    bool good = json_read_property(w, w->schema, 0, &root);
    if (!good || !root.object || !json_object_get(root.schema, "properties")) {
        fit_fault(faults, "it is not the schema of an object: its \"type\" must be \"object\", and "
                          "it must have \"properties\"");
        return;
    }
    json_add_members(w, root.schema, "", 0);
    json_add_step(w, &(struct json_write_step){.kind = JSON_W_END});
    if (!w->failed) fit_check_columns(&w->binding);
    if (w->failed) fit_no_memory(faults);
}

struct json_writer *json_writer_new(const char *schema, size_t n, const struct fit_column *column,
                                    uint32_t n_columns, struct fit_faults *faults)
{
    uint32_t before = faults->n;
    struct json_writer *w = calloc(1, sizeof *w);
    if (!w)
        fit_no_memory(faults);
    else if (fit_binding_open(&w->binding, column, n_columns, faults))
        json_writer_read(w, schema, n, faults);
    if (w) w->binding.faults = NULL;
    if (faults->n == before) return w;
    json_writer_free(w);
    return NULL;
}

/* ---- records ---- */

static bool json_is_symbol(const json_t *symbols, const struct fit_slice *s)
{
    for (size_t i = 0; i < json_array_size(symbols); i++) {
        const json_t *one = json_array_get(symbols, i);
        if (json_string_length(one) == s->n && json_is_string(one) &&
            !memcmp(json_string_value(one), s->at, s->n))
            return true;
    }
    return false;
}

static uint32_t json_characters(const struct fit_slice *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += ((unsigned char)s->at[i] & 0xc0) != 0x80;
    return n;
}

static enum fit_fault json_write_text(const struct json_write_step *s, const struct fit_value *v,
                                      struct text_out *o)
{
    char made[FIT_TEXT_BYTES];
    struct fit_slice text;
    enum fit_fault fault = fit_text(v, true, made, &text);
    if (fault != FIT_OK) return fault;
    if (s->symbols && !json_is_symbol(s->symbols, &text)) return FIT_NO_SYMBOL;
    if (s->shortest || s->longest < UINT32_MAX) {
        uint32_t n = json_characters(&text);
        if (n < s->shortest || n > s->longest) return FIT_SIZE;
    }
    text_json(o, text.at, text.n);
    return FIT_OK;
}

static bool json_is_within(const struct json_write_step *s, double x)
{
    return (s->above ? x > s->min : x >= s->min) && (s->below ? x < s->max : x <= s->max);
}

/* Writes a number: whole ones in all their digits. */
static enum fit_fault json_write_number(const struct json_write_step *s, const struct fit_column *c,
                                        const struct fit_value *v, struct text_out *o)
{
    int64_t whole;
    double x;
    enum fit_fault fault = v->kind == FIT_REAL && s->type == JSON_W_NUMBER
                               ? FIT_NO_INTEGER
                               : fit_integer(c, v, INT64_MIN, INT64_MAX, &whole);
    if (fault == FIT_OK) {
        if (!json_is_within(s, (double)whole)) return FIT_RANGE;
        text_int(o, whole);
        return FIT_OK;
    }
    if (s->type == JSON_W_INTEGER) return fault;
    fault = fit_real(c, v, false, &x);
    if (fault != FIT_OK) return fault;
    if (!isfinite(x)) return FIT_NOT_FINITE;
    if (!json_is_within(s, x)) return FIT_RANGE;
    text_double(o, x);
    return FIT_OK;
}

static enum fit_fault json_write_value(const struct json_write_step *s, const struct fit_column *c,
                                       const struct fit_value *v, struct text_out *o)
{
    bool yes;
    if (s->type == JSON_W_STRING) return json_write_text(s, v, o);
    if (s->type != JSON_W_BOOLEAN) return json_write_number(s, c, v, o);
    enum fit_fault fault = fit_boolean(v, &yes);
    if (fault == FIT_OK) text_str(o, yes ? "true" : "false");
    return fault;
}

/* Begins a member: a comma unless it is the first one, and its name. */
static void json_begin(const struct json_write_step *s, struct text_out *o)
{
    if (o->n && o->buf[o->n - 1] != '{') text_char(o, ',');
    text_bytes(o, s->text, s->n_text);
}

/* Writes a member that has no value: null, or nothing if it may be left out. */
static enum fit_fault json_write_without(const struct json_write_step *s, size_t before,
                                         struct text_out *o)
{
    if (!s->null && s->required) return FIT_NO_VALUE;
    if (!o->failed) o->n = before;
    if (!s->null) return FIT_OK;
    json_begin(s, o);
    text_str(o, "null");
    return FIT_OK;
}

static enum fit_fault json_write_member(const struct json_write_step *s, const struct fit_column *c,
                                        const struct fit_value *v, struct text_out *o)
{
    size_t before = o->n;
    json_begin(s, o);
    enum fit_fault fault = json_write_value(s, c, v, o);
    return fault == FIT_NO_VALUE ? json_write_without(s, before, o) : fault;
}

/* True if a column of the object that begins with step i has a value. */
static bool json_is_there(const struct json_writer *w, uint32_t i, const struct fit_value *value)
{
    for (const struct json_write_step *s = &w->step[i + 1], *end = s + w->step[i].n; s < end; s++)
        if (s->kind == JSON_W_VALUE && value[s->place.column].kind != FIT_MISSING) return true;
    return false;
}

/* Begins the object of step i. Returns the number of steps to leave out, if it has no value. */
static uint32_t json_write_object(const struct json_writer *w, uint32_t i,
                                  const struct fit_value *value, struct text_out *o)
{
    const struct json_write_step *s = &w->step[i];
    if ((s->null || !s->required) && !json_is_there(w, i, value)) {
        json_write_without(s, o->n, o);
        return s->n;
    }
    json_begin(s, o);
    text_char(o, '{');
    return 0;
}

enum fit_fault json_write(const struct json_writer *w, const struct fit_value *value,
                          struct text_out *o, struct fit_place *place)
{
    text_char(o, '{');
    for (uint32_t i = 0; i < w->n; i++) {
        const struct json_write_step *s = &w->step[i];
        enum fit_fault fault = FIT_OK;
        uint32_t c = s->place.column;
        if (s->kind == JSON_W_TEXT)
            json_begin(s, o);
        else if (s->kind == JSON_W_VALUE)
            fault = json_write_member(s, &w->binding.column[c], &value[c], o);
        else if (s->kind == JSON_W_OBJECT)
            i += json_write_object(w, i, value, o);
        else
            text_char(o, '}');
        *place = s->place;
        if (fault != FIT_OK) return fault;
    }
    return FIT_OK;
}

/* ---- schemas of columns ---- */

/* True if the n bytes are letters, digits, _ and -. */
static bool json_is_name(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool letter = (name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z';
        bool digit = name[i] >= '0' && name[i] <= '9';
        if (!letter && !digit && name[i] != '_' && name[i] != '-') return false;
    }
    return n > 0;
}

static void json_write_name(FILE *to, const char *name, size_t n)
{
    char buf[256];
    struct text_out o = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = to};
    text_json(&o, name, n);
    text_flush(&o);
}

static const struct fit_language json_language = {
    .type = {[FIT_BOOLEAN] = "boolean",
             [FIT_INTEGER] = "integer",
             [FIT_REAL] = "number",
             [FIT_TIME] = "string",
             [FIT_TEXT] = "string",
             [FIT_BYTES] = "string"},
    .record = {"{\"title\":\"", "\",\"type\":\"object\",\"additionalProperties\":false,"
                                "\"properties\":{"},
    .record_end = "}}",
    .field = {"", ":"},
    .field_end = "",
    .value = {"{\"type\":[\"null\",\"", "\"]}"},
    .write = json_write_name,
    .is_name = json_is_name,
};

char *json_schema_made(const struct fit_column *column, uint32_t n, const char *name,
                       struct fit_faults *faults)
{
    return fit_schema_made(&json_language, column, n, name, faults);
}
