/* csv.c -- implementation of csv.h
 *
 * Source: RFC 4180, section 2. Where the RFC is vague, csv.h states the rule.
 *
 * Most records have no quote, so they have a fast path: their fields are the text between
 * delimiters, which are found eight bytes at a time. XOR with the delimiter in every byte makes
 * each match a zero byte. The exact zero-byte test below has no carry between bytes and sets the
 * high bit of each match. Counting trailing zeros then yields the matches in order. Fields are
 * short (about 8 bytes), so calling memchr for each field would cost more than the search itself.
 *
 * Out of scope: the end of a record (framing.c), the meaning of a field's text (parse.csv). */
#include "csv.h"

#include <assert.h>
#include <string.h>

#include "decimal.h"

#define LOW7 0x7f7f7f7f7f7f7f7full
#define ONES 0x0101010101010101ull

/* Returns a word with the high bit of each byte of w that is 0. */
static uint64_t zero_bytes(uint64_t w) { return ~(((w & LOW7) + LOW7) | w | LOW7); }

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

static void split_plain(char delimiter, const char *rec, uint32_t n, struct fields *f)
{
    uint64_t pattern = ONES * (unsigned char)delimiter;
    uint32_t from = 0, i = 0;
    for (; n - i >= 8; i += 8) {
        for (uint64_t m = zero_bytes(decimal_load8(rec + i) ^ pattern); m; m &= m - 1) {
            uint32_t hit = i + (uint32_t)__builtin_ctzll(m) / 8;
            csv_add_field(f, from, hit, 0);
            from = hit + 1;
        }
    }
    for (; i < n; i++) {
        if (rec[i] != delimiter) continue;
        csv_add_field(f, from, i, 0);
        from = i + 1;
    }
    csv_add_field(f, from, n, 0);
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

static enum csv_result split_quoted(const struct csv_dialect *d, const char *rec, uint32_t n,
                                    struct fields *f, uint32_t *at)
{
    for (uint32_t i = 0;; i++) {
        uint32_t end;
        if (i < n && rec[i] == d->quote) {
            uint32_t doubled, q = closing_quote(rec, i + 1, n, d->quote, &doubled);
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
    else if (d->quote && n && memchr(rec, d->quote, n))
        result = split_quoted(d, rec, n, &f, at);
    else
        split_plain(d->delimiter, rec, n, &f);
    *n_fields = f.n;
    return result;
}

uint32_t csv_unescape(const char *restrict src, uint32_t n, char quote, char *restrict out)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t q = find_char(src, i, n, quote);
        uint32_t piece = (q < n ? q + 1 : n) - i; /* includes the first of the two quotes */
        memcpy(out + written, src + i, piece);
        written += piece;
        i = q + 2;
    }
    return written;
}
