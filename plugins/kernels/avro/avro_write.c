/* avro_write.c -- implementation of avro_write.h. */
#include "avro_write.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "core/le.h"

enum avro_step_kind {
    AVRO_STEP_BYTES, /* bytes that are the same in all records */
    AVRO_STEP_VALUE, /* the value of a column */
    AVRO_STEP_RECORD /* the branch of a record in a union; its steps follow */
};

struct avro_step {
    enum avro_step_kind kind;
    const struct avro_type *type; /* VALUE */
    struct fit_place place;       /* VALUE */
    int32_t branch, none;         /* branches of a union: of the value, of null; -1: none */
    uint32_t at, n; /* BYTES: in writer.bytes; RECORD: number of the steps that belong to it */
};

enum { AVRO_DEFAULTS_DEEP = 64 /* most defaults in each other */, AVRO_FIELDS = 100000 };

struct avro_writer {
    struct fit_binding binding;
    struct avro_step *step;
    uint32_t n, cap;
    uint8_t *bytes;
    uint32_t n_bytes, cap_bytes;
    bool joins;        /* bytes may be added to the last step */
    uint32_t n_fields; /* fields and defaults so far */
    bool failed;       /* there was not enough memory, or too_large */
    bool too_large;    /* there are too many fields */
};

/* ---- types ---- */

static const char *avro_type_text(const struct avro_type *t)
{
    static const char *const kind[] = {"null",   "boolean", "int",    "long",  "float",
                                       "double", "bytes",   "string", "fixed", "enum",
                                       "record", "array",   "map",    "union"};
    static const char *const logical[] = {[AVRO_DECIMAL] = "decimal",
                                          [AVRO_BIG_DECIMAL] = "big-decimal",
                                          [AVRO_DURATION] = "duration",
                                          [AVRO_UUID] = "fixed uuid",
                                          [AVRO_UUID_TEXT] = "uuid",
                                          [AVRO_DATE] = "date",
                                          [AVRO_TIME] = "time of day",
                                          [AVRO_TIMESTAMP] = "timestamp",
                                          [AVRO_LOCAL_TIMESTAMP] = "local timestamp"};
    return t->logical ? logical[t->logical] : kind[t->kind];
}

/* How well a type suits the values of a column, by fit_kind; 0: it does not take them. Of the
 * branches of a union the one that suits best is written. */
typedef uint8_t avro_suits_kind[FIT_KINDS];

static const uint8_t *avro_suits_of(const struct avro_type *t)
{
    /*                                     missing boolean integer real time text bytes */
    static const avro_suits_kind
        none = {0},
        kind[] = {[AVRO_BOOLEAN] = {0, 9, 1, 1, 0, 2, 0}, [AVRO_INT] = {0, 0, 7, 3, 0, 3, 0},
                  [AVRO_LONG] = {0, 0, 8, 4, 0, 4, 0},    [AVRO_FLOAT] = {0, 0, 4, 7, 0, 5, 0},
                  [AVRO_DOUBLE] = {0, 0, 5, 8, 0, 6, 0},  [AVRO_BYTES] = {0, 0, 0, 0, 0, 7, 9},
                  [AVRO_STRING] = {0, 2, 2, 2, 4, 9, 2},  [AVRO_FIXED] = {0, 0, 0, 0, 0, 1, 8},
                  [AVRO_ENUM] = {0, 0, 0, 0, 0, 8, 0},    [AVRO_UNION] = {0}};
    static const avro_suits_kind logical[] = {
        [AVRO_DECIMAL] = {0, 0, 6, 6, 0, 4, 0},   [AVRO_UUID_TEXT] = {0, 0, 0, 0, 0, 9, 0},
        [AVRO_DATE] = {0, 0, 3, 1, 8, 4, 0},      [AVRO_TIME] = {0, 0, 3, 1, 0, 4, 0},
        [AVRO_TIMESTAMP] = {0, 0, 3, 1, 9, 4, 0}, [AVRO_LOCAL_TIMESTAMP] = {0, 0, 3, 1, 0, 4, 0}};
    bool wide = t->logical == AVRO_DECIMAL && t->precision > FIT_DECIMAL_DIGITS;
    return wide ? none : t->logical ? logical[t->logical] : kind[t->kind];
}

/* Returns the branch of a union that suits a column best, and t itself if it is no union. Sets
 * *none to the branch of null; -1: there is none. Returns NULL if no branch suits. */
static const struct avro_type *avro_branch_for(const struct avro_type *t, enum fit_kind kind,
                                               struct avro_step *s)
{
    const struct avro_type *best = NULL;
    if (t->kind != AVRO_UNION) return avro_suits_of(t)[kind] ? t : NULL;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct avro_type *branch = t->member[i].type;
        if (branch->kind == AVRO_NULL) s->none = (int32_t)i;
        if (avro_suits_of(branch)[kind] <= (best ? avro_suits_of(best)[kind] : 0)) continue;
        best = branch;
        s->branch = (int32_t)i;
    }
    return best;
}

/* Returns the record that the type is, or that is the only branch of it beside null. */
static const struct avro_type *avro_record_in(const struct avro_type *t, struct avro_step *s)
{
    const struct avro_type *record = NULL;
    if (t->kind == AVRO_RECORD) return t;
    for (uint32_t i = 0; t->kind == AVRO_UNION && i < t->n; i++) {
        const struct avro_type *branch = t->member[i].type;
        if (branch->kind == AVRO_NULL) {
            s->none = (int32_t)i;
            continue;
        }
        if (record || branch->kind != AVRO_RECORD) return NULL;
        record = branch;
        s->branch = (int32_t)i;
    }
    return record;
}

/* ---- the bytes of values ---- */

enum { AVRO_VARINT = 10 /* most bytes of an integer */ };

static uint32_t avro_varint(int64_t x, uint8_t to[AVRO_VARINT])
{
    uint64_t bits = (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);
    uint32_t n = 0;
    for (; bits >= 0x80; bits >>= 7)
        to[n++] = (uint8_t)(bits | 0x80);
    to[n++] = (uint8_t)bits;
    return n;
}

static void avro_put_integer(struct text_out *o, int64_t x)
{
    uint8_t bytes[AVRO_VARINT];
    text_bytes(o, (const char *)bytes, avro_varint(x, bytes));
}

static uint32_t avro_real_bytes(const struct avro_type *t, double x, uint8_t to[8])
{
    bool whole = t->kind == AVRO_DOUBLE;
    le_put(to, whole ? bits_of_double(x) : bits_of_float((float)x), whole ? 8 : 4);
    return whole ? 8 : 4;
}

/* ---- steps ---- */

/* Counts a field or default. Types that hold each other can make exponentially many of them.
 * Returns false if they are too many. */
static bool avro_count(struct avro_writer *w)
{
    w->too_large |= ++w->n_fields > AVRO_FIELDS;
    w->failed |= w->too_large;
    return !w->failed;
}

static void avro_add_step(struct avro_writer *w, const struct avro_step *step)
{
    if (w->n == w->cap) {
        uint32_t cap = w->cap ? 2 * w->cap : 16;
        struct avro_step *grown = realloc(w->step, cap * sizeof *grown);
        w->failed |= !grown;
        if (!grown) return;
        w->step = grown;
        w->cap = cap;
    }
    w->joins = step->kind == AVRO_STEP_BYTES;
    w->step[w->n++] = *step;
}

/* Appends bytes to those that are the same in all records. */
static void avro_add_bytes(struct avro_writer *w, const void *bytes, uint32_t n)
{
    if (w->n_bytes + n > w->cap_bytes) {
        uint32_t cap = 2 * (w->n_bytes + n);
        uint8_t *grown = realloc(w->bytes, cap);
        w->failed |= !grown;
        if (!grown) return;
        w->bytes = grown;
        w->cap_bytes = cap;
    }
    if (!w->joins) avro_add_step(w, &(struct avro_step){.kind = AVRO_STEP_BYTES, .at = w->n_bytes});
    if (w->failed || !n) return;
    memcpy(w->bytes + w->n_bytes, bytes, n);
    w->n_bytes += n;
    w->step[w->n - 1].n += n;
}

static void avro_add_integer(struct avro_writer *w, int64_t x)
{
    uint8_t bytes[AVRO_VARINT] = {0};
    avro_add_bytes(w, bytes, avro_varint(x, bytes));
}

/* ---- defaults ---- */

/* Adds the bytes of a default. Returns false if it does not fit the type. */
static bool avro_add_default(struct avro_writer *w, const struct avro_type *t, const json_t *json,
                             int deep);

static bool avro_default_integer(struct avro_writer *w, const struct avro_type *t,
                                 const json_t *json)
{
    json_int_t x = json_integer_value(json);
    if (!json_is_integer(json)) return false;
    if (t->kind == AVRO_INT && (x < INT32_MIN || x > INT32_MAX)) return false;
    avro_add_integer(w, x);
    return true;
}

/* Adds bytes, which JSON writes as a text of the characters U+0000 to U+00FF. */
static bool avro_default_bytes(struct avro_writer *w, const struct avro_type *t, const json_t *json)
{
    const uint8_t *text = (const uint8_t *)json_string_value(json);
    size_t n = json_string_length(json), at = 0;
    uint32_t bytes = 0;
    if (!text) return false;
    for (size_t i = 0; i < n; i++)
        bytes += (text[i] & 0xc0) != 0x80;
    if (t->kind == AVRO_FIXED && bytes != t->n) return false;
    if (t->kind == AVRO_BYTES) avro_add_integer(w, bytes);
    while (at < n) {
        uint32_t c = text[at] < 0x80 ? text[at] : (text[at] & 3u) << 6 | (text[at + 1] & 0x3fu);
        if (text[at] > 0xc3) return false;
        at += text[at] < 0x80 ? 1 : 2;
        avro_add_bytes(w, &(uint8_t){(uint8_t)c}, 1);
    }
    return true;
}

static bool avro_default_text(struct avro_writer *w, const json_t *json)
{
    if (!json_is_string(json)) return false;
    avro_add_integer(w, (int64_t)json_string_length(json));
    avro_add_bytes(w, json_string_value(json), (uint32_t)json_string_length(json));
    return true;
}

static bool avro_default_symbol(struct avro_writer *w, const struct avro_type *t,
                                const json_t *json)
{
    const char *text = json_string_value(json);
    for (uint32_t i = 0; text && i < t->n; i++)
        if (!strcmp(t->symbol[i], text)) return avro_add_integer(w, i), true;
    return false;
}

static bool avro_default_array(struct avro_writer *w, const struct avro_type *t, const json_t *json,
                               int deep)
{
    size_t n = json_array_size(json);
    if (!json_is_array(json)) return false;
    if (n) avro_add_integer(w, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        if (!avro_add_default(w, t->member[0].type, json_array_get(json, i), deep)) return false;
    avro_add_integer(w, 0);
    return true;
}

static bool avro_default_map(struct avro_writer *w, const struct avro_type *t, const json_t *json,
                             int deep)
{
    if (!json_is_object(json)) return false;
    if (json_object_size(json)) avro_add_integer(w, (int64_t)json_object_size(json));
    for (void *i = json_object_iter((json_t *)(uintptr_t)json); i;
         i = json_object_iter_next((json_t *)(uintptr_t)json, i)) {
        const char *key = json_object_iter_key(i);
        avro_add_integer(w, (int64_t)strlen(key));
        avro_add_bytes(w, key, (uint32_t)strlen(key));
        if (!avro_add_default(w, t->member[0].type, json_object_iter_value(i), deep)) return false;
    }
    avro_add_integer(w, 0);
    return true;
}

static bool avro_default_record(struct avro_writer *w, const struct avro_type *t,
                                const json_t *json, int deep)
{
    if (!json_is_object(json)) return false;
    for (uint32_t i = 0; i < t->n; i++) {
        const json_t *value = json_object_get(json, t->member[i].name);
        if (!value) value = t->member[i].def;
        if (!value || !avro_add_default(w, t->member[i].type, value, deep)) return false;
    }
    return true;
}

/* True if JSON of this kind may be a default of the type. */
static bool avro_may_be(const struct avro_type *t, const json_t *json)
{
    switch (t->kind) {
    case AVRO_NULL:
        return json_is_null(json);
    case AVRO_BOOLEAN:
        return json_is_boolean(json);
    case AVRO_INT:
    case AVRO_LONG:
        return json_is_integer(json);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        return json_is_number(json);
    case AVRO_ARRAY:
        return json_is_array(json);
    case AVRO_RECORD:
    case AVRO_MAP:
        return json_is_object(json);
    default:
        return json_is_string(json);
    }
}

static bool avro_default_union(struct avro_writer *w, const struct avro_type *t, const json_t *json,
                               int deep)
{
    uint32_t i = 0;
    while (i < t->n && !avro_may_be(t->member[i].type, json))
        i++;
    if (i == t->n) return false;
    avro_add_integer(w, i);
    return avro_add_default(w, t->member[i].type, json, deep);
}

static bool avro_add_default(struct avro_writer *w, const struct avro_type *t, const json_t *json,
                             int deep)
{
    uint8_t real[8];
    if (++deep > AVRO_DEFAULTS_DEEP || !avro_count(w)) return false;
    if (t->kind == AVRO_UNION) return avro_default_union(w, t, json, deep);
    if (!avro_may_be(t, json)) return false;
    switch (t->kind) {
    case AVRO_NULL:
        return true;
    case AVRO_BOOLEAN:
        avro_add_bytes(w, &(uint8_t){json_is_true(json)}, 1);
        return true;
    case AVRO_INT:
    case AVRO_LONG:
        return avro_default_integer(w, t, json);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        if (t->kind == AVRO_FLOAT && fabs(json_number_value(json)) > (double)FLT_MAX) return false;
        avro_add_bytes(w, real, avro_real_bytes(t, json_number_value(json), real));
        return true;
    case AVRO_STRING:
        return avro_default_text(w, json);
    case AVRO_ENUM:
        return avro_default_symbol(w, t, json);
    case AVRO_ARRAY:
        return avro_default_array(w, t, json, deep);
    case AVRO_MAP:
        return avro_default_map(w, t, json, deep);
    case AVRO_RECORD:
        return avro_default_record(w, t, json, deep);
    default:
        return avro_default_bytes(w, t, json);
    }
}

/* ---- fields ---- */

static void avro_add_record(struct avro_writer *w, const struct avro_type *t, const char *path);

static void avro_add_value(struct avro_writer *w, const struct avro_type *t, const char *path,
                           uint32_t column)
{
    struct avro_step s = {.kind = AVRO_STEP_VALUE, .branch = -1, .none = -1};
    s.type = avro_branch_for(t, w->binding.column[column].kind, &s);
    if (!s.type) {
        fit_refuse_type(&w->binding, column, path, avro_type_text(t));
        return;
    }
    s.place = (struct fit_place){path, avro_type_text(s.type), column};
    avro_add_step(w, &s);
}

/* Adds a record in a record, which has columns. */
static void avro_add_inner(struct avro_writer *w, const struct avro_type *t, const char *path)
{
    struct avro_step s = {.kind = AVRO_STEP_RECORD, .branch = -1, .none = -1};
    const struct avro_type *record = avro_record_in(t, &s);
    uint32_t at = w->n;
    if (s.none >= 0)
        avro_add_step(w, &s);
    else if (s.branch >= 0)
        avro_add_integer(w, s.branch);
    avro_add_record(w, record, path);
    if (s.none < 0 || w->failed) return;
    w->step[at].n = w->n - at - 1;
    w->joins = false;
}

static int32_t avro_null_branch(const struct avro_type *t)
{
    for (uint32_t i = 0; t->kind == AVRO_UNION && i < t->n; i++)
        if (t->member[i].type->kind == AVRO_NULL) return (int32_t)i;
    return -1;
}

static void avro_add_field(struct avro_writer *w, const struct avro_member *m, const char *outer)
{
    const struct avro_type *t = m->type;
    const char *path = avro_count(w) ? fit_path(&w->binding, outer, m->name) : NULL;
    w->failed |= !path;
    uint32_t column = path ? fit_bind(&w->binding, path) : FIT_NO_COLUMN;
    if (!path || (t->kind == AVRO_NULL && column == FIT_NO_COLUMN)) return;
    if (column != FIT_NO_COLUMN)
        avro_add_value(w, t, path, column);
    else if (fit_binds_inside(&w->binding, path) && avro_record_in(t, &(struct avro_step){.n = 0}))
        avro_add_inner(w, t, path);
    else if (m->def) {
        if (!avro_add_default(w, t, m->def, 0) && !w->failed)
            fit_fault(w->binding.faults, "the default of field '%.200s' (%s) does not fit its type",
                      path, avro_type_text(t));
    } else if (avro_null_branch(t) >= 0)
        avro_add_integer(w, avro_null_branch(t));
    else if (t->kind == AVRO_RECORD)
        avro_add_record(w, t, path);
    else
        fit_refuse_field(&w->binding, path, avro_type_text(t), " and no default");
}

static void avro_add_record(struct avro_writer *w, const struct avro_type *t, const char *path)
{
    for (uint32_t i = 0; i < t->n && !w->failed; i++)
        avro_add_field(w, &t->member[i], path);
}

/* ---- writers ---- */

void avro_writer_free(struct avro_writer *w)
{
    if (!w) return;
    fit_binding_close(&w->binding);
    free(w->step);
    free(w->bytes);
    free(w);
}

struct avro_writer *avro_writer_new(const struct avro_schema *schema,
                                    const struct fit_column *column, uint32_t n,
                                    struct fit_faults *faults)
{
    struct avro_step s = {.branch = -1};
    uint32_t before = faults->n;
    struct avro_writer *w = calloc(1, sizeof *w);
    const struct avro_type *root = avro_record_in(avro_schema_root(schema), &s);
    if (!w || !fit_binding_open(&w->binding, column, n, faults)) {
        if (!w) fit_no_memory(faults);
        avro_writer_free(w);
        return NULL;
    }
    if (!root) fit_fault(faults, "the schema is a union of records: give that of one of them");
    if (root && s.branch >= 0) avro_add_integer(w, s.branch);
    if (root) avro_add_record(w, root, "");
    if (root && !w->failed) fit_check_columns(&w->binding);
    if (w->too_large)
        fit_fault(faults,
                  "the schema's records hold each other and have more than %d fields: give a "
                  "schema whose records repeat less often",
                  AVRO_FIELDS);
    else if (w->failed)
        fit_no_memory(faults);
    w->binding.faults = NULL;
    if (faults->n == before) return w;
    avro_writer_free(w);
    return NULL;
}

/* ---- records ---- */

static enum fit_fault avro_write_text(const struct avro_type *t, const struct fit_value *v,
                                      struct text_out *o)
{
    char made[FIT_TEXT_BYTES];
    struct fit_slice s;
    enum fit_fault fault = fit_text(v, t->kind == AVRO_STRING, made, &s);
    if (fault != FIT_OK) return fault;
    if (t->logical == AVRO_UUID_TEXT && !fit_is_uuid(s.at, s.n))
        return s.n ? FIT_NO_UUID : FIT_NO_VALUE;
    if (t->kind == AVRO_FIXED && s.n != t->n) return FIT_SIZE;
    if (t->kind != AVRO_FIXED) avro_put_integer(o, s.n);
    text_bytes(o, s.at, s.n);
    return FIT_OK;
}

static enum fit_fault avro_write_symbol(const struct avro_type *t, const struct fit_value *v,
                                        struct text_out *o)
{
    if (v->kind == FIT_MISSING) return FIT_NO_VALUE;
    for (uint32_t i = 0; i < t->n; i++)
        if (strlen(t->symbol[i]) == v->n && !memcmp(t->symbol[i], v->is.text, v->n))
            return avro_put_integer(o, i), FIT_OK;
    return v->n ? FIT_NO_SYMBOL : FIT_NO_VALUE;
}

static enum fit_fault avro_write_decimal(const struct avro_type *t, const struct fit_column *c,
                                         const struct fit_value *v, struct text_out *o)
{
    uint8_t bytes[FIT_DECIMAL_BYTES];
    enum fit_fault fault = fit_decimal(c, v, t->precision, t->scale, bytes);
    uint32_t at = 0, sign = bytes[0] & 0x80 ? 0xff : 0;
    if (fault != FIT_OK) return fault;
    while (at < FIT_DECIMAL_BYTES - 1 && bytes[at] == sign && ((bytes[at + 1] ^ sign) & 0x80) == 0)
        at++;
    if (t->kind == AVRO_FIXED && FIT_DECIMAL_BYTES - at > t->n) return FIT_RANGE;
    if (t->kind == AVRO_BYTES) avro_put_integer(o, FIT_DECIMAL_BYTES - at);
    for (uint32_t i = FIT_DECIMAL_BYTES - at; t->kind == AVRO_FIXED && i < t->n; i++)
        text_char(o, (char)sign);
    text_bytes(o, (const char *)bytes + at, FIT_DECIMAL_BYTES - at);
    return FIT_OK;
}

static enum fit_fault avro_write_integer(const struct avro_type *t, const struct fit_column *c,
                                         const struct fit_value *v, struct text_out *o)
{
    int64_t x, min = t->kind == AVRO_INT ? INT32_MIN : INT64_MIN;
    int64_t max = t->kind == AVRO_INT ? INT32_MAX : INT64_MAX;
    enum fit_fault fault =
        t->logical == AVRO_DATE              ? fit_date(c, v, &x)
        : t->logical == AVRO_TIMESTAMP       ? fit_time(c, v, FIT_INSTANT, t->digits, max, &x)
        : t->logical == AVRO_LOCAL_TIMESTAMP ? fit_time(c, v, FIT_LOCAL, t->digits, max, &x)
        : t->logical == AVRO_TIME            ? fit_time(c, v, FIT_OF_DAY, t->digits, max, &x)
                                             : fit_integer(c, v, min, max, &x);
    if (fault == FIT_OK) avro_put_integer(o, x);
    return fault;
}

static enum fit_fault avro_write_value(const struct avro_type *t, const struct fit_column *c,
                                       const struct fit_value *v, struct text_out *o)
{
    uint8_t real[8];
    bool yes;
    double x;
    enum fit_fault fault;
    if (t->logical == AVRO_DECIMAL) return avro_write_decimal(t, c, v, o);
    switch (t->kind) {
    case AVRO_BOOLEAN:
        fault = fit_boolean(v, &yes);
        if (fault == FIT_OK) text_char(o, (char)yes);
        return fault;
    case AVRO_INT:
    case AVRO_LONG:
        return avro_write_integer(t, c, v, o);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        fault = fit_real(c, v, t->kind == AVRO_FLOAT, &x);
        if (fault == FIT_OK) text_bytes(o, (const char *)real, avro_real_bytes(t, x, real));
        return fault;
    case AVRO_ENUM:
        return avro_write_symbol(t, v, o);
    default:
        return avro_write_text(t, v, o);
    }
}

/* Writes a value with its branch, or the branch of null if there is no value. */
static enum fit_fault avro_write_step(const struct avro_step *s, const struct fit_column *c,
                                      const struct fit_value *v, struct text_out *o)
{
    size_t before = o->n;
    if (s->branch >= 0) avro_put_integer(o, s->branch);
    enum fit_fault fault = avro_write_value(s->type, c, v, o);
    if (fault != FIT_NO_VALUE || s->none < 0) return fault;
    if (!o->failed) o->n = before;
    avro_put_integer(o, s->none);
    return FIT_OK;
}

/* True if a column of the record that begins behind step i has a value. */
static bool avro_is_there(const struct avro_writer *w, uint32_t i, const struct fit_value *value)
{
    for (const struct avro_step *s = &w->step[i + 1], *end = s + w->step[i].n; s < end; s++)
        if (s->kind == AVRO_STEP_VALUE && value[s->place.column].kind != FIT_MISSING) return true;
    return false;
}

enum fit_fault avro_write(const struct avro_writer *w, const struct fit_value *value,
                          struct text_out *o, struct fit_place *place)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct avro_step *s = &w->step[i];
        enum fit_fault fault = FIT_OK;
        uint32_t c = s->place.column;
        if (s->kind == AVRO_STEP_BYTES)
            text_bytes(o, (const char *)w->bytes + s->at, s->n);
        else if (s->kind == AVRO_STEP_VALUE)
            fault = avro_write_step(s, &w->binding.column[c], &value[c], o);
        else if (avro_is_there(w, i, value))
            avro_put_integer(o, s->branch);
        else {
            avro_put_integer(o, s->none);
            i += s->n;
        }
        *place = s->place;
        if (fault != FIT_OK) return fault;
    }
    return FIT_OK;
}
