/* model_dump.c -- `leat model dump`: a snapshot as JSON lines from which model_load.c makes the
 * same bytes again.
 *
 *   {"snapshot": 1, "checkpoint": 4}
 *   {"section": "pipeline", "text": "…"}                       a section that is no state
 *   {"section": "stage/model/0", "stage": "learn.awm", "version": 1}
 *   {"section": "stage/model/0", "field": "width", "type": "u64", "value": 512}
 *   {"section": "stage/model/0", "field": "cells", "type": "f32", "values": [0.25, …]}
 *   {"section": "stage/file/0", "field": "name", "type": "text", "text": "a.csv"}
 *
 * Numbers read back exactly: floats have as many digits as they need, those that JSON has none for
 * (infinite, NaN) are their bits as "0x7f800000"; integers beyond 2^53, which many programs would
 * round, are texts. Texts, and arrays of bytes, are "text" when they are UTF-8, of bytes without
 * control characters, else "hex".
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_model.h"
#include "host/log/json_text.h"
#include "host/store/state_codec.h"
#include "core/bits.h"

static void put_u64(uint64_t v, FILE *out)
{
    fprintf(out, v > UINT64_C(1) << 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, v);
}

static void put_i64(int64_t v, FILE *out)
{
    bool large = v > INT64_C(1) << 53 || v < -(INT64_C(1) << 53);
    fprintf(out, large ? "\"%" PRId64 "\"" : "%" PRId64, v);
}

/* The shortest of the lengths that may be needed, and in JSON never an integer: -0.0 is none. */
static void put_real(double v, int min_digits, int max_digits, bool single, FILE *out)
{
    char text[48];
    for (int digits = min_digits; digits <= max_digits; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = strtod(text, NULL);
        if (single ? (float)back == (float)v : back == v) break;
    }
    fputs(text, out);
    if (!strpbrk(text, ".e")) fputs(".0", out);
}

static void put_f64(double v, FILE *out)
{
    if (isfinite(v))
        put_real(v, 15, 17, false, out);
    else
        fprintf(out, "\"0x%016" PRIx64 "\"", bits_of_double(v));
}

static void put_f32(float v, FILE *out)
{
    if (isfinite(v))
        put_real((double)v, 6, 9, true, out);
    else
        fprintf(out, "\"0x%08" PRIx32 "\"", bits_of_float(v));
}

/* Element i, in this machine's order. */
static void put_element(const struct stored_field *f, uint64_t i, FILE *out)
{
    union {
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } v = {.u64 = 0};
    size_t each = f->element == LEAT_U32 || f->element == LEAT_F32 ? 4 : 8;
    memcpy(&v, f->payload + i * each, each);
    if (f->element == LEAT_U32)
        put_u64(v.u32, out);
    else if (f->element == LEAT_U64)
        put_u64(v.u64, out);
    else if (f->element == LEAT_I64)
        put_i64(v.i64, out);
    else if (f->element == LEAT_F32)
        put_f32(v.f32, out);
    else
        put_f64(v.f64, out);
}

static bool is_plain(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < ' ' || s[i] == 127) return false;
    return true;
}

/* ,"text":"…" or ,"hex":"…" */
static void put_bytes(const char *s, size_t n, bool plain_only, FILE *out)
{
    json_t *text = !plain_only || is_plain(s, n) ? json_stringn(s, n) : NULL;
    if (text) {
        fputs(",\"text\":", out);
        json_dumpf(text, out, JSON_ENCODE_ANY);
        json_decref(text);
        return;
    }
    fputs(",\"hex\":\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", (unsigned char)s[i]);
    putc('"', out);
}

static void put_text(const char *s, size_t n, FILE *out)
{
    json_t *text = json_text_n(s, n);
    json_dumpf(text, out, JSON_ENCODE_ANY);
    json_decref(text);
}

static void begin_line(const char *section, FILE *out)
{
    fputs("{\"section\":", out);
    put_text(section, strlen(section), out);
}

static void dump_field(const char *section, const struct stored_field *f, FILE *out)
{
    begin_line(section, out);
    fputs(",\"field\":", out);
    put_text(f->name, f->name_len, out);
    fprintf(out, ",\"type\":\"%s\"", f->text ? "text" : state_element_name(f->element));
    if (f->element == LEAT_U8) {
        put_bytes(f->payload, f->count, !f->text, out);
    } else {
        fputs(f->array ? ",\"values\":[" : ",\"value\":", out);
        for (uint64_t i = 0; i < f->count; i++) {
            if (i) putc(',', out);
            put_element(f, i, out);
        }
        if (f->array) putc(']', out);
    }
    fputs("}\n", out);
}

static int dump_state(struct model *m, const struct snapshot_section *s, FILE *out)
{
    struct state_reader r;
    int status = state_reader_init(&r, s->bytes, s->n);
    if (status != LEAT_OK) {
        model_fail(m, status, "section %s: %s", s->name, r.error);
    } else {
        begin_line(s->name, out);
        fputs(",\"stage\":", out);
        put_text(r.stage, strlen(r.stage), out);
        fprintf(out, ",\"version\":%u}\n", r.version);
        for (uint32_t i = 0; i < r.n_fields; i++)
            dump_field(s->name, &r.field[i], out);
    }
    state_reader_free(&r);
    return status;
}

static int dump_section(struct model *m, const struct snapshot_section *s, FILE *out)
{
    if (s->n >= 8 && !memcmp(s->bytes, "leatSTAT", 8)) return dump_state(m, s, out);
    begin_line(s->name, out);
    put_bytes(s->bytes, s->n, false, out);
    fputs("}\n", out);
    return LEAT_OK;
}

/* Is it stage/ID/… or host/ID/…? */
static bool is_of(const struct snapshot_section *s, const char *id)
{
    const char *slash = strchr(s->name, '/');
    size_t n = strlen(id);
    return slash && !strncmp(slash + 1, id, n) && slash[1 + n] == '/' &&
           !strchr(slash + n + 2, '/');
}

int model_dump(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK && c->stage && !model_find(&m, c->stage)) status = LEAT_EARG;
    if (status == LEAT_OK)
        printf("{\"snapshot\":%d,\"checkpoint\":%" PRIu64 "}\n", SNAPSHOT_FORMAT,
               m.from.checkpoint);
    for (uint32_t i = 0; i < m.from.n && status == LEAT_OK; i++)
        if (!c->stage || is_of(&m.from.section[i], c->stage))
            status = dump_section(&m, &m.from.section[i], stdout);
    model_close(&m);
    return status;
}
