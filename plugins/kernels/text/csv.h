/* csv.h -- splits one CSV record into its fields
 *
 * The record has no line end; the framing (framing.h) removed it. A field that begins with a quote
 * ends at the next quote that is not doubled. A delimiter or the end of the record must follow. In
 * all other fields a quote is an ordinary character. Blanks are part of the field.
 *
 *   example   a,"b ""c""",  d     [a]   [b ""c""], with 2 doubled quotes: b "c"   [  d]
 */
#ifndef LEAT_KERNELS_TEXT_CSV_H
#define LEAT_KERNELS_TEXT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv_dialect {
    char delimiter;
    char quote;       /* '\0' for none                                                   */
    const char *more; /* further bytes of a long delimiter, or NULL; requires quote '\0' */
    bool escapes;     /* in quotes, a backslash makes a quote, a backslash or a line end text */
};

/* Range of a field's text in the record, without the quotes around it. */
struct csv_field {
    uint32_t off, len;
    uint32_t doubled; /* bytes that csv_unescape() leaves out: of doubled quotes and of escapes */
};

enum csv_result {
    CSV_OK,
    CSV_OPEN_QUOTE, /* a quote is never closed; *at is its offset                    */
    CSV_AFTER_QUOTE /* a closing quote is followed by text; *at is the text's offset */
};

/* Splits rec[0, n). Sets *n_fields to the number of fields, and writes the first `cap` of them to
 * `field`. An empty record has one empty field. If a quote is wrong, *n_fields is the number of
 * fields before the faulty one, and *at is the offset of the fault. rec and field must not overlap.
 * Cost O(n). */
enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at);

enum {
    CSV_PIECE = 1 << 14, /* bytes of text that are searched together */
    CSV_SPARE = 3        /* numbers that may be written behind the delimiters */
};

/* Text with many records, which do not change while they are split, and the places of delimiters
 * and quotes in a piece of it. */
struct csv_text {
    const char *bytes;
    uint32_t n;
    uint32_t passed, end;      /* the records to split next are in [passed, end) of the piece */
    uint32_t quote;            /* its first quote there; UINT32_MAX: none */
    uint32_t at, n_delimiters; /* at: first delimiter there, or one before it */
    uint32_t
        delimiter[CSV_PIECE + CSV_SPARE]; /* n_delimiters offsets in `bytes`, then UINT32_MAX */
};

static inline void csv_text_begin(struct csv_text *t, const char *bytes, uint32_t n)
{
    t->bytes = bytes;
    t->n = n;
    t->passed = t->end = 0;
    t->quote = UINT32_MAX;
    t->at = t->n_delimiters = 0;
    t->delimiter[0] = UINT32_MAX;
}

/* Splits the record of n bytes at `off` in the text, like csv_split(). All calls for one text have
 * the same dialect. Fastest if the records are in ascending order, and shorter than CSV_PIECE. */
enum csv_result csv_split_at(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off,
                             uint32_t n, struct csv_field *restrict field, uint32_t cap,
                             uint32_t *n_fields, uint32_t *at);

/* Searches the piece of the text that begins at `off`, for csv_find(). */
void csv_look(const struct csv_dialect *d, struct csv_text *t, uint32_t off);
/* Moves t->quote to the first quote of the piece from `off` on, for csv_find(). */
void csv_next_quote(const struct csv_dialect *d, struct csv_text *t, uint32_t off);

/* Sets t->at to the first delimiter from `off` on. Returns false if the n bytes there have a quote
 * or are more than a piece, or if the dialect has a long delimiter. */
static inline bool csv_find(const struct csv_dialect *d, struct csv_text *t, uint32_t off,
                            uint32_t n)
{
    if (off < t->passed || off + n > t->end) {
        if (n > CSV_PIECE || d->more) return false;
        csv_look(d, t, off);
    }
    t->passed = off;
    while (t->delimiter[t->at] < off)
        t->at++;
    if (t->quote < off) csv_next_quote(d, t, off);
    return t->quote >= off + n;
}

/* Finds the fields of the record of n bytes at `off`, if there are n_fields (at least 1). Returns
 * the offsets in the text of the n_fields - 1 delimiters between them. Returns NULL if the record
 * has another number of fields, and may return NULL if it has a quote or is longer than CSV_PIECE,
 * or if the dialect has a long delimiter. The offsets are valid until the next call. */
static inline const uint32_t *csv_delimiters(const struct csv_dialect *d, struct csv_text *t,
                                             uint32_t off, uint32_t n, uint32_t n_fields)
{
    if (!csv_find(d, t, off, n)) return NULL;
    const uint32_t *found = t->delimiter + t->at, end = off + n, inner = n_fields - 1;
    if (t->n_delimiters - t->at < inner || found[inner] < end) return NULL;
    if (inner && found[inner - 1] >= end) return NULL;
    t->at += inner;
    t->passed = end;
    return found;
}

/* Copies the text src[0, n) of a quoted field to `out`, and makes doubled quotes and escapes single
 * bytes. Returns the bytes written, which are n minus `doubled`; `out` must have room for them. src
 * and out must not overlap. */
uint32_t csv_unescape(const struct csv_dialect *d, const char *restrict src, uint32_t n,
                      char *restrict out);

#endif
