/* avro_lines.c -- implementation of avro_lines.h. */
#include "avro_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/utf8.h"
#include "kernels/avro/value_text.h"
#include "line_out.h"
#include "unpack.h"

enum { MAGIC = 4, SYNC = 16, PIECE = 4096, CODEC = 32, EMPTY_RECORDS = 65536, WHY = 400 };
static const uint8_t magic[MAGIC] = {'O', 'b', 'j', 1};

struct avro_lines {
    size_t limit; /* most bytes of a block, packed or not, and of a line */
    struct grown raw, plain;
    struct line_out line;
    struct avro_schema *schema; /* NULL before the first head */
    unpack *unpack;
    uint8_t sync[SYNC];
    uint64_t records;       /* records of the block that are not returned */
    uint64_t block, record; /* their numbers, for messages */
    bool worked;            /* the last step has changed the state, without bytes */
    bool comma;             /* a comma comes before the next value of the line */
    bool is_wide;           /* a decimal has too many digits */
    struct avro_bytes body; /* the record of the line */
    char why[WHY];
};

void *avro_lines_begin(uint64_t window)
{
    struct avro_lines *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->limit = (size_t)(window / 2);
    line_out_init(&a->line, a->limit);
    return a;
}

void avro_lines_end(void *state)
{
    struct avro_lines *a = state;
    avro_schema_free(a->schema);
    free(a->raw.v);
    free(a->plain.v);
    line_out_free(&a->line);
    free(a);
}

/* Reports damage in the present block. */
__attribute__((format(printf, 3, 4))) static enum outcome
avro_damaged(struct avro_lines *a, struct decoder_step *s, const char *format, ...)
{
    char what[WHY / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (a->block)
        snprintf(a->why, sizeof a->why, "block %llu: %s", (unsigned long long)a->block, what);
    else
        snprintf(a->why, sizeof a->why, "head: %s", what);
    return decoder_damaged(s, a->why);
}

/* ---- lines ---- */

/* Writes bytes that need not be UTF-8 as a text. */
static void write_bytes(struct text_out *o, struct avro_bytes b)
{
    if (utf8_prefix(b.at, b.n) == b.n) {
        text_json(o, (const char *)b.at, b.n);
        return;
    }
    text_char(o, '"');
    for (size_t i = 0; i < b.n; i++) {
        char code[8];
        snprintf(code, sizeof code, "\\u%04x", b.at[i]);
        text_str(o, code);
    }
    text_char(o, '"');
}

static void write_real(struct text_out *o, const struct avro_bytes b, struct avro_value v)
{
    double x = avro_real(b, v);
    char text[VALUE_TEXT_BYTES];
    if (isfinite(x))
        text_bytes(o, text, value_text(b, v, text));
    else
        text_str(o, isnan(x) ? "\"NaN\"" : x > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static void write_single(struct avro_lines *a, struct avro_value v)
{
    const struct avro_type *t = v.type;
    struct text_out *o = &a->line.out;
    char text[VALUE_TEXT_BYTES];
    bool is_number = t->logical == AVRO_PLAIN || t->logical == AVRO_DECIMAL;
    size_t n;
    if (t->kind == AVRO_NULL) {
        text_str(o, "null");
    } else if (t->kind == AVRO_FLOAT || t->kind == AVRO_DOUBLE) {
        write_real(o, a->body, v);
    } else if (t->kind == AVRO_ENUM) {
        const char *symbol = t->symbol[avro_integer(a->body, v)];
        text_json(o, symbol, strlen(symbol));
    } else if (t->kind >= AVRO_BYTES && (t->logical == AVRO_PLAIN || t->kind == AVRO_STRING)) {
        write_bytes(o, avro_slice(a->body, v));
    } else if ((n = value_text(a->body, v, text)) && is_number) {
        text_bytes(o, text, n);
    } else {
        a->is_wide |= !n;
        text_json(o, text, n);
    }
}

/* Adds an event of a record to the line. */
static void avro_lines_tell(void *to, enum avro_event event, struct avro_value v, const char *key,
                            size_t n)
{
    struct avro_lines *a = to;
    struct text_out *o = &a->line.out;
    bool is_array = v.type && v.type->kind == AVRO_ARRAY;
    if (event == AVRO_END) {
        text_char(o, is_array ? ']' : '}');
        a->comma = true;
        return;
    }
    if (a->comma) text_char(o, ',');
    a->comma = event == AVRO_SINGLE;
    if (event == AVRO_BEGIN) text_char(o, is_array ? '[' : '{');
    if (event == AVRO_SINGLE) write_single(a, v);
    if (event != AVRO_KEY) return;
    text_json(o, key, n);
    text_char(o, ':');
}

/* Makes the line of the next record. */
static enum outcome make_line(struct avro_lines *a, struct decoder_step *s)
{
    uint32_t length;
    const char *field;
    size_t rest = a->plain.n - a->plain.at;
    a->record++;
    a->records--;
    a->worked = true;
    a->body = (struct avro_bytes){a->plain.v + a->plain.at, (uint32_t)rest};
    a->comma = false;
    line_out_begin(&a->line);
    enum avro_fault fault =
        avro_tell_all(avro_schema_root(a->schema), a->body, avro_lines_tell, a, &length, &field);
    a->plain.at += length;
    if (line_out_end(&a->line) && !fault && !a->is_wide) return ON;
    line_out_drop(&a->line);
    a->records = 0;
    if (!fault && a->line.is_long) return grown_too_large(s, 2 * (uint64_t)a->limit);
    return avro_damaged(a, s, "record %llu%s%.100s%s: %s", (unsigned long long)a->record,
                        field ? ", in field '" : "", field ? field : "", field ? "'" : "",
                        fault ? avro_fault_text(fault) : "a decimal has more than 38 digits");
}

/* ---- heads and blocks ---- */

/* Bytes of a head or block, as far as they have been read. */
struct container_cursor {
    const uint8_t *p, *end;
    bool wrong; /* a number is wrong; else more bytes are needed */
};

static bool cursor_long(struct container_cursor *c, int64_t *v)
{
    uint64_t bits = 0;
    for (unsigned shift = 0; c->p < c->end && shift < 64; shift += 7) {
        uint8_t byte = *c->p++;
        bits |= (uint64_t)(byte & 0x7f) << shift;
        *v = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
        if (byte < 0x80) return true;
        c->wrong = shift == 63;
    }
    return false;
}

static bool cursor_bytes(struct container_cursor *c, const uint8_t **at, size_t *n)
{
    int64_t length;
    if (!cursor_long(c, &length)) return false;
    c->wrong = length < 0;
    if (c->wrong || length > c->end - c->p) return false;
    *at = c->p;
    *n = (size_t)length;
    c->p += length;
    return true;
}

struct container_head {
    const uint8_t *schema, *codec;
    size_t n_schema, n_codec;
};

static bool cursor_head(struct container_cursor *c, struct container_head *h)
{
    int64_t count, bytes;
    do {
        if (!cursor_long(c, &count) || (count < 0 && !cursor_long(c, &bytes))) return false;
        for (int64_t i = 0; i < (count < 0 ? -count : count); i++) {
            const uint8_t *key, *value;
            size_t n, n_value;
            if (!cursor_bytes(c, &key, &n) || !cursor_bytes(c, &value, &n_value)) return false;
            if (n == 11 && !memcmp(key, "avro.schema", n)) h->schema = value, h->n_schema = n_value;
            if (n == 10 && !memcmp(key, "avro.codec", n)) h->codec = value, h->n_codec = n_value;
        }
    } while (count);
    return c->end - c->p >= SYNC;
}

/* Appends bytes of the input to a->raw, at most `most`. */
static enum outcome take_raw(struct avro_lines *a, struct decoder_step *s, size_t most)
{
    return grown_take(&a->raw, s, most, a->limit + PIECE);
}

static enum outcome use_head(struct avro_lines *a, struct decoder_step *s,
                             const struct container_head *h, const uint8_t *sync)
{
    char why[WHY / 4] = "";
    const struct avro_schema_text text = {(const char *)h->schema, h->n_schema};
    avro_schema_free(a->schema);
    a->schema = h->schema ? avro_schema_read(&text, 1, why, sizeof why) : NULL;
    if (!a->schema)
        return avro_damaged(a, s, "%s%s", h->schema ? "its schema is wrong: " : "it has no schema",
                            why);
    a->unpack = h->n_codec ? unpack_of((const char *)h->codec, h->n_codec) : unpack_of("null", 4);
    if (!a->unpack)
        return avro_damaged(a, s, "its codec '%.*s' is unknown", (int)(h->n_codec % CODEC),
                            (const char *)h->codec);
    memcpy(a->sync, sync, SYNC);
    a->raw.at = (size_t)(sync + SYNC - a->raw.v);
    a->worked = true;
    return ON;
}

/* Reads a head, which comes first. Another one begins a container that was appended as a whole. */
static enum outcome read_head(struct avro_lines *a, struct decoder_step *s)
{
    struct container_cursor c = {a->raw.v + a->raw.at, a->raw.v + a->raw.n, false};
    struct container_head h = {NULL, NULL, 0, 0};
    size_t have = a->raw.n - a->raw.at, n = have < MAGIC ? have : MAGIC;
    if (memcmp(c.p, magic, n) != 0) return avro_damaged(a, s, "the number of records is negative");
    c.p += n;
    if (n == MAGIC) a->block = 0;
    if (n == MAGIC && cursor_head(&c, &h)) return use_head(a, s, &h, c.p);
    if (c.wrong) return avro_damaged(a, s, "a length is wrong");
    return take_raw(a, s, PIECE);
}

/* Unpacks a block, which is complete, to a->plain. */
static enum outcome unpack_block(struct avro_lines *a, struct decoder_step *s, const uint8_t *at,
                                 size_t n, int64_t count)
{
    enum unpack_status status = UNPACK_FULL;
    size_t cap = 4 * n + PIECE, got = 0;
    a->plain.at = a->plain.n = 0;
    for (; status == UNPACK_FULL; cap *= 2) {
        cap = cap < a->limit ? cap : a->limit;
        if (!grown_room(&a->plain, cap, a->limit)) return decoder_damaged(s, "out of memory");
        status = a->unpack(at, n, a->plain.v, a->plain.cap, &got);
        if (status == UNPACK_FULL && a->plain.cap >= a->limit)
            return grown_too_large(s, 2 * (uint64_t)a->limit);
    }
    if (status != UNPACK_DONE) return avro_damaged(a, s, "its packed data are wrong");
    a->plain.n = got;
    if ((uint64_t)count > got + EMPTY_RECORDS)
        return avro_damaged(a, s, "it has more records than bytes");
    a->records = (uint64_t)count;
    a->record = 0;
    a->worked = true;
    return ON;
}

static enum outcome read_block_of(struct avro_lines *a, struct decoder_step *s)
{
    enum { NUMBERS = 20 }; /* longest two numbers */
    struct container_cursor c = {a->raw.v + a->raw.at, a->raw.v + a->raw.n, false};
    size_t have = a->raw.n - a->raw.at;
    int64_t count, bytes;
    if (!have && !s->n_in) return MEMBER_ENDED;
    if (have && *c.p == magic[0]) return read_head(a, s);
    if (!cursor_long(&c, &count) || !cursor_long(&c, &bytes))
        return have < NUMBERS && !c.wrong ? take_raw(a, s, 1)
                                          : avro_damaged(a, s, "its first numbers are wrong");
    if (count < 0 || bytes < 0) return avro_damaged(a, s, "a number or length is negative");
    if ((uint64_t)bytes > a->limit) return grown_too_large(s, (uint64_t)bytes);
    size_t wanted = (size_t)(c.p - a->raw.v) - a->raw.at + (size_t)bytes + SYNC;
    if (have < wanted) return take_raw(a, s, wanted - have);
    a->block++;
    if (memcmp(c.p + bytes, a->sync, SYNC) != 0)
        return avro_damaged(a, s, "the mark at its end is not that of the head");
    a->raw.at += wanted;
    return unpack_block(a, s, c.p, (size_t)bytes, count);
}

static enum outcome avro_lines_step(struct avro_lines *a, struct decoder_step *s)
{
    if (line_out_has(&a->line)) return line_out_return(&a->line, s);
    if (a->records) return make_line(a, s);
    if (a->plain.at < a->plain.n) return avro_damaged(a, s, "bytes follow its last record");
    return a->schema ? read_block_of(a, s) : read_head(a, s);
}

/* Goes on until bytes are read or returned, or more are needed. */
enum outcome avro_lines_run(void *state, struct decoder_step *s)
{
    struct avro_lines *a = state;
    const size_t n_in = s->n_in, n_out = s->n_out;
    enum outcome outcome = ON;
    do {
        a->worked = false;
        outcome = avro_lines_step(a, s);
    } while (outcome == ON && a->worked && s->n_in == n_in && s->n_out == n_out);
    return outcome;
}
