/* csv.h -- splits one CSV record into its fields.
 *
 * The record comes without its line end (framing.h finds that). A field that begins with the quote
 * ends at the next quote that is not doubled, and a delimiter or the record's end must follow; in
 * all other fields a quote is a character like any other. Blanks belong to the field.
 *
 *   example   a,"b ""c""",  d     [a]   [b ""c""], with 2 doubled quotes: b "c"   [  d]
 */
#ifndef LEAT_KERNELS_TEXT_CSV_H
#define LEAT_KERNELS_TEXT_CSV_H

#include <stdint.h>

struct csv_dialect {
    char delimiter;
    char quote;       /* '\0': none                                                          */
    const char *more; /* the delimiter's bytes after its first; NULL: none. Needs quote '\0' */
};

/* A field's text in the record, without the quotes around it. */
struct csv_field {
    uint32_t off, len;
    uint32_t doubled; /* doubled quotes in it: csv_unescape() removes as many bytes */
};

enum csv_result {
    CSV_OK,
    CSV_OPEN_QUOTE, /* a quote is never closed: *at is its offset                 */
    CSV_AFTER_QUOTE /* text follows a closing quote: *at is the offset of the text */
};

/* Splits rec[0, n): *n_fields becomes the number of fields, and the first `cap` of them are written
 * to `field`. An empty record is one empty field. No aliasing. Where a quote is wrong, *n_fields
 * counts the fields before it. Cost O(n), 8 bytes a step where there is no quote. */
enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at);

/* Copies src[0, n) with doubled quotes made single. Returns the bytes written, n - doubled, which
 * `out` must hold. No aliasing. */
uint32_t csv_unescape(const char *restrict src, uint32_t n, char quote, char *restrict out);

#endif
