/* arrow_lines.c -- implementation of arrow_lines.h. */
#include "arrow_lines.h"

#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "kernels/arrow/arrow.h"
#include "line_out.h"

enum { ARROW_HEAD = 8, ARROW_BUFFERS = 3 * ARROW_FIELDS + ARROW_VARIADIC, ARROW_WHY = 200 };
enum { ARROW_DICTIONARIES = 256, ARROW_END = 10 /* length 4, magic 6 */, ARROW_PACKED_HEAD = 8 };
enum { ARROW_SCHEMA = 1, ARROW_DICTIONARY, ARROW_ROWS }; /* kinds of messages */
enum { ARROW_LZ4, ARROW_ZSTD };
static const uint8_t arrow_magic[ARROW_HEAD] = "ARROW1\0";

struct arrow_values {
    int64_t id;
    struct line_out text; /* JSON of the values, one after the other */
    struct grown start;   /* their places in the text, uint64_t */
};

struct arrow_lines {
    const char *format; /* its name, in messages */
    size_t limit;
    struct grown raw, plain;
    struct line_out line;
    bool is_file, in_footer, has_schema;
    bool worked;                 /* the last step has changed the state, without bytes */
    size_t message;              /* bytes of the message whose rows are written; 0: none */
    uint64_t row, rows, written; /* the next row of the batch, its rows, all rows written before */
    uint8_t end[ARROW_END];      /* last bytes of the footer */
    uint64_t footer;             /* bytes of the footer so far */
    LZ4F_dctx *lz4;
    struct arrow_schema schema;
    struct arrow_batch batch;
    struct arrow_buffer buffer[ARROW_BUFFERS];
    struct arrow_dictionary dictionary[ARROW_DICTIONARIES];
    struct arrow_values *values[ARROW_DICTIONARIES];
    char why[ARROW_WHY];
};

void *arrow_lines_begin(uint64_t window) { return arrow_lines_begin_named(window, "arrow"); }

void *arrow_lines_begin_named(uint64_t window, const char *format)
{
    struct arrow_lines *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&st->lz4, LZ4F_VERSION)))
        return free(st), NULL;
    st->format = format;
    st->limit = (size_t)(window / 2);
    line_out_init(&st->line, st->limit);
    st->batch.schema = &st->schema;
    st->batch.dictionaries = st->dictionary;
    return st;
}

static void arrow_drop_dictionaries(struct arrow_lines *st)
{
    while (st->batch.n_dictionaries) {
        struct arrow_values *v = st->values[--st->batch.n_dictionaries];
        line_out_free(&v->text);
        free(v->start.v);
        free(v);
    }
}

void arrow_lines_end(void *state)
{
    struct arrow_lines *st = state;
    arrow_drop_dictionaries(st);
    LZ4F_freeDecompressionContext(st->lz4);
    free(st->raw.v);
    free(st->plain.v);
    line_out_free(&st->line);
    free(st);
}

/* Reports that the message is wrong, or has what is not known. */
static enum outcome arrow_refuse(struct arrow_lines *st, struct decoder_step *s, const char *what,
                                 const char *why)
{
    snprintf(st->why, sizeof st->why, "%s: %s", what, why);
    s->back = grown_rest(&st->raw);
    s->why = st->why;
    return strstr(why, "does not read") ? REFUSED : DAMAGED;
}

/* ---- packed buffers ---- */

static bool arrow_unpack_lz4(struct arrow_lines *st, const struct arrow_buffer *in, uint8_t *out,
                             size_t n)
{
    size_t at = 0, got = 0, hint = 1;
    LZ4F_resetDecompressionContext(st->lz4);
    while (hint && at < in->n) {
        size_t n_in = (size_t)in->n - at, n_out = n - got;
        hint = LZ4F_decompress(st->lz4, out + got, &n_out, in->p + at, &n_in, NULL);
        if (LZ4F_isError(hint) || (!n_in && !n_out)) return false;
        at += n_in;
        got += n_out;
    }
    return !hint && got == n && at == in->n;
}

/* packed buffer   bytes of its content 8, -1: not packed | content
 *
 * Returns the bytes of the content that must be unpacked; 0 if none. Sets *wrong if the head is. */
static uint64_t arrow_packed_bytes(const struct arrow_buffer *b, bool *wrong)
{
    if (!b->n) return 0;
    const uint64_t n = b->n < ARROW_PACKED_HEAD ? 0 : le_get(b->p, ARROW_PACKED_HEAD);
    *wrong |= b->n < ARROW_PACKED_HEAD || (n > INT64_MAX && n != UINT64_MAX);
    return n == UINT64_MAX ? 0 : n;
}

/* Unpacks the buffers of a batch to st->plain. */
static enum outcome arrow_unpack(struct arrow_lines *st, struct decoder_step *s, uint64_t n,
                                 uint64_t codec)
{
    uint64_t sum = 0;
    bool wrong = codec != ARROW_LZ4 && codec != ARROW_ZSTD;
    for (uint64_t i = 0; i < n && sum <= st->limit; i++)
        sum += arrow_packed_bytes(&st->buffer[i], &wrong);
    if (wrong) return arrow_refuse(st, s, "a batch", "its packed data are wrong");
    if (sum > st->limit) return grown_too_large(s, sum);
    st->plain.at = st->plain.n = 0;
    if (!grown_room(&st->plain, (size_t)sum, st->limit)) return decoder_damaged(s, "out of memory");
    for (uint64_t i = 0; i < n; i++) {
        struct arrow_buffer *b = &st->buffer[i], in = {b->p + ARROW_PACKED_HEAD, 0};
        if (!b->n) continue;
        const size_t to = (size_t)arrow_packed_bytes(b, &wrong);
        uint8_t *out = st->plain.v + st->plain.n;
        in.n = b->n - ARROW_PACKED_HEAD;
        *b = in;
        if (!to) continue;
        if (codec == ARROW_ZSTD ? ZSTD_decompress(out, to, in.p, (size_t)in.n) != to
                                : !arrow_unpack_lz4(st, &in, out, to))
            return arrow_refuse(st, s, "a batch", "its packed data are wrong");
        *b = (struct arrow_buffer){out, to};
        st->plain.n += to;
    }
    return ON;
}

/* ---- messages ---- */

/* Finds the buffers of a batch in the body, and unpacks them. */
static enum outcome arrow_buffers(struct arrow_lines *st, struct decoder_step *s,
                                  struct arrow_layout *l, uint64_t batch,
                                  const struct arrow_buffer *body)
{
    struct flat *f = l->f;
    const uint64_t packed = flat_table(f, batch, 3);
    l->nodes = flat_vector(f, batch, 1, 16, &l->n_nodes);
    l->buffers = flat_vector(f, batch, 2, 16, &l->n_buffers);
    l->counts = flat_vector(f, batch, 4, 8, &l->n_counts);
    l->buffer = st->buffer;
    if (f->wrong || l->n_buffers > ARROW_BUFFERS)
        return arrow_refuse(st, s, "a batch", "its metadata are wrong");
    for (uint64_t i = 0; i < l->n_buffers; i++) {
        const uint64_t at = flat_number(f, l->buffers + 16 * i, 8);
        const uint64_t n = flat_number(f, l->buffers + 16 * i + 8, 8);
        if (n > body->n || at > body->n - n)
            return arrow_refuse(st, s, "a batch", "a buffer is outside of its message");
        st->buffer[i] = (struct arrow_buffer){body->p + at, n};
    }
    return packed ? arrow_unpack(st, s, l->n_buffers, flat_get(f, packed, 0, 1, 0)) : ON;
}

static enum outcome arrow_use_rows(struct arrow_lines *st, struct decoder_step *s, struct flat *f,
                                   uint64_t batch, const struct arrow_buffer *body)
{
    struct arrow_layout l = {.f = f};
    enum outcome outcome = arrow_buffers(st, s, &l, batch, body);
    if (outcome != ON) return outcome;
    st->batch.rows = flat_get(f, batch, 0, 8, 0);
    const char *why = arrow_bind(&st->batch, &l, 0, st->schema.n, false);
    if (!why && st->batch.rows > INT64_MAX) why = "its number of rows is negative";
    if (!why && !st->schema.n && st->batch.rows > body->n + ARROW_FIELDS)
        why = "it has rows without fields";
    if (why) return arrow_refuse(st, s, "a batch", why);
    st->row = 0;
    st->rows = st->batch.rows;
    return ON;
}

/* Returns the dictionary with this number, perhaps a new one; NULL if there is no room. */
static struct arrow_values *arrow_values_of(struct arrow_lines *st, int64_t id, uint32_t *i)
{
    for (*i = 0; *i < st->batch.n_dictionaries; ++*i)
        if (st->values[*i]->id == id) return st->values[*i];
    if (*i == ARROW_DICTIONARIES) return NULL;
    struct arrow_values *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->id = id;
    line_out_init(&v->text, st->limit / 2);
    st->values[st->batch.n_dictionaries++] = v;
    return v;
}

/* Appends the place at which the next value begins. */
static bool arrow_note_start(struct arrow_lines *st, struct arrow_values *v)
{
    const uint64_t at = v->text.text.n;
    if (!grown_room(&v->start, sizeof at, st->limit / 2)) return false;
    memcpy(v->start.v + v->start.n, &at, sizeof at);
    v->start.n += sizeof at;
    return true;
}

/* Returns the bytes of all dictionaries. */
static uint64_t arrow_held(const struct arrow_lines *st)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < st->batch.n_dictionaries; i++)
        held += st->values[i]->text.text.n + st->values[i]->start.n;
    return held;
}

/* Appends the values of a batch, in the columns of `field`. */
static const char *arrow_add_values(struct arrow_lines *st, struct arrow_values *v, uint32_t field,
                                    uint64_t rows)
{
    const char *why = NULL;
    const uint64_t others = arrow_held(st) - v->text.text.n - v->start.n;
    for (uint64_t i = 0; i < rows && !why; i++) {
        line_out_begin(&v->text);
        why = arrow_write_value(&st->batch, field, i, &v->text.out);
        if (text_flush(&v->text.out) || !arrow_note_start(st, v) ||
            others + v->text.text.n + v->start.n > st->limit / 2)
            why = "its values have more text than a quarter of the window";
    }
    return why;
}

static enum outcome arrow_use_dictionary(struct arrow_lines *st, struct decoder_step *s,
                                         struct flat *f, uint64_t message,
                                         const struct arrow_buffer *body)
{
    static const char what[] = "a dictionary";
    struct arrow_layout l = {.f = f};
    const int64_t id = (int64_t)flat_get(f, message, 0, 8, 0);
    const uint64_t batch = flat_table(f, message, 1), delta = flat_get(f, message, 2, 1, 0);
    uint32_t field = 0, i;
    while (field < st->schema.n &&
           !(st->schema.field[field].is_coded && st->schema.field[field].dictionary == id))
        field++;
    if (field == st->schema.n) return arrow_refuse(st, s, what, "no field has its number");
    struct arrow_values *v = arrow_values_of(st, id, &i);
    if (!v) return arrow_refuse(st, s, what, "there are more than 256");
    enum outcome outcome = arrow_buffers(st, s, &l, batch, body);
    if (outcome != ON) return outcome;
    if (!delta) v->text.text.n = v->start.n = 0;
    if (!v->start.n && !arrow_note_start(st, v)) return decoder_damaged(s, "out of memory");
    const char *why = arrow_bind(&st->batch, &l, field, st->schema.field[field].end, true);
    const uint64_t rows = flat_get(f, batch, 0, 8, 0);
    if (!why && st->batch.column[field].rows < rows) why = "a field has fewer rows than the batch";
    if (!why) why = arrow_add_values(st, v, field, rows);
    st->dictionary[i] =
        (struct arrow_dictionary){id, (const char *)v->text.text.v, (const uint64_t *)v->start.v,
                                  v->start.n / sizeof(uint64_t) - 1};
    return why ? arrow_refuse(st, s, what, why) : ON;
}

static enum outcome arrow_use_schema(struct arrow_lines *st, struct decoder_step *s, struct flat *f,
                                     uint64_t schema)
{
    arrow_drop_dictionaries(st);
    const char *why = arrow_read_schema(f, schema, &st->schema);
    const struct arrow_schema *of = &st->schema;
    const struct arrow_field *last = &of->field[of->n ? of->n - 1 : 0];
    char what[ARROW_WHY / 2] = "the schema";
    st->has_schema = true;
    if (why && of->n)
        snprintf(what, sizeof what, "field '%.*s' of the schema",
                 (int)(last->n_name < 60 ? last->n_name : 60), of->names + last->name);
    return why ? arrow_refuse(st, s, what, why) : ON;
}

/* Uses a message, which is complete. */
static enum outcome arrow_use(struct arrow_lines *st, struct decoder_step *s, struct flat *f,
                              uint64_t message, const struct arrow_buffer *body)
{
    const uint64_t kind = flat_get(f, message, 1, 1, 0), header = flat_table(f, message, 2);
    st->rows = st->row = 0;
    if (f->wrong || !header) return arrow_refuse(st, s, "a message", "its metadata are wrong");
    if (kind == ARROW_SCHEMA) return arrow_use_schema(st, s, f, header);
    if (!st->has_schema) return arrow_refuse(st, s, "a message", "it comes before a schema");
    if (kind == ARROW_DICTIONARY) return arrow_use_dictionary(st, s, f, header, body);
    if (kind == ARROW_ROWS) return arrow_use_rows(st, s, f, header, body);
    return arrow_refuse(st, s, "a message", "it is a tensor, which leat does not read");
}

/* Takes input until the buffer has n bytes, which is at most as much as a message may have. */
static enum outcome arrow_take(struct arrow_lines *st, struct decoder_step *s, uint64_t n)
{
    if (n > st->limit) return grown_too_large(s, n);
    return grown_take(&st->raw, s, (size_t)n - grown_rest(&st->raw), st->limit);
}

/* Passes over the footer, whose last bytes are kept. */
static enum outcome arrow_footer(struct arrow_lines *st, struct decoder_step *s)
{
    const size_t n = s->n_in, kept = n < ARROW_END ? ARROW_END - n : 0;
    if (!n && !memcmp(st->end + 4, arrow_magic, ARROW_END - 4) &&
        st->footer == ARROW_END + (uint64_t)le_get32(st->end))
        return MEMBER_ENDED;
    st->footer += n;
    memmove(st->end, st->end + ARROW_END - kept, kept);
    memcpy(st->end + kept, s->in + n - (ARROW_END - kept), ARROW_END - kept);
    step_advance(s, n, 0);
    return ON;
}

/* Passes over the mark at the end of a stream. */
static enum outcome arrow_end_stream(struct arrow_lines *st)
{
    st->raw.at += ARROW_HEAD;
    st->worked = true;
    st->in_footer = st->is_file;
    st->has_schema = false;
    return ON;
}

/* Reads the next message. */
static enum outcome arrow_message(struct arrow_lines *st, struct decoder_step *s)
{
    const size_t have = grown_rest(&st->raw);
    const uint8_t *p = have ? st->raw.v + st->raw.at : (const uint8_t *)"";
    if (!have && !s->n_in && !st->is_file) return MEMBER_ENDED;
    if (have < ARROW_HEAD) return arrow_take(st, s, ARROW_HEAD);
    if (!st->has_schema && !st->is_file && !memcmp(p, arrow_magic, ARROW_HEAD)) {
        st->is_file = st->worked = true;
        st->raw.at += ARROW_HEAD;
        return ON;
    }
    const uint64_t metadata = le_get32(p + 4), head = ARROW_HEAD + metadata;
    if (le_get32(p) != UINT32_MAX || metadata > INT32_MAX)
        return arrow_refuse(st, s, "a message", "it does not begin with four bytes ff");
    if (!metadata) return arrow_end_stream(st);
    if (have < head) return arrow_take(st, s, head);
    struct flat f = {p + ARROW_HEAD, metadata, false};
    const uint64_t message = flat_number(&f, 0, 4), body = flat_get(&f, message, 3, 8, 0);
    if (body > INT64_MAX - head) return arrow_refuse(st, s, "a message", "its length is wrong");
    if (have < head + body) return arrow_take(st, s, head + body);
    enum outcome outcome = arrow_use(st, s, &f, message, &(struct arrow_buffer){p + head, body});
    st->message = (size_t)(head + body);
    st->worked = true;
    return outcome;
}

/* Makes the line of the next row. */
static enum outcome arrow_row(struct arrow_lines *st, struct decoder_step *s)
{
    line_out_begin(&st->line);
    const char *why = arrow_write_row(&st->batch, st->row, &st->line.out);
    st->row++;
    st->written++;
    st->worked = true;
    if (why && !st->line.out.failed) {
        char text[ARROW_WHY];
        int n = snprintf(text, sizeof text, "%s row %llu: %s", st->format,
                         (unsigned long long)st->written, why);
        line_out_drop(&st->line);
        line_out_begin(&st->line);
        text_bytes(&st->line.out, text, (size_t)n);
    }
    if (line_out_end(&st->line)) return ON;
    return st->line.is_long ? grown_too_large(s, 2 * (uint64_t)st->limit)
                            : decoder_damaged(s, "out of memory");
}

static enum outcome arrow_step(struct arrow_lines *st, struct decoder_step *s)
{
    if (line_out_has(&st->line)) return line_out_return(&st->line, s);
    if (st->row < st->rows) return arrow_row(st, s);
    st->raw.at += st->message; /* its rows are written */
    st->message = 0;
    return st->in_footer ? arrow_footer(st, s) : arrow_message(st, s);
}

/* Goes on until bytes are read or returned, or more are needed. */
enum outcome arrow_lines_run(void *state, struct decoder_step *s)
{
    struct arrow_lines *st = state;
    const size_t n_in = s->n_in, n_out = s->n_out;
    enum outcome outcome = ON;
    do {
        st->worked = false;
        outcome = arrow_step(st, s);
    } while (outcome == ON && st->worked && s->n_in == n_in && s->n_out == n_out);
    return outcome;
}
