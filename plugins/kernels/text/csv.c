/* csv.c -- implementation of csv.h
 *
 * Source: RFC 4180, section 2. Where the RFC is vague, csv.h states the rule.
 *
 * Most records have no quote, so they have a fast path: their fields are the text between
 * delimiters. Delimiters and quotes are found 64 bytes at a time, as masks (byte_mask.h). The masks
 * of the last 64 bytes are kept, because the next record often begins in them.
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

/* Sets the masks to those of the bytes from `block` on. */
static void csv_look(const struct csv_dialect *d, struct csv_text *t, uint32_t block)
{
    char last[BYTE_MASK] = {0};
    const char *p = t->bytes + block;
    if (t->n - block < BYTE_MASK) p = memcpy(last, p, t->n - block);
    t->delimiters = byte_mask(p, d->delimiter);
    t->quotes = d->quote ? byte_mask(p, d->quote) : 0;
    t->block = block;
}

/* Sets the numbers to[0], to[stride], … to the ends of the first `cap` fields of the n bytes from
 * `off` on, counted from there. Sets *n_fields. Returns false if the bytes have a quote. */
static inline bool csv_find_ends(const struct csv_dialect *d, struct csv_text *t, uint32_t off,
                                 uint32_t n, uint32_t *to, uint32_t stride, uint32_t cap,
                                 uint32_t *n_fields)
{
    const uint32_t end = off + n;
    uint32_t k = 0;
    for (uint32_t block = off & ~(BYTE_MASK - 1u); n && block < end; block += BYTE_MASK) {
        if (t->block != block) csv_look(d, t, block);
        uint64_t mask = byte_mask_range(block < off ? off - block : 0,
                                        end - block < BYTE_MASK ? end - block : BYTE_MASK);
        if (t->quotes & mask) return false;
        for (uint64_t hits = t->delimiters & mask; hits; hits &= hits - 1, k++)
            if (k < cap) to[k * stride] = block + (uint32_t)__builtin_ctzll(hits) - off;
    }
    if (k < cap) to[k * stride] = n;
    *n_fields = k + 1;
    return true;
}

bool csv_ends(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off, uint32_t n,
              uint32_t *restrict end, uint32_t cap, uint32_t *n_fields)
{
    return !d->more && csv_find_ends(d, t, off, n, end, 1, cap, n_fields);
}

/* Splits a record without quotes. Returns false if it has one. */
static bool split_plain(const struct csv_dialect *d, struct csv_text *t, uint32_t off, uint32_t n,
                        struct fields *f)
{
    enum { STRIDE = sizeof(struct csv_field) / sizeof(uint32_t) };
    uint32_t from = 0;
    if (!csv_find_ends(d, t, off, n, f->cap ? &f->v->len : NULL, STRIDE, f->cap, &f->n))
        return false;
    for (uint32_t i = 0; i < f->n && i < f->cap; i++) {
        uint32_t end = f->v[i].len;
        f->v[i] = (struct csv_field){from, end - from, 0};
        from = end + 1;
    }
    return true;
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

enum csv_result csv_split_at(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off,
                             uint32_t n, struct csv_field *restrict field, uint32_t cap,
                             uint32_t *n_fields, uint32_t *at)
{
    struct fields f = {field, 0, cap};
    enum csv_result result = CSV_OK;
    assert(!d->more || !d->quote);
    *at = 0;
    if (d->more) {
        split_several(d, t->bytes + off, n, &f);
    } else if (!split_plain(d, t, off, n, &f)) {
        f.n = 0;
        result = split_quoted(d, t->bytes + off, n, &f, at);
    }
    *n_fields = f.n;
    return result;
}

enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at)
{
    struct csv_text t = csv_text_of(rec, n);
    return csv_split_at(d, &t, 0, n, field, cap, n_fields, at);
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
