/* framing.c -- cuts a stream of bytes into lines or CSV records.
 *
 * State: how far the record at the window's start has been searched (struct framing). Source: the
 * CSV grammar is RFC 4180, section 2, with the leniencies that framing.h names.
 *
 * Why it hops from quote to quote and not from field to field: outside quotes, a quote byte opens a
 * field exactly if a delimiter or the record's start precedes it. So the delimiters between quotes
 * need no scan, and memchr, the fastest function of libc, does all the work. One memchr for \n
 * decides a line without a quote (`plain` knows, by one search for many lines).
 *
 * Why it stays linear although it cuts off a line and starts over: inside quotes, an odd run of
 * quotes closes the field and an even run does not. At the start of a field only an odd run leaves
 * the field open. So no line passed over during the search for a closing quote could itself have
 * opened a field. Text searched a second time is not searched a third.
 *
 * Invariants: at = 0 until a quote is met; while quoted, opened < at.
 * tests/unit/core/text/test_framing.c feeds every window byte by byte and compares with a reader
 * that sees the whole text. Not here: reading, the byte order mark, header records, skipping of
 * long records (host/flow/cut.c). */
#include "framing.h"

#include <assert.h>
#include <string.h>

void framing_init(struct framing *f, enum framing_kind kind, char delimiter, char quote,
                  size_t max_record)
{
    assert(max_record <= SIZE_MAX - 2);
    *f = (struct framing){.kind = quote ? kind : FRAMING_LINES,
                          .delimiter = delimiter,
                          .quote = quote,
                          .max_record = max_record};
}

void framing_reset(struct framing *f)
{
    f->at = f->opened = f->no_line = f->plain = 0;
    f->quoted = false;
}

/* Offset of byte c in p[from, n), or n. */
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

/* Cuts at the line end `end`, or at the end of the input if end = n. */
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

/* Cuts off only the first line, because the record does not end where it should. */
static enum framing_result cut_line(struct framing *f, const char *p, size_t n, bool eof,
                                    struct framing_cut *cut)
{
    size_t end = framing_find(p, 0, n, '\n');
    if (end == n && !eof) return FRAMING_LONG;
    return cut_at(f, p, end, n, end < n, FRAMING_QUOTE, cut);
}

/* Moves to the quote that closes the open field. Returns false if the window ends before that is
 * known. */
static bool close_quote(struct framing *f, const char *p, size_t n, bool eof)
{
    for (size_t q; (q = framing_find(p, f->at, n, f->quote)) < n; f->at = q + 2) {
        if (q + 1 == n && !eof) { /* perhaps the first of two */
            f->at = q;
            return false;
        }
        if (q + 1 < n && p[q + 1] == f->quote) continue;
        f->at = q + 1;
        f->quoted = false;
        return true;
    }
    f->at = n;
    return false;
}

/* True if the quote that closed the field at `at` is in a later line and in the middle of a
 * field. */
static bool closed_by_an_opening_quote(const struct framing *f, const char *p, size_t n)
{
    if (f->at >= n) return false;
    char next = p[f->at];
    if (next == f->delimiter || next == '\n' || next == '\r') return false;
    return framing_find(p, f->opened, f->at, '\n') < f->at;
}

/* Returns the next line end outside quotes, n if the window has none. Stops before a quote that
 * opens a field and sets `quoted`. */
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

/* Cuts a record with a quote in it. */
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

/* ---- events ---- */

void framing_of_events(struct framing *f, bool (*starts)(void *pattern, const char *line, size_t n),
                       void *pattern)
{
    f->kind = FRAMING_EVENTS;
    f->starts = starts;
    f->pattern = pattern;
}

/* Cuts the lines before `at`. */
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

/* True if a line other than the record's first ends the record before it. */
static bool ends_before(const struct framing *f, const char *p, size_t end)
{
    return end > f->max_record || starts_at(f, p, end);
}

/* Cuts an event. Lines before `at` belong to the record; at = 0: no line was seen. */
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

/* True if p[0, end) has no quote. Looks ahead over the whole window, so one search serves many
 * records. */
static bool framing_is_plain(struct framing *f, const char *p, size_t end, size_t n)
{
    if (f->plain < end) f->plain = framing_find(p, f->plain, n, f->quote);
    return f->plain >= end;
}

enum framing_result framing_next(struct framing *f, const char *p, size_t n, bool eof,
                                 struct framing_cut *cut)
{
    if (n == 0) return FRAMING_MORE;
    if (f->kind == FRAMING_EVENTS) return next_event(f, p, n, eof, cut);
    if (f->at > 0) return next_quoted(f, p, n, eof, cut);
    size_t end = f->no_line = framing_find(p, f->no_line, n, '\n');
    if (f->kind == FRAMING_CSV && !framing_is_plain(f, p, end, n)) {
        f->at = f->plain; /* at most n - 1; the quote there moves it past 0 */
        return next_quoted(f, p, n, eof, cut);
    }
    if (end < n || eof) return cut_at(f, p, end, n, end < n, FRAMING_RECORD, cut);
    return n >= f->max_record + 2 ? FRAMING_LONG : FRAMING_MORE;
}
