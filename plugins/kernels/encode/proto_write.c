/* proto_write.c -- implementation of proto_write.h. */
#include "proto_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "core/le.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_EIGHT = 1, PROTO_LENGTH = 2, PROTO_FOUR = 5 };
enum { PROTO_VARINT_BYTES = 10, PROTO_NESTED = 32 };

struct proto_step {
    const struct proto_field *field;
    struct fit_place place;
    uint32_t n; /* messages: number of the steps behind this one that belong to it; 0: a value */
};

struct proto_writer {
    struct fit_binding binding;
    struct proto_step *step;
    uint32_t n, cap;
    bool failed; /* there was not enough memory */
};

/* ---- fields ---- */

/* True if a field of this type takes the values of a column. */
static bool proto_suits(enum proto_type type, enum fit_kind kind)
{
    static const uint8_t number[FIT_KINDS] = {[FIT_INTEGER] = 1, [FIT_REAL] = 1, [FIT_TEXT] = 1};
    switch (type) {
    case PROTO_BOOL:
        return number[kind] || kind == FIT_BOOLEAN;
    case PROTO_STRING:
        return true;
    case PROTO_BYTES:
        return kind == FIT_TEXT || kind == FIT_BYTES;
    case PROTO_TIMESTAMP:
        return kind == FIT_TIME || kind == FIT_TEXT;
    case PROTO_ENUM:
        return kind == FIT_INTEGER || kind == FIT_TEXT;
    default:
        return type < PROTO_BOOL && number[kind];
    }
}

static void proto_add_step(struct proto_writer *w, const struct proto_step *step)
{
    if (w->n == w->cap) {
        uint32_t cap = w->cap ? 2 * w->cap : 16;
        struct proto_step *grown = realloc(w->step, cap * sizeof *grown);
        w->failed |= !grown;
        if (!grown) return;
        w->step = grown;
        w->cap = cap;
    }
    w->step[w->n++] = *step;
}

static const char *proto_type_text(const struct proto_field *f)
{
    return f->repeated ? "repeated" : proto_type_names[f->type];
}

static void proto_bind_message(struct proto_writer *w, const struct proto_message *m,
                               const char *path, int deep);

static void proto_bind_field(struct proto_writer *w, const struct proto_field *f, const char *outer,
                             bool *chosen, int deep)
{
    const char *path = fit_path(&w->binding, outer, f->name);
    uint32_t column = path ? fit_bind(&w->binding, path) : FIT_NO_COLUMN, at = w->n;
    struct proto_step s = {f, {path, proto_type_text(f), column}, 0};
    w->failed |= !path;
    if (!path) return;
    if (column != FIT_NO_COLUMN) {
        bool again = f->oneof && *chosen;
        if (again || f->repeated || !proto_suits(f->type, w->binding.column[column].kind))
            fit_refuse_type(&w->binding, column, path,
                            again ? "a second one of its oneof" : s.place.type);
        else
            proto_add_step(w, &s);
        *chosen = true;
    } else if (f->type == PROTO_MESSAGE && !f->repeated && deep < PROTO_NESTED &&
               fit_binds_inside(&w->binding, path)) {
        proto_add_step(w, &s);
        proto_bind_message(w, f->message, path, deep + 1);
        if (!w->failed) w->step[at].n = w->n - at - 1;
        *chosen = true;
    } else if (f->presence == PROTO_REQUIRED)
        fit_refuse_field(&w->binding, path, s.place.type, " and is required");
}

static void proto_bind_message(struct proto_writer *w, const struct proto_message *m,
                               const char *path, int deep)
{
    bool *chosen = calloc(m->n_oneofs + (size_t)1, sizeof *chosen); /* oneofs that have a column */
    w->failed |= !chosen;
    for (uint32_t i = 0; i < m->n && !w->failed; i++)
        proto_bind_field(w, &m->field[i], path, &chosen[m->field[i].oneof], deep);
    free(chosen);
}

/* ---- writers ---- */

void proto_writer_free(struct proto_writer *w)
{
    if (!w) return;
    fit_binding_close(&w->binding);
    free(w->step);
    free(w);
}

struct proto_writer *proto_writer_new(const struct proto_message *m,
                                      const struct fit_column *column, uint32_t n,
                                      struct fit_faults *faults)
{
    uint32_t before = faults->n;
    struct proto_writer *w = calloc(1, sizeof *w);
    if (!w)
        fit_no_memory(faults);
    else if (fit_binding_open(&w->binding, column, n, faults)) {
        proto_bind_message(w, m, "", 0);
        if (w->failed)
            fit_no_memory(faults);
        else
            fit_check_columns(&w->binding);
        w->binding.faults = NULL;
    }
    if (faults->n == before) return w;
    proto_writer_free(w);
    return NULL;
}

/* ---- bytes ---- */

static uint32_t proto_varint(uint64_t x, uint8_t to[PROTO_VARINT_BYTES])
{
    uint32_t n = 0;
    for (; x >= 0x80; x >>= 7)
        to[n++] = (uint8_t)(x | 0x80);
    to[n++] = (uint8_t)x;
    return n;
}

static void proto_put_varint(struct text_out *o, uint64_t x)
{
    uint8_t bytes[PROTO_VARINT_BYTES];
    text_bytes(o, (const char *)bytes, proto_varint(x, bytes));
}

static void proto_put_tag(struct text_out *o, const struct proto_field *f, enum proto_wire wire)
{
    proto_put_varint(o, (uint64_t)f->number << 3 | wire);
}

static void proto_put_fixed(struct text_out *o, const struct proto_field *f, uint64_t bits,
                            uint32_t n)
{
    uint8_t bytes[8];
    le_put(bytes, bits, n);
    proto_put_tag(o, f, n == 8 ? PROTO_EIGHT : PROTO_FOUR);
    text_bytes(o, (const char *)bytes, n);
}

/* Puts the length of the bytes from `at` on before them. */
static void proto_close(struct text_out *o, size_t at)
{
    uint8_t bytes[PROTO_VARINT_BYTES];
    if (o->failed) return;
    size_t length = o->n - at;
    uint32_t n = proto_varint(length, bytes);
    text_bytes(o, (const char *)bytes, n);
    if (o->failed) return;
    memmove(o->buf + at + n, o->buf + at, length);
    memcpy(o->buf + at, bytes, n);
}

/* True if the field is written as nothing because its value is the default. */
static bool proto_is_default(const struct proto_field *f, bool is_zero)
{
    return is_zero && f->presence == PROTO_IMPLICIT;
}

/* ---- values ---- */

static enum fit_fault proto_write_real(const struct proto_field *f, const struct fit_column *c,
                                       const struct fit_value *v, struct text_out *o)
{
    double x;
    bool single = f->type == PROTO_FLOAT;
    enum fit_fault fault = fit_real(c, v, single, &x);
    if (fault != FIT_OK) return fault;
    uint64_t bits = single ? bits_of_float((float)x) : bits_of_double(x);
    if (!proto_is_default(f, !bits)) proto_put_fixed(o, f, bits, single ? 4 : 8);
    return FIT_OK;
}

/* Range of a whole number. Numbers from 2^63 on come from no column. */
static void proto_range(enum proto_type type, int64_t *min, int64_t *max)
{
    bool is_unsigned = type == PROTO_UINT32 || type == PROTO_UINT64 || type == PROTO_FIXED32 ||
                       type == PROTO_FIXED64;
    bool wide = type == PROTO_INT64 || type == PROTO_UINT64 || type == PROTO_SINT64 ||
                type == PROTO_FIXED64 || type == PROTO_SFIXED64;
    *min = is_unsigned ? 0 : wide ? INT64_MIN : INT32_MIN;
    *max = wide ? INT64_MAX : is_unsigned ? UINT32_MAX : INT32_MAX;
}

static void proto_put_integer(struct text_out *o, const struct proto_field *f, int64_t x)
{
    switch (f->type) {
    case PROTO_FIXED32:
    case PROTO_SFIXED32:
        proto_put_fixed(o, f, (uint32_t)x, 4);
        return;
    case PROTO_FIXED64:
    case PROTO_SFIXED64:
        proto_put_fixed(o, f, (uint64_t)x, 8);
        return;
    default:
        proto_put_tag(o, f, PROTO_VARINT);
        proto_put_varint(o, f->type == PROTO_SINT32 || f->type == PROTO_SINT64
                                ? (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0)
                                : (uint64_t)x);
    }
}

static enum fit_fault proto_write_integer(const struct proto_field *f, const struct fit_column *c,
                                          const struct fit_value *v, struct text_out *o)
{
    int64_t x, min, max;
    proto_range(f->type, &min, &max);
    enum fit_fault fault = fit_integer(c, v, min, max, &x);
    if (fault == FIT_OK && !proto_is_default(f, !x)) proto_put_integer(o, f, x);
    return fault;
}

static enum fit_fault proto_write_symbol(const struct proto_field *f, const struct fit_column *c,
                                         const struct fit_value *v, struct text_out *o)
{
    const struct proto_enum *e = f->symbols;
    if (v->kind != FIT_TEXT) return proto_write_integer(f, c, v, o);
    if (!v->n) return FIT_NO_VALUE;
    for (uint32_t i = 0; i < e->n; i++) {
        const char *name = e->symbol[i].name;
        if (strlen(name) != v->n || memcmp(name, v->is.text, v->n) != 0) continue;
        if (!proto_is_default(f, !e->symbol[i].number))
            proto_put_integer(o, f, e->symbol[i].number);
        return FIT_OK;
    }
    /* Takes a number without a name, as parse.protobuf shows it. */
    if (proto_write_integer(f, c, v, o) == FIT_OK) return FIT_OK;
    return FIT_NO_SYMBOL;
}

static enum fit_fault proto_write_text(const struct proto_field *f, const struct fit_value *v,
                                       struct text_out *o)
{
    char made[FIT_TEXT_BYTES];
    struct fit_slice s;
    enum fit_fault fault = fit_text(v, f->type == PROTO_STRING, made, &s);
    if (fault != FIT_OK || proto_is_default(f, !s.n)) return fault;
    proto_put_tag(o, f, PROTO_LENGTH);
    proto_put_varint(o, s.n);
    text_bytes(o, s.at, s.n);
    return FIT_OK;
}

/* Writes a google.protobuf.Timestamp: seconds and ns. */
static enum fit_fault proto_write_time(const struct proto_field *f, const struct fit_column *c,
                                       const struct fit_value *v, struct text_out *o)
{
    static const struct proto_field seconds = {.number = 1, .type = PROTO_INT64};
    static const struct proto_field ns = {.number = 2, .type = PROTO_INT32};
    int64_t second;
    int32_t rest;
    enum fit_fault fault = fit_instant(c, v, &second, &rest);
    if (fault != FIT_OK) return fault;
    proto_put_tag(o, f, PROTO_LENGTH);
    size_t at = o->n;
    if (second) proto_put_integer(o, &seconds, second);
    if (rest) proto_put_integer(o, &ns, rest);
    proto_close(o, at);
    return FIT_OK;
}

static enum fit_fault proto_write_value(const struct proto_field *f, const struct fit_column *c,
                                        const struct fit_value *v, struct text_out *o)
{
    bool yes;
    enum fit_fault fault;
    switch (f->type) {
    case PROTO_DOUBLE:
    case PROTO_FLOAT:
        return proto_write_real(f, c, v, o);
    case PROTO_BOOL:
        fault = fit_boolean(v, &yes);
        if (fault == FIT_OK && !proto_is_default(f, !yes)) proto_put_integer(o, f, yes);
        return fault;
    case PROTO_STRING:
    case PROTO_BYTES:
        return proto_write_text(f, v, o);
    case PROTO_TIMESTAMP:
        return proto_write_time(f, c, v, o);
    case PROTO_ENUM:
        return proto_write_symbol(f, c, v, o);
    default:
        return proto_write_integer(f, c, v, o);
    }
}

/* ---- messages ---- */

/* True if a column of the message of step i has a value. */
static bool proto_is_there(const struct proto_writer *w, uint32_t i, const struct fit_value *value)
{
    for (const struct proto_step *s = &w->step[i + 1], *end = s + w->step[i].n; s < end; s++)
        if (!s->n && value[s->place.column].kind != FIT_MISSING) return true;
    return false;
}

/* Message that is being written. */
struct proto_frame {
    uint32_t end; /* step behind its last one */
    size_t at;    /* first byte in the output */
};

static enum fit_fault proto_write_step(const struct proto_writer *w, const struct proto_step *s,
                                       const struct fit_value *value, struct text_out *o)
{
    uint32_t c = s->place.column;
    enum fit_fault fault = proto_write_value(s->field, &w->binding.column[c], &value[c], o);
    return fault == FIT_NO_VALUE && s->field->presence == PROTO_OPTIONAL ? FIT_OK : fault;
}

enum fit_fault proto_write(const struct proto_writer *w, const struct fit_value *value,
                           struct text_out *o, struct fit_place *place)
{
    struct proto_frame frame[PROTO_NESTED + 1];
    uint32_t deep = 0;
    for (uint32_t i = 0; i < w->n || deep;) {
        const struct proto_step *s = &w->step[i];
        if (deep && i == frame[deep - 1].end) {
            proto_close(o, frame[--deep].at);
            continue;
        }
        *place = s->place;
        i++;
        if (!s->n) {
            enum fit_fault fault = proto_write_step(w, s, value, o);
            if (fault != FIT_OK) return fault;
        } else if (!proto_is_there(w, i - 1, value) && s->field->presence != PROTO_REQUIRED)
            i += s->n;
        else {
            proto_put_tag(o, s->field, PROTO_LENGTH);
            frame[deep++] = (struct proto_frame){i + s->n, o->n};
        }
    }
    return FIT_OK;
}

uint32_t proto_indexes(const struct proto_message *m, char to[PROTO_INDEXES])
{
    if (!m->index) { /* short for [0] */
        to[0] = 0;
        return 1;
    }
    to[0] = 2; /* one index, in zigzag */
    return 1 + proto_varint((uint64_t)m->index << 1, (uint8_t *)to + 1);
}

/* ---- schemas of columns ---- */

static bool proto_is_name(const char *name)
{
    for (size_t i = 0; name[i]; i++) {
        bool letter = (name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z';
        if (!letter && !(i && (name[i] == '_' || (name[i] >= '0' && name[i] <= '9')))) return false;
    }
    return *name;
}

char *proto_schema_made(const struct fit_column *column, uint32_t n, const char *name,
                        struct fit_faults *faults)
{
    static const char *const type[FIT_KINDS] = {
        [FIT_BOOLEAN] = "bool", [FIT_INTEGER] = "int64",
        [FIT_REAL] = "double",  [FIT_TIME] = "google.protobuf.Timestamp",
        [FIT_TEXT] = "string",  [FIT_BYTES] = "bytes"};
    char *text = NULL;
    size_t bytes;
    uint32_t before = faults->n;
    bool times = false;
    FILE *to = open_memstream(&text, &bytes);
    for (uint32_t i = 0; i < n; i++)
        times |= column[i].kind == FIT_TIME;
    if (to)
        fprintf(to, "syntax = \"proto3\";\n%smessage %s {\n",
                times ? "import \"google/protobuf/timestamp.proto\";\n" : "", name);
    for (uint32_t i = 0; to && i < n; i++) {
        const char *shown = fit_column_shown(&column[i]);
        if (!proto_is_name(column[i].name))
            fit_fault(faults,
                      "column '%.200s' cannot be a field, because names in Protocol Buffers have "
                      "letters, digits and _ only: write \"NAME=%.200s\" in `columns`, or give "
                      "`schema`",
                      shown, shown);
        uint32_t number = i + 1 < 19000 ? i + 1 : i + 1001; /* skips reserved ones */
        fprintf(to, "  optional %s %s = %u;\n", type[column[i].kind], column[i].name, number);
    }
    if (to) fputs("}\n", to);
    if (!to || fclose(to)) fit_no_memory(faults);
    if (faults->n == before) return text;
    free(text);
    return NULL;
}
