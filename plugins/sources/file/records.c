/* records.c -- implementation of records.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "records.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/byte_order_mark.h"
#include "kernels/text/encoding.h"

/* ---- record_start: where a record of several lines begins ---- */

/* PCRE2_MATCH_INVALID_UTF would take lines of any bytes. But with it the compiled code (JIT) of
 * PCRE2 10.42 is wrong: \S, \W and \D match no character beyond ASCII. */
struct multiline {
    pcre2_code *code;  /* for lines of UTF-8 */
    pcre2_code *bytes; /* for other lines, byte by byte; NULL if the pattern needs UTF-8 */
    pcre2_match_data *match;
    pcre2_match_context *context;
    uint64_t given_up; /* number of lines on which the match was given up */
    const char *first; /* first line on which the match was given up */
};

struct multiline *multiline_new(const char *pattern, char why[256])
{
    int error;
    PCRE2_SIZE at;
    struct multiline *m = calloc(1, sizeof *m);
    PCRE2_SPTR text = (PCRE2_SPTR)pattern;
    why[0] = '\0';
    if (!m) return NULL;
    m->code = pcre2_compile(text, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &at, NULL);
    if (!m->code) {
        PCRE2_UCHAR wrong[160];
        pcre2_get_error_message(error, wrong, sizeof wrong);
        snprintf(why, 256, "is wrong at byte %zu: %s", at + 1, (const char *)wrong);
    }
    if (m->code)
        m->bytes = pcre2_compile(text, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &error, &at, NULL);
    if (m->code && (m->bytes || error != PCRE2_ERROR_HEAP_FAILED))
        m->match = pcre2_match_data_create_from_pattern(m->code, NULL);
    if (m->match) m->context = pcre2_match_context_create(NULL);
    if (!m->context) {
        multiline_free(m);
        return NULL;
    }
    (void)pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE); /* optional: only faster */
    pcre2_set_match_limit(m->context, MULTILINE_STEPS);
    return m;
}

void multiline_free(struct multiline *m)
{
    if (!m) return;
    pcre2_match_context_free(m->context);
    pcre2_match_data_free(m->match);
    pcre2_code_free(m->code);
    pcre2_code_free(m->bytes);
    free(m);
}

static bool multiline_is_ascii(const char *line, size_t n)
{
    uint64_t all = 0, word;
    size_t i = 0;
    for (; n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, line + i, sizeof word);
        all |= word;
    }
    for (; i < n; i++)
        all |= (unsigned char)line[i];
    return !(all & UINT64_C(0x8080808080808080));
}

bool multiline_begins(void *multiline, const char *line, size_t n)
{
    struct multiline *m = multiline;
    PCRE2_SPTR text = (PCRE2_SPTR)line;
    uint32_t trusted = multiline_is_ascii(line, n) ? PCRE2_NO_UTF_CHECK : 0;
    int result = pcre2_match(m->code, text, n, 0, trusted, m->match, m->context);
    if (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21)
        result = m->bytes ? pcre2_match(m->bytes, text, n, 0, 0, m->match, m->context)
                          : PCRE2_ERROR_NOMATCH;
    if (result < 0 && result != PCRE2_ERROR_NOMATCH && !m->given_up++) m->first = line;
    return result >= 0;
}

uint64_t multiline_given_up(const struct multiline *m, const char **first)
{
    *first = m->first;
    return m->given_up;
}

/* ---- encodings ---- */

enum { NAME_BYTES = 60 /* of a column's name */ };

static bool has_control(const unsigned char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (text[i] < 0x80 || text[i] > 0x9f))
        i++;
    return i < n;
}

/* Field of a record: its number, from 0, and its bytes [from, to). */
struct csv_field {
    uint32_t number;
    size_t from, to;
};

/* Finds the field that contains the byte at `at`. */
static struct csv_field field_at(const struct framing *f, const char *text, size_t n, size_t at)
{
    struct csv_field csv_field = {.from = 0};
    bool quoted = false;
    size_t i = 0;
    for (; i < n; i++) {
        if (f->quote && text[i] == f->quote) quoted = !quoted;
        if (quoted || text[i] != f->delimiter) continue;
        if (i > at) break;
        csv_field.from = i + 1;
        csv_field.number++;
    }
    csv_field.to = i;
    return csv_field;
}

static struct csv_field field_of_number(const struct framing *f, const char *text, size_t n,
                                        uint32_t number)
{
    size_t at = 0;
    struct csv_field csv_field = field_at(f, text, n, at);
    while (csv_field.number < number && csv_field.to < n)
        csv_field = field_at(f, text, n, csv_field.to + 1);
    return csv_field;
}

/* Writes the name of the column with the byte at `at`: "column 'city': ", or "column 3: " without a
 * header, or "" if there are no columns. */
static void name_column(const struct reader *r, const char *record, size_t n, size_t at,
                        char text[NAME_BYTES * 2])
{
    const struct framing *f = &r->framing;
    *text = 0;
    if (f->kind != FRAMING_CSV) return;
    struct csv_field csv_field = field_at(f, record, n, at);
    struct csv_field name = {.to = 0};
    if (r->header) name = field_of_number(f, r->header, r->header_len, csv_field.number);
    bool named = r->header && name.number == csv_field.number && name.to > name.from;
    size_t len = name.to - name.from < NAME_BYTES ? name.to - name.from : NAME_BYTES;
    if (named)
        snprintf(text, NAME_BYTES * 2, "column '%.*s': ", (int)len, r->header + name.from);
    else
        snprintf(text, NAME_BYTES * 2, "column %u: ", (unsigned)csv_field.number + 1);
}

static void warn_of_byte(struct leat_ctx *ctx, const struct reader *r, uint64_t line,
                         const char *column, const char *rest, size_t n, bool binary)
{
    const unsigned char *text = (const unsigned char *)rest;
    bool windows = has_control(text, n);
    char cure[160];
    if (binary)
        snprintf(cure, sizeof cure,
                 ", and it has zero bytes: it looks like binary data, and not like text");
    else if (r->beyond_ascii)
        snprintf(
            cure, sizeof cure,
            ", but the text before it is: the byte is damaged, or the input has two encodings");
    else
        snprintf(cure, sizeof cure, ": if it is %s, set encoding = \"%s\"%s",
                 windows ? "text of Windows" : "Latin-1", windows ? "windows-1252" : "latin-1",
                 r->mode == READER_INPUTS ? "" : " and follow = false");
    ctx->host->log(ctx, LEAT_WARN, "%s:%llu: %sthe text is not UTF-8 here (byte 0x%02x)%s",
                   reader_name(r, r->input), (unsigned long long)line, column, *text, cure);
}

static uint64_t lines_of(const char *text, size_t n)
{
    uint64_t lines = 0;
    for (const char *end = text + n; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        lines++;
    return lines;
}

/* Warns once of a line for which matching record_start was given up. `t` contains the line. */
static void warn_of_start(struct leat_ctx *ctx, struct reader *r, const struct records_text *t)
{
    const char *at;
    if (!r->multiline || r->start_warned || !multiline_given_up(r->multiline, &at)) return;
    r->start_warned = true;
    ctx->host->log(
        ctx, LEAT_WARN,
        "%s:%llu: record_start takes more than %d steps or too much memory on this line, so the "
        "line does not begin a record: make its repetitions possessive (++, *+)",
        reader_name(r, r->input),
        (unsigned long long)(t->line + lines_of(t->text, (size_t)(at - t->text))), MULTILINE_STEPS);
}

void records_check_encoding(struct leat_ctx *ctx, struct reader *r, const struct records_text *t)
{
    char column[NAME_BYTES * 2] = "";
    if (r->encoding_warned || r->pass || r->encoding) return;
    size_t at = utf8_scan(t->text, t->n, &r->beyond_ascii);
    r->encoding_warned = at < t->n;
    if (!r->encoding_warned) return;
    for (uint32_t i = 0; i < t->n_records; i++) {
        size_t from = t->record[i].off - t->record[0].off;
        if (at >= from && at < from + t->record[i].len)
            name_column(r, t->text + from, t->record[i].len, at - from, column);
    }
    warn_of_byte(ctx, r, t->line + lines_of(t->text, at), column, t->text + at, t->n - at,
                 memchr(t->text, 0, t->n));
}

/* ---- byte order marks ---- */

enum reader_step records_skip_mark(struct leat_ctx *ctx, struct reader *r)
{
    struct byte_order_mark mark;
    bool whole = r->tail == TAIL_LAST || r->failure;
    if (!byte_order_mark_find(r->window + r->from, r->end - r->from, whole, &mark))
        return STEP_MORE;
    bool other = mark.encoding && strcmp(mark.encoding, "UTF-8") != 0;
    if (other && r->mode != READER_INPUTS) {
        scan_skip(ctx, &r->follow, r->followed, mark.encoding);
        r->followed = NULL;
        reader_move(r, READER_CLOSED);
        r->from = r->end = 0;
        return STEP_MORE;
    }
    reader_move(r, READER_MARK_PASSED);
    if (mark.n == 2)
        return reader_fail(r, LEAT_EDATA,
                           "the first bytes of %s show text in UTF-16: set encoding = \"utf-16\"",
                           reader_name(r, r->input));
    if (mark.n == BYTE_ORDER_MARK_MAX)
        return reader_fail(
            r, LEAT_EDATA,
            "%s is text in %s, and leat reads UTF-8: convert it (iconv -f %s -t UTF-8)",
            reader_name(r, r->input), mark.encoding, mark.encoding);
    reader_skip(r, mark.n, 0);
    return STEP_ON;
}

/* ---- records ---- */

/* True if a record of `bytes` bytes fits at b->bytes[at]. An empty batch takes any record. */
static bool record_fits(const struct reader *r, const struct leat_batch *b, size_t at, size_t bytes)
{
    if (b->n == b->cap || (r->gap && b->n_extents == b->cap_extents)) return false;
    return b->n == 0 || at + bytes <= b->fill_bytes;
}

/* Adds n records, which the extent of the batch then has, too. They begin at b->bytes[off], and at
 * `offset` and `line` of the input. */
static void records_extend(struct reader *r, struct leat_batch *b, uint32_t n, uint32_t off,
                           uint64_t offset, uint64_t line)
{
    if (r->gap) {
        b->extent[b->n_extents++] = (struct leat_extent){
            .first = b->n, .input = r->input, .bytes_off = off, .offset = offset, .line = line};
        r->gap = false;
    }
    b->extent[b->n_extents - 1].n += n;
    leat_add_records(b, n);
}

/* Adds the record at b->bytes[off], which begins at `offset` and `line` of the input. Returns its
 * number. */
static uint32_t records_add_record(struct reader *r, struct leat_batch *b, uint32_t off,
                                   uint32_t len, uint64_t offset, uint64_t line)
{
    b->raw[b->n] = (struct leat_str){off, len};
    records_extend(r, b, 1, off, offset, line);
    return b->n - 1;
}

/* Adds a record in its own extent. Returns false if the record does not fit. */
static bool add_in_own_extent(struct reader *r, struct leat_batch *b, const char *text,
                              uint32_t len, uint64_t offset, uint64_t line, uint32_t *record)
{
    r->gap = true;
    if (!record_fits(r, b, b->n_bytes, len)) return false;
    uint32_t off = leat_add_bytes(b, len);
    if (off == LEAT_NULL) return false;
    memcpy(b->bytes + off, text, len);
    *record = records_add_record(r, b, off, len, offset, line);
    r->gap = true;
    return true;
}

static void records_begin_long(struct reader *r)
{
    r->cut_is = FRAMING_MORE;
    r->too_long =
        (struct reader_long){.state = LONG_SKIPPING, .offset = r->offset, .line = r->line};
}

/* Skips to the end of a record that is too long. */
static enum reader_step records_skip_long(struct reader *r)
{
    struct reader_long *l = &r->too_long;
    const char *text = r->window + r->from;
    size_t n = r->end - r->from;
    const char *end = n ? memchr(text, '\n', n) : NULL;
    size_t piece = end ? (size_t)(end - text) : n;
    size_t free = sizeof l->head - l->n, kept = piece < free ? piece : free;
    memcpy(l->head + l->n, text, kept);
    l->n += (uint32_t)kept;
    l->len += piece;
    if (piece) l->last = text[piece - 1];
    reader_skip(r, end ? piece + 1 : piece, end != NULL);
    if (!end && r->tail != TAIL_LAST && !r->failure) return STEP_MORE;
    if (l->last == '\r') l->len--;
    l->state = LONG_FOUND;
    framing_reset(&r->framing);
    return STEP_ON;
}

void records_reject_long(struct leat_ctx *ctx, struct leat_batch *b, uint32_t record, bool cut,
                         uint64_t len, int64_t max)
{
    ctx->host->reject(ctx, b, record, LEAT_R_TOO_LARGE,
                      "the record has %s%llu bytes, more than max_record = %lld",
                      cut ? "at least " : "", (unsigned long long)len, (long long)max);
}

enum reader_step records_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    struct reader_long *l = &r->too_long;
    if (l->state == LONG_SKIPPING) return records_skip_long(r);
    uint32_t n = l->n < b->cap_bytes ? l->n : b->cap_bytes, record;
    if (!add_in_own_extent(r, b, l->head, n, l->offset, l->line, &record)) return STEP_FULL;
    records_reject_long(ctx, b, record, l->cut, l->len, r->max_record);
    l->state = LONG_NONE;
    return STEP_ON;
}

void records_reject_quote(struct leat_ctx *ctx, struct leat_batch *b, uint32_t record)
{
    ctx->host->reject(ctx, b, record, LEAT_R_QUOTE, "a quote opens a field and is never closed");
}

/* Rejects the incomplete last record of an input that failed. */
static enum reader_step take_rest(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    size_t n = r->end - r->from;
    if (!n) return STEP_MORE;
    uint32_t len = (uint32_t)(n < r->framing.max_record ? n : r->framing.max_record), record;
    if (!add_in_own_extent(r, b, r->window + r->from, len, r->offset, r->line, &record))
        return STEP_FULL;
    ctx->host->reject(ctx, b, record, LEAT_R_INPUT, "the input ends early, inside this record");
    reader_skip(r, n, 0);
    return STEP_MORE;
}

/* Finds the next record, unless one is left from the last batch (r->cut). */
static enum framing_result next_cut(struct reader *r, bool last)
{
    if (r->cut_is != FRAMING_MORE) return r->cut_is;
    enum framing_result what =
        framing_next(&r->framing, r->window + r->from, r->end - r->from, last, &r->cut);
    if (what == FRAMING_MORE && r->tail == TAIL_IDLE)
        what = framing_flush(&r->framing, r->window + r->from, &r->cut);
    return r->cut_is = what;
}

/* Appends the text of `t` to the batch. Records of the batch point to it already. The last line end
 * is left out if it does not fit. */
static void copy_taken(struct leat_batch *b, const struct records_text *t)
{
    size_t n = t->n, free = b->cap_bytes - b->n_bytes;
    if (n > free) n = free;
    memcpy(b->bytes + b->n_bytes, t->text, n);
    b->n_bytes += (uint32_t)n;
}

/* True if r->cut is the last record of the last input and a later run may find more of it: it has
 * no line end or an open quote, or it may continue on the next line. (A record with an open quote
 * is cut after one line. Text that is added later may close the quote, many lines further.) */
static bool may_grow(const struct leat_ctx *ctx, const struct reader *r)
{
    if (!ctx->continued || r->mode != READER_INPUTS || r->rest_due || r->tail != TAIL_LAST)
        return false;
    if (r->cut_is != FRAMING_QUOTE && r->from + r->cut.used < r->end) return false;
    if (r->input + 1 < r->inputs.n || r->pass + 1 < r->passes) return false;
    return r->multiline || r->cut_is == FRAMING_QUOTE || r->window[r->end - 1] != '\n';
}

enum { LINES = 128 }; /* most lines that are added at once */

/* Adds records that are whole lines without quotes, as many as framing finds at once and the batch
 * can hold; not the last line of the window, because it may grow. at: end of the batch's text. */
static void take_lines(struct reader *r, struct leat_batch *b, size_t at)
{
    uint32_t line[LINES], off = (uint32_t)at, from = off, room = b->cap - b->n;
    size_t n = r->end - r->from, free = b->fill_bytes > at ? b->fill_bytes - at : 0;
    if (r->cut_is != FRAMING_MORE || !n || (r->gap && b->n_extents == b->cap_extents)) return;
    uint32_t k = framing_next_lines(&r->framing, r->window + r->from, n - 1 < free ? n - 1 : free,
                                    room < LINES ? room : LINES, line);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t end = off + line[i], len = end - from;
        len -= len && r->window[r->from + line[i] - 1] == '\r';
        b->raw[b->n + i] = (struct leat_str){from, len};
        from = end + 1;
    }
    if (k) records_extend(r, b, k, off, r->offset, r->line);
    reader_skip(r, from - off, k);
}

/* Adds records to the batch until the window ends, the batch is full, or a record must be rejected.
 * *bad is then the number of that record. */
static enum reader_step take_good(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b,
                                  uint32_t *bad)
{
    const size_t first = r->from;
    const bool last = r->tail == TAIL_LAST;
    struct records_text t = {
        .text = r->window + first, .line = r->line, .record = b->raw + b->n, .n_records = b->n};
    enum reader_step s = STEP_ON;
    while (s == STEP_ON && *bad == LEAT_NULL) {
        take_lines(r, b, b->n_bytes + (r->from - first));
        enum framing_result what = next_cut(r, last);
        size_t at = b->n_bytes + (r->from - first);
        if (what == FRAMING_MORE) {
            s = STEP_MORE;
        } else if (what == FRAMING_LONG) {
            records_begin_long(r);
            break;
        } else if (may_grow(ctx, r)) {
            s = STEP_REST;
        } else if (!record_fits(r, b, at, r->cut.used)) {
            s = STEP_FULL;
        } else {
            uint32_t k =
                records_add_record(r, b, (uint32_t)at, (uint32_t)r->cut.len, r->offset, r->line);
            if (what == FRAMING_QUOTE) *bad = k;
            reader_skip(r, r->cut.used, r->cut.lines);
            r->cut_is = FRAMING_MORE;
        }
    }
    t.n = r->from - first;
    t.n_records = b->n - t.n_records;
    copy_taken(b, &t);
    warn_of_start(ctx, r, &t);
    records_check_encoding(ctx, r, &t);
    return s;
}

/* Calls `found` for the record that is being skipped as too long, once its end is reached. */
static enum reader_step pass_long(struct reader *r, records_found *found, void *to)
{
    if (r->too_long.state == LONG_SKIPPING) return records_skip_long(r);
    r->too_long.state = LONG_NONE;
    return found(to, r->too_long.offset, r->too_long.line, RECORDS_LONG)
               ? STEP_ON
               : reader_fail(r, LEAT_EDATA, RECORDS_GREW, reader_name(r, r->input));
}

enum reader_step records_pass(struct leat_ctx *ctx, struct reader *r, records_found *found,
                              void *to)
{
    if (r->too_long.state != LONG_NONE) return pass_long(r, found, to);
    struct records_text t = {.text = r->window + r->from, .line = r->line};
    const size_t first = r->from;
    enum reader_step s = STEP_ON;
    while (s == STEP_ON) {
        enum framing_result what = next_cut(r, r->tail == TAIL_LAST);
        if (what == FRAMING_MORE) {
            s = STEP_MORE;
        } else if (what == FRAMING_LONG) {
            records_begin_long(r);
            break;
        } else if (!found(to, r->offset, r->line,
                          what == FRAMING_QUOTE ? RECORDS_QUOTE : RECORDS_GOOD)) {
            s = reader_fail(r, LEAT_EDATA, RECORDS_GREW, reader_name(r, r->input));
        } else {
            reader_skip(r, r->cut.used, r->cut.lines);
            r->cut_is = FRAMING_MORE;
        }
    }
    t.n = r->from - first;
    warn_of_start(ctx, r, &t);
    records_check_encoding(ctx, r, &t);
    return s;
}

enum reader_step records_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    uint32_t bad = LEAT_NULL;
    enum reader_step s = take_good(ctx, r, b, &bad);
    if (bad != LEAT_NULL) records_reject_quote(ctx, b, bad);
    return s == STEP_MORE && r->failure && r->mode == READER_INPUTS ? take_rest(ctx, r, b) : s;
}
