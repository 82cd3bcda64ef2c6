/* fuzz_encode.c -- any bytes as a schema, and as values of columns that are written by it.
 *
 * The columns are a, b and r.x. What a writer has written as Avro is a record for the reader; JSON
 * is an object. The first byte of the input chooses the kind of schema; the next two are its length
 * (little endian). Behind it are the values: a kind, then eight bytes, or a length and a text.
 *
 * sources: plugins/kernels/avro/{avro,avro_fingerprint,avro_plan,avro_schema,avro_write}.c
 *          plugins/kernels/encode/{fit,fit_binding,fit_made,fit_time,json_write}.c
 *          plugins/kernels/encode/{proto_schema,proto_write}.c runtime/core/report/text_out.c
 *          runtime/core/text/{grouped,number_text}.c runtime/core/time/utc.c
 *          plugins/kernels/text/{decimal,json,json_path}.c -ljansson
 */
#include <jansson.h>
#include <stdbool.h>

#include "fuzz.h"
#include "kernels/avro/avro.h"
#include "kernels/avro/avro_write.h"
#include "kernels/encode/json_write.h"
#include "kernels/encode/proto_write.h"

enum { HEAD = 3, COLUMNS = 3, OUT = 1 << 16 };

struct input {
    struct fit_column column[COLUMNS];
    struct fit_value value[COLUMNS];
    const char *schema;
    uint32_t n;
    struct text_out out;
    struct fit_faults faults;
};

static void say(void *to, const char *text) { ++*(uint32_t *)to; }

static int overflow(void *to, const char *bytes, size_t n) { return -1; }

/* Reads a value. Returns the number of its bytes. */
static size_t read_value(const uint8_t *at, size_t n, struct fit_column *c, struct fit_value *v)
{
    *v = (struct fit_value){.kind = FIT_MISSING};
    c->kind = FIT_TEXT;
    if (!n) return 0;
    v->kind = (enum fit_kind)(*at % FIT_KINDS);
    if (v->kind != FIT_MISSING) c->kind = v->kind;
    if (v->kind == FIT_TEXT || v->kind == FIT_BYTES) {
        v->n = n > 1 ? at[1] : 0;
        if (v->n + 2 > n) v->n = 0;
        v->is.text = exactly(at + 2, v->n);
        return v->n + 2;
    }
    if (n > 8) memcpy(&v->is.integer, at + 1, 8);
    if (v->kind == FIT_BOOLEAN) v->is.integer &= 1;
    if (v->kind == FIT_REAL && v->is.real != v->is.real) v->is.real = 0; /* NaN is missing */
    return 9;
}

static void write_avro(struct input *in)
{
    char why[400];
    struct fit_place place;
    struct json_node root = {.child = 0};
    struct json_paths paths = {.node = &root, .n_nodes = 1};
    struct avro_value found;
    uint32_t at;
    const char *field;
    struct avro_schema_text text = {in->schema, in->n};
    struct avro_schema *schema = avro_schema_read(&text, 1, why, sizeof why);
    struct avro_writer *w =
        schema ? avro_writer_new(schema, in->column, COLUMNS, &in->faults) : NULL;
    if (w && avro_write(w, in->value, &in->out, &place) == FIT_OK && !in->out.failed) {
        struct avro_plan *plan = avro_plan_new(schema, &paths);
        struct avro_bytes b = {(const uint8_t *)in->out.buf, (uint32_t)in->out.n};
        enum avro_fault fault = avro_read(plan, b, &found, &at, &field);
        must(fault == AVRO_OK || fault == AVRO_DEEP || fault == AVRO_COUNT);
        avro_plan_free(plan);
    }
    avro_writer_free(w);
    avro_schema_free(schema);
}

static void write_json(struct input *in)
{
    struct fit_place place;
    struct json_writer *w = json_writer_new(in->schema, in->n, in->column, COLUMNS, &in->faults);
    if (w && json_write(w, in->value, &in->out, &place) == FIT_OK && !in->out.failed) {
        json_t *json = json_loadb(in->out.buf, in->out.n, JSON_ALLOW_NUL, NULL);
        must(json_is_object(json));
        json_decref(json);
    }
    json_writer_free(w);
}

static void write_proto(struct input *in)
{
    char why[400];
    struct fit_place place;
    struct proto_text text = {in->schema, in->n};
    struct proto_schema *schema = proto_schema_read(&text, 1, why, sizeof why);
    const struct proto_message *m = schema ? proto_schema_message(schema, NULL) : NULL;
    struct proto_writer *w = m ? proto_writer_new(m, in->column, COLUMNS, &in->faults) : NULL;
    if (w) proto_write(w, in->value, &in->out, &place);
    proto_writer_free(w);
    proto_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char out[OUT];
    static void (*const write[])(struct input *) = {write_avro, write_json, write_proto};
    uint32_t said = 0;
    if (size < HEAD) return 0;
    size_t n = data[1] | (size_t)data[2] << 8, at = HEAD + n;
    if (at > size) return 0;
    struct input in = {.column = {{.name = "a"}, {.name = "b"}, {.name = "r.x"}},
                       .n = (uint32_t)n,
                       .out = {.buf = out, .cap = OUT, .drain = overflow},
                       .faults = {.say = say, .to = &said}};
    char *schema = exactly(data + HEAD, n);
    in.schema = schema;
    for (int i = 0; i < COLUMNS; i++)
        at += read_value(data + at, at < size ? size - at : 0, &in.column[i], &in.value[i]);
    write[data[0] % 3](&in);
    for (int i = 0; i < COLUMNS; i++)
        if (in.value[i].kind == FIT_TEXT || in.value[i].kind == FIT_BYTES)
            free((char *)(uintptr_t)in.value[i].is.text);
    free(schema);
    return 0;
}
