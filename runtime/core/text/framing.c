/* framing.c -- cuts a stream of bytes into lines or CSV records.
 *
 * struct framing keeps how far the record at the window's start has been searched. The CSV grammar
 * is RFC 4180, section 2, with the exceptions in framing.h.
 *
 * Speed. The search goes from quote to quote, not from field to field. Outside quoted fields, a
 * quote opens a field exactly if the byte before it is a delimiter, or if it is the record's first
 * byte. So no scan for delimiters is needed, and memchr does all the work. A line without quotes
 * needs only one memchr for \n; `plain` tells that it has no quote, by one search for many lines.
 *
 * Linear time. After FRAMING_QUOTE the search starts again with the next line, in text that it has
 * searched before. That happens at most once for each byte. Inside a quoted field, an odd run of
 * quotes closes the field and an even run does not. At the start of a field, only an odd run leaves
 * the field open. So no line that was passed over in the search for a closing quote could itself
 * have opened a field. A quote after a backslash opens none either.
 *
 * Invariants: at = 0 until a quote is found; opened < at while `quoted`.
 * tests/unit/core/text/test_framing.c feeds every window byte by byte and compares with a reader
 * that sees the whole text. Not here: reading, the byte order mark, header records, skipping of
 * long records (host/flow/cut.c). */
#include "framing.h"

#include <assert.h>
#include <string.h>

#include "byte_mask.h"

void framing_init(struct framing *f, enum framing_kind kind, char delimiter, char quote,
                  bool escapes, size_t max_record)
{
    assert(max_record <= SIZE_MAX - 2);
    *f = (struct framing){.kind = quote ? kind : FRAMING_LINES,
                          .delimiter = delimiter,
                          .quote = quote,
                          .escapes = escapes,
                          .max_record = max_record};
}

void framing_reset(struct framing *f)
{
    f->at = f->opened = f->no_line = f->plain = 0;
    f->quoted = false;
}

/* Returns the offset of byte c in p[from, n); n if there is none. */
static size_t framing_find(const char *p, size_t from, size_t n, char c)
{
    const char *hit = from < n ? memchr(p + from, c, n - from) : NULL;
    return hit ? (size_t)(hit - p) : n;
}

static uint32_t framing_count_lines(const char *p, size_t n)
{
    uint32_t lines = 0;
    for (size_t i = 0; (i = framing_find(p, i, n, '\n')) < n; i++)
        lines++;
    return lines;
}

/* Cuts the record before the line end at p[end]; end = n at the end of the input. */
static enum framing_result cut_at(struct framing *f, const char *p, size_t end, size_t n,
                                  uint32_t lines, enum framing_result what, struct framing_cut *cut)
{
    size_t len = end && p[end - 1] == '\r' ? end - 1 : end;
    if (len > f->max_record) return FRAMING_LONG;
    *cut = (struct framing_cut){.len = len, .used = end < n ? end + 1 : n, .lines = lines};
    f->plain = f->plain > cut->used ? f->plain - cut->used : 0;
    f->at = f->opened = f->no_line = 0;
    f->quoted = false;
    return what;
}

/* Cuts off only the first line, whose quoted field is not closed properly. The result is
 * FRAMING_QUOTE. */
static enum framing_result cut_line(struct framing *f, const char *p, size_t n, bool eof,
                                    struct framing_cut *cut)
{
    size_t end = framing_find(p, 0, n, '\n');
    if (end == n && !eof) return FRAMING_LONG;
    return cut_at(f, p, end, n, end < n, FRAMING_QUOTE, cut);
}

/* True if a backslash makes the quote at p[q] text. Looks at the backslashes before it, so at no
 * byte twice. */
static bool framing_is_escaped(const struct framing *f, const char *p, size_t q)
{
    size_t i = q;
    while (f->escapes && i > f->opened + 1 && p[i - 1] == '\\')
        i--;
    return (q - i) & 1;
}

/* Moves `at` past the quote that closes the open field. Returns false if the window does not tell
 * which quote that is. */
static bool close_quote(struct framing *f, const char *p, size_t n, bool eof)
{
    for (size_t q; (q = framing_find(p, f->at, n, f->quote)) < n;) {
        f->at = q + 1;
        if (framing_is_escaped(f, p, q)) continue;
        if (q + 1 == n && !eof) { /* may be the first of two quotes, which mean one character */
            f->at = q;
            return false;
        }
        if (q + 1 == n || p[q + 1] != f->quote) {
            f->quoted = false;
            return true;
        }
        f->at = q + 2;
    }
    f->at = n;
    return false;
}

/* True if the closing quote before `at` is in a later line than the opening quote, and neither a
 * delimiter nor a line end follows it. */
static bool closed_by_an_opening_quote(const struct framing *f, const char *p, size_t n)
{
    if (f->at >= n) return false;
    char next = p[f->at];
    if (next == f->delimiter || next == '\n' || next == '\r') return false;
    return framing_find(p, f->opened, f->at, '\n') < f->at;
}

/* Returns the offset of the next line end in p[0, n); n if there is none. If a quote opens a field
 * before the line end, sets `quoted` and stops there. */
static size_t next_line_end(struct framing *f, const char *p, size_t n)
{
    if (f->no_line < f->at) f->no_line = f->at;
    size_t end = f->no_line = framing_find(p, f->no_line, n, '\n');
    for (size_t q; (q = framing_find(p, f->at, end, f->quote)) < end;) {
        f->at = q + 1;
        if (q == 0 || p[q - 1] == f->delimiter) {
            f->opened = q;
            f->quoted = true;
            break;
        }
    }
    if (!f->quoted) f->at = end;
    return end;
}

/* Finds the end of a record that has a quote. */
static enum framing_result next_quoted(struct framing *f, const char *p, size_t n, bool eof,
                                       struct framing_cut *cut)
{
    bool whole = eof && n <= f->max_record + 2;
    if (n > f->max_record + 2) n = f->max_record + 2;
    for (;;) {
        if (f->quoted) {
            if (!close_quote(f, p, n, whole)) {
                if (whole || n == f->max_record + 2) return cut_line(f, p, n, whole, cut);
                return FRAMING_MORE;
            }
            if (closed_by_an_opening_quote(f, p, n)) return cut_line(f, p, n, whole, cut);
        }
        size_t end = next_line_end(f, p, n);
        if (f->quoted) continue;
        if (end < n || whole) {
            uint32_t lines = framing_count_lines(p, end < n ? end + 1 : n);
            enum framing_result r = cut_at(f, p, end, n, lines, FRAMING_RECORD, cut);
            return r == FRAMING_LONG ? cut_line(f, p, n, whole, cut) : r;
        }
        return n == f->max_record + 2 ? cut_line(f, p, n, false, cut) : FRAMING_MORE;
    }
}

/* ---- FRAMING_EVENTS: a record is a line and the lines after it ---- */

void framing_of_events(struct framing *f, bool (*starts)(void *pattern, const char *line, size_t n),
                       void *pattern)
{
    f->kind = FRAMING_EVENTS;
    f->starts = starts;
    f->pattern = pattern;
}

/* Cuts the lines before `at` as a record. */
static enum framing_result cut_event(struct framing *f, const char *p, struct framing_cut *cut)
{
    return cut_at(f, p, f->at - 1, f->at, framing_count_lines(p, f->at), FRAMING_RECORD, cut);
}

enum framing_result framing_flush(struct framing *f, const char *p, struct framing_cut *cut)
{
    return f->kind == FRAMING_EVENTS && f->at ? cut_event(f, p, cut) : FRAMING_MORE;
}

static bool starts_at(const struct framing *f, const char *p, size_t end)
{
    size_t len = end - f->at;
    if (len && p[end - 1] == '\r') len--;
    return f->starts(f->pattern, p + f->at, len);
}

/* True if the record ends before the line p[at, end), which is not its first line. */
static bool ends_before(const struct framing *f, const char *p, size_t end)
{
    return end > f->max_record || starts_at(f, p, end);
}

/* Finds the end of an event. The lines before `at` belong to the record; at = 0 before the first
 * line. */
static enum framing_result next_event(struct framing *f, const char *p, size_t n, bool eof,
                                      struct framing_cut *cut)
{
    while (f->at < n) {
        if (f->no_line < f->at) f->no_line = f->at;
        size_t end = f->no_line = framing_find(p, f->no_line, n, '\n');
        if (end == n && !eof) {
            if (n < f->max_record + 2) return FRAMING_MORE;
            return f->at ? cut_event(f, p, cut) : FRAMING_LONG;
        }
        if (f->at && ends_before(f, p, end)) return cut_event(f, p, cut);
        if (end == n) return cut_at(f, p, n, n, framing_count_lines(p, n), FRAMING_RECORD, cut);
        if (end - (end && p[end - 1] == '\r') > f->max_record) return FRAMING_LONG;
        f->at = end + 1;
    }
    return eof || n >= f->max_record + 2 ? cut_event(f, p, cut) : FRAMING_MORE;
}

/* True if p[0, end) has no quote. Searches the whole window, so one search serves many records. */
static bool framing_is_plain(struct framing *f, const char *p, size_t end, size_t n)
{
    if (f->plain < end) f->plain = framing_find(p, f->plain, n, f->quote);
    return f->plain >= end;
}

/* Returns where the text ends in which every line is a record: at the first quote, or after n
 * bytes. */
static size_t framing_plain_end(struct framing *f, const char *p, size_t n)
{
    if (n > INT32_MAX) n = INT32_MAX;
    if (f->kind == FRAMING_LINES || framing_is_plain(f, p, n, n)) return n;
    return f->plain;
}

uint32_t framing_next_lines(struct framing *f, const char *p, size_t n, uint32_t most,
                            uint32_t *line)
{
    uint32_t k = 0;
    size_t from = 0;
    if (f->kind == FRAMING_EVENTS || f->at || f->no_line) return 0;
    n = framing_plain_end(f, p, n);
    for (size_t block = 0; block < n && k < most; block += BYTE_MASK) {
        const size_t left = n - block;
        uint64_t hits = left >= BYTE_MASK ? byte_mask(p + block, '\n')
                                          : byte_mask_of_end(p + block, left, '\n');
        for (; hits && k < most; hits &= hits - 1) {
            size_t end = block + (size_t)__builtin_ctzll(hits);
            if (end - from > f->max_record) goto out; /* perhaps too long */
            line[k++] = (uint32_t)end;
            from = end + 1;
        }
    }
out:
    f->plain = f->plain > from ? f->plain - from : 0;
    return k;
}

enum framing_result framing_next(struct framing *f, const char *p, size_t n, bool eof,
                                 struct framing_cut *cut)
{
    if (n == 0) return FRAMING_MORE;
    if (f->kind == FRAMING_EVENTS) return next_event(f, p, n, eof, cut);
    if (f->at > 0) return next_quoted(f, p, n, eof, cut);
    size_t end = f->no_line = framing_find(p, f->no_line, n, '\n');
    if (f->kind == FRAMING_CSV && !framing_is_plain(f, p, end, n)) {
        f->at = f->plain; /* the first quote; next_quoted moves `at` past it */
        return next_quoted(f, p, n, eof, cut);
    }
    if (end < n || eof) return cut_at(f, p, end, n, end < n, FRAMING_RECORD, cut);
    return n >= f->max_record + 2 ? FRAMING_LONG : FRAMING_MORE;
}
