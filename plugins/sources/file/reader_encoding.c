/* reader_encoding.c -- see reader_encoding.h. */
#include "reader_encoding.h"

#include <stdio.h>
#include <string.h>

#include "core/text/byte_order_mark.h"
#include "kernels/text/utf8_scan.h"
#include "follow_unfit.h"
#include "start.h"

enum { NAME_BYTES = 60 /* of a column */ };

static bool has_control(const unsigned char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (text[i] < 0x80 || text[i] > 0x9f))
        i++;
    return i < n;
}

/* A field of a record: its number, from 0, and where it lies. */
struct field {
    uint32_t number;
    size_t from, to;
};

/* The field that has the byte at `at`; in the order of the record. */
static struct field field_at(const struct framing *f, const char *text, size_t n, size_t at)
{
    struct field field = {.from = 0};
    bool quoted = false;
    size_t i = 0;
    for (; i < n; i++) {
        if (f->quote && text[i] == f->quote) quoted = !quoted;
        if (quoted || text[i] != f->delimiter) continue;
        if (i > at) break;
        field.from = i + 1;
        field.number++;
    }
    field.to = i;
    return field;
}

static struct field field_of_number(const struct framing *f, const char *text, size_t n,
                                    uint32_t number)
{
    size_t at = 0;
    struct field field = field_at(f, text, n, at);
    while (field.number < number && field.to < n)
        field = field_at(f, text, n, field.to + 1);
    return field;
}

/* "column 'city': ", or by its number where no header names it; "" where there are no columns. */
static void name_column(const struct reader *r, const char *record, size_t n, size_t at,
                        char text[NAME_BYTES * 2])
{
    const struct framing *f = &r->framing;
    *text = 0;
    if (f->kind != FRAMING_CSV) return;
    struct field field = field_at(f, record, n, at);
    struct field name = {.to = 0};
    if (r->header) name = field_of_number(f, r->header, r->header_len, field.number);
    bool named = r->header && name.number == field.number && name.to > name.from;
    size_t len = name.to - name.from < NAME_BYTES ? name.to - name.from : NAME_BYTES;
    if (named)
        snprintf(text, NAME_BYTES * 2, "column '%.*s': ", (int)len, r->header + name.from);
    else
        snprintf(text, NAME_BYTES * 2, "column %u: ", (unsigned)field.number + 1);
}

static void warn_of_byte(struct leat_ctx *ctx, const struct reader *r, uint64_t line,
                         const char *column, const char *rest, size_t n, bool beyond)
{
    const unsigned char *text = (const unsigned char *)rest;
    bool windows = has_control(text, n);
    char cure[160];
    if (beyond)
        snprintf(cure, sizeof cure,
                 ", and it is before this: the byte is damaged, or the input has two encodings");
    else
        snprintf(cure, sizeof cure, ": if it is %s, set encoding = \"%s\"%s",
                 windows ? "text of Windows" : "Latin-1", windows ? "windows-1252" : "latin-1",
                 r->follows ? " and follow = false" : "");
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

void reader_look_at_starts(struct leat_ctx *ctx, struct reader *r, const struct reader_text *t)
{
    const char *at;
    if (!r->start || r->told_start || !start_given_up(r->start, &at)) return;
    r->told_start = true;
    ctx->host->log(
        ctx, LEAT_WARN,
        "%s:%llu: record_start takes more than %d steps on this line, or too much memory, "
        "so that it begins no record: make its repetitions possessive (++, *+)",
        reader_name(r, r->input),
        (unsigned long long)(t->line + lines_of(t->text, (size_t)(at - t->text))), START_STEPS);
}

void reader_look_at_text(struct leat_ctx *ctx, struct reader *r, const struct reader_text *t)
{
    char column[NAME_BYTES * 2] = "";
    if (r->looked || r->pass || r->encoding) return;
    size_t at = utf8_scan(t->text, t->n, &r->beyond_ascii);
    r->looked = at < t->n;
    if (!r->looked || memchr(t->text, 0, t->n)) return; /* no text has zero bytes */
    for (uint32_t i = 0; i < t->n_records; i++) {
        size_t from = t->record[i].off - t->record[0].off;
        if (at >= from && at < from + t->record[i].len)
            name_column(r, t->text + from, t->record[i].len, at - from, column);
    }
    warn_of_byte(ctx, r, t->line + lines_of(t->text, at), column, t->text + at, t->n - at,
                 r->beyond_ascii);
}

/* ---- byte order marks ---- */

enum reader_step reader_skip_mark(struct leat_ctx *ctx, struct reader *r)
{
    struct byte_order_mark mark;
    bool whole = r->ended || r->failure;
    if (!byte_order_mark_find(r->window + r->from, r->end - r->from, whole, &mark))
        return STEP_MORE;
    bool other = mark.encoding && strcmp(mark.encoding, "UTF-8") != 0;
    if (other && r->follows) {
        follow_skip(ctx, &r->follow, r->followed, mark.encoding);
        r->followed = NULL;
        r->streaming = false;
        r->from = r->end = 0;
        return STEP_MORE;
    }
    r->bom_due = false;
    if (mark.n == 2)
        return reader_fail(r, LEAT_EDATA,
                           "%s is text in UTF-16, as its first bytes say: set encoding = "
                           "\"utf-16\"",
                           reader_name(r, r->input));
    if (mark.n == BYTE_ORDER_MARK_MAX)
        return reader_fail(
            r, LEAT_EDATA,
            "%s is text in %s, and leat reads UTF-8: convert it (iconv -f %s -t UTF-8)",
            reader_name(r, r->input), mark.encoding, mark.encoding);
    reader_skip(r, mark.n, 0);
    return STEP_ON;
}
