/* csv.c -- implementation of csv.h
 *
 * Source: RFC 4180, section 2. Where the RFC is vague, csv.h states the rule.
 *
 * Most records have no quote, so they have a fast path: their fields are the text between
 * delimiters. The delimiters of a piece of the text are found together, 64 bytes at a time, as
 * masks (byte_mask.h). Two comparisons then tell if a record has the right number of fields:
 *
 *   text         A05,-8\nA11,14,\n      delimiters 3 10 13, then UINT32_MAX
 *   2 fields     3 < 6 and 10 >= 6: yes     10 < 14 but 13 < 14: no
 *
 * Out of scope: the end of a record (framing.c), the meaning of a field's text (parse.csv). */
#include "csv.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/text/byte_mask.h"

/* Destination of the fields of a record. */
struct fields {
    struct csv_field *v;
    uint32_t n, cap;
};

static inline void csv_add_field(struct fields *f, uint32_t from, uint32_t to, uint32_t doubled)
{
    if (f->n < f->cap) f->v[f->n] = (struct csv_field){from, to - from, doubled};
    f->n++;
}

/* Returns the number of bits that are 1. Without a processor's instruction for it, gcc would call a
 * function. */
static inline uint32_t csv_count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Writes the offset of the lowest hit, or any offset if there is none. Returns the other hits. */
static inline uint64_t csv_put_hit(uint32_t *to, uint32_t block, uint64_t hits)
{
    *to = block + (uint32_t)__builtin_ctzll(hits | UINT64_C(1) << 63);
    return hits & (hits - 1);
}

/* Writes the offsets of the hits, and up to CSV_SPARE further numbers behind them. Returns the
 * number of hits. Writes four at a time: their number is then mostly the same, so the processor
 * predicts the end of the loop. */
static inline uint32_t csv_put_hits(uint32_t *to, uint32_t block, uint64_t hits)
{
    const uint32_t n = csv_count_bits(hits);
    for (; hits; to += 4) {
        hits = csv_put_hit(to, block, hits);
        hits = csv_put_hit(to + 1, block, hits);
        hits = csv_put_hit(to + 2, block, hits);
        hits = csv_put_hit(to + 3, block, hits);
    }
    return n;
}

void csv_look(const struct csv_dialect *d, struct csv_text *t, uint32_t off)
{
    const uint32_t end = t->n - off < CSV_PIECE ? t->n : off + CSV_PIECE;
    const char c = d->delimiter;
    uint32_t block = off, *to = t->delimiter;
    for (; end - block >= BYTE_MASK; block += BYTE_MASK)
        to += csv_put_hits(to, block, byte_mask(t->bytes + block, c));
    to += csv_put_hits(to, block, byte_mask_of_end(t->bytes + block, end - block, c));
    *to = UINT32_MAX;
    t->at = 0;
    t->n_delimiters = (uint32_t)(to - t->delimiter);
    t->passed = off;
    t->end = end;
    t->quote = UINT32_MAX;
    if (d->quote) csv_next_quote(d, t, off);
}

void csv_next_quote(const struct csv_dialect *d, struct csv_text *t, uint32_t off)
{
    const char *hit = memchr(t->bytes + off, d->quote, t->end - off);
    t->quote = hit ? (uint32_t)(hit - t->bytes) : UINT32_MAX;
}

/* Returns the offset of the first byte c in rec[from, n), or n if there is none. */
static uint32_t find_char(const char *rec, uint32_t from, uint32_t n, char c)
{
    const char *hit = from < n ? memchr(rec + from, c, n - from) : NULL;
    return hit ? (uint32_t)(hit - rec) : n;
}

static void split_several(const struct csv_dialect *d, const char *rec, uint32_t n,
                          struct fields *f)
{
    uint32_t more = (uint32_t)strlen(d->more), from = 0, i = 0;
    while ((i = find_char(rec, i, n, d->delimiter)) < n) {
        bool whole = n - i > more && !memcmp(rec + i + 1, d->more, more);
        if (whole) csv_add_field(f, from, i, 0);
        i += whole ? 1 + more : 1;
        if (whole) from = i;
    }
    csv_add_field(f, from, n, 0);
}

/* Returns the offset of the quote that closes the field whose text begins at `from`, or n if there
 * is none. Sets *doubled to the number of doubled quotes in the field. */
static uint32_t closing_quote(const char *rec, uint32_t from, uint32_t n, char quote,
                              uint32_t *doubled)
{
    *doubled = 0;
    uint32_t q = find_char(rec, from, n, quote);
    while (q + 1 < n && rec[q + 1] == quote) {
        ++*doubled;
        q = find_char(rec, q + 2, n, quote);
    }
    return q;
}

/* True if rec[i], in quotes, stands for the byte after it: it is a quote before a quote, or a
 * backslash before a quote, a backslash or a line end. */
static bool csv_is_pair(const struct csv_dialect *d, const char *rec, uint32_t i, uint32_t n)
{
    if (i + 1 >= n) return false;
    const char next = rec[i + 1];
    if (rec[i] == d->quote) return next == d->quote;
    return rec[i] == '\\' && (next == d->quote || next == '\\' || next == '\n' || next == '\r');
}

/* Does the same in a dialect with escapes. */
static uint32_t closing_quote_escaped(const struct csv_dialect *d, const char *rec, uint32_t from,
                                      uint32_t n, uint32_t *doubled)
{
    *doubled = 0;
    for (uint32_t i = from; i < n; i++) {
        bool pair = csv_is_pair(d, rec, i, n);
        if (!pair && rec[i] == d->quote) return i;
        *doubled += pair;
        i += pair;
    }
    return n;
}

static enum csv_result split_quoted(const struct csv_dialect *d, const char *rec, uint32_t n,
                                    struct fields *f, uint32_t *at)
{
    for (uint32_t i = 0;; i++) {
        uint32_t end;
        if (i < n && d->quote && rec[i] == d->quote) {
            uint32_t doubled, q = d->escapes ? closing_quote_escaped(d, rec, i + 1, n, &doubled)
                                             : closing_quote(rec, i + 1, n, d->quote, &doubled);
            *at = q == n ? i : q + 1;
            if (q == n) return CSV_OPEN_QUOTE;
            if (q + 1 < n && rec[q + 1] != d->delimiter) return CSV_AFTER_QUOTE;
            csv_add_field(f, i + 1, q, doubled);
            end = q + 1;
        } else {
            end = find_char(rec, i, n, d->delimiter);
            csv_add_field(f, i, end, 0);
        }
        if (end == n) return CSV_OK;
        i = end;
    }
}

enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at)
{
    struct fields f = {field, 0, cap};
    enum csv_result result = CSV_OK;
    assert(!d->more || !d->quote);
    *at = 0;
    if (d->more)
        split_several(d, rec, n, &f);
    else
        result = split_quoted(d, rec, n, &f, at);
    *n_fields = f.n;
    return result;
}

enum csv_result csv_split_at(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off,
                             uint32_t n, struct csv_field *restrict field, uint32_t cap,
                             uint32_t *n_fields, uint32_t *at)
{
    struct fields f = {field, 0, cap};
    uint32_t from = off;
    if (d->more || !csv_find(d, t, off, n))
        return csv_split(d, t->bytes + off, n, field, cap, n_fields, at);
    for (const uint32_t *next = t->delimiter + t->at; *next < off + n; from = *next++ + 1)
        csv_add_field(&f, from - off, *next - off, 0);
    csv_add_field(&f, from - off, n, 0);
    *n_fields = f.n;
    *at = 0;
    return CSV_OK;
}

uint32_t csv_unescape(const struct csv_dialect *d, const char *restrict src, uint32_t n,
                      char *restrict out)
{
    uint32_t written = 0;
    for (uint32_t i = 0; d->escapes && i < n; i++) {
        i += csv_is_pair(d, src, i, n);
        out[written++] = src[i];
    }
    for (uint32_t i = 0; !d->escapes && i < n;) {
        uint32_t q = find_char(src, i, n, d->quote);
        uint32_t piece = (q < n ? q + 1 : n) - i; /* includes the first of the two quotes */
        memcpy(out + written, src + i, piece);
        written += piece;
        i = q + 2;
    }
    return written;
}
