/* csv_warnings.c -- implementation of csv_warnings.h. */
#include "csv_warnings.h"

#include <stdbool.h>
#include <string.h>

/* ---- a header that is a row ----
 *
 * If a file has no header, its first row is taken for one. The supposed names are then likely to
 * recur as values in their own columns. Rows that equal the whole header are ignored, because
 * joined files have such rows. */

enum { COLUMNS = 64, SHOWN = 40 };

static bool csv_header_is_name(const struct leat_ctx *ctx, const struct leat_batch *b,
                               uint32_t column, uint32_t r)
{
    const struct leat_column *c = &ctx->out->column[column];
    if (c->type != LEAT_TEXT) return false;
    struct leat_str s = b->column[column].text[r];
    return s.len != LEAT_NULL && s.len == strlen(c->name) &&
           !memcmp(leat_text(b, s), c->name, s.len);
}

void csv_header_look(struct csv_header_values *v, const struct leat_ctx *ctx,
                     const struct leat_batch *b, uint32_t first, uint32_t n)
{
    const uint32_t columns = n < COLUMNS ? n : COLUMNS;
    for (LEAT_EACH_RECORD(b, r)) {
        uint64_t same = 0;
        uint32_t names = 0;
        if (b->status[r] != LEAT_ROW_OK) continue;
        for (uint32_t i = 0; i < columns; i++)
            if (csv_header_is_name(ctx, b, first + i, r)) same |= UINT64_C(1) << i, names++;
        if (names < columns) v->same |= same;
        if (++v->rows == CSV_HEADER_ROWS) return;
    }
}

void csv_header_warn(const struct csv_header_values *v, struct leat_ctx *ctx, uint32_t first,
                     uint32_t n)
{
    const uint32_t columns = n < COLUMNS ? n : COLUMNS,
                   same = (uint32_t)__builtin_popcountll(v->same);
    if (2 * same <= columns) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "names of the header are also values of their columns, such as '%.*s': if the "
                   "file has no header, set header = false and `columns`",
                   SHOWN, ctx->out->column[first + (uint32_t)__builtin_ctzll(v->same)].name);
}

/* ---- backslashes ---- */

void csv_other_note(struct csv_other *o, uint32_t column, const char *text, uint32_t len,
                    uint32_t at)
{
    if (o->n++) return;
    if (at + 2 > CSV_OTHER_BYTES) {
        text += at;
        len -= at;
    }
    o->column = column;
    o->len = len < CSV_OTHER_BYTES ? len : CSV_OTHER_BYTES;
    memcpy(o->text, text, o->len);
}

void csv_other_add(struct csv_other *to, const struct csv_other *o)
{
    const uint64_t n = to->n + o->n;
    if (!to->n) *to = *o;
    to->n = n;
}

void csv_other_warn(const struct csv_other *o, struct leat_ctx *ctx, uint32_t first)
{
    if (!o->n) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "texts with a backslash that begins no escape: %llu, such as '%.*s' in column "
                   "'%s'. If backslashes are text in this file, set escapes = \"none\": otherwise "
                   "\\t, \\n and the like are read as a tab or a line end",
                   (unsigned long long)o->n, (int)o->len, o->text,
                   ctx->out->column[first + o->column].name);
}

/* ---- quotes that are text ----
 *
 * In a file whose quotes are text, a quote at the beginning of a field opens a field that ends at
 * some later quote, and the lines between become one record. Then each of the lines has as many
 * delimiters as a record. A text that a quote encloses seldom has that, if there are three fields
 * or more. */

static uint32_t csv_swallowed_count(const char *p, size_t n, char c)
{
    uint32_t found = 0;
    for (const char *end = p + n; (p = memchr(p, c, (size_t)(end - p))); p++)
        found++;
    return found;
}

void csv_swallowed_look(struct csv_swallowed *s, const struct csv_dialect *d, const char *text,
                        uint32_t len, uint32_t n_fields)
{
    const char *line = text, *stop = text + len, *end = memchr(text, '\n', len);
    uint32_t lines = 0;
    if (!end || n_fields < (d->delimiter == '\t' ? 2 : 3)) return;
    for (; line < stop; line = end + 1, lines++) {
        end = memchr(line, '\n', (size_t)(stop - line));
        if (!end) end = stop;
        if (csv_swallowed_count(line, (size_t)(end - line), d->delimiter) != n_fields - 1) return;
    }
    s->lines += lines;
    if (s->n++) return;
    s->len = (uint32_t)((const char *)memchr(text, '\n', len) - text);
    if (s->len > CSV_OTHER_BYTES) s->len = CSV_OTHER_BYTES;
    memcpy(s->text, text, s->len);
}

void csv_swallowed_add(struct csv_swallowed *to, const struct csv_swallowed *s)
{
    const uint64_t n = to->n + s->n, lines = to->lines + s->lines;
    if (!to->n) *to = *s;
    to->n = n;
    to->lines = lines;
}

void csv_swallowed_warn(const struct csv_swallowed *s, struct leat_ctx *ctx)
{
    if (!s->n) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "%llu lines, each of which has all fields, became %llu records, because they "
                   "stand between quotes; the first line is '%.*s'. If quotes are text in this "
                   "file, set quote = \"\"",
                   (unsigned long long)s->lines, (unsigned long long)s->n, (int)s->len, s->text);
}
