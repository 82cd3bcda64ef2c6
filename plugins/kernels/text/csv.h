/* csv.h -- splits one CSV record into its fields
 *
 * The record comes without its line end (framing.h finds it). A field that begins with the quote
 * ends at the next quote that is not doubled; a delimiter or the record's end must follow. In all
 * other fields a quote is an ordinary character. Blanks belong to the field.
 *
 *   example   a,"b ""c""",  d     [a]   [b ""c""], with 2 doubled quotes: b "c"   [  d]
 */
#ifndef LEAT_KERNELS_TEXT_CSV_H
#define LEAT_KERNELS_TEXT_CSV_H

#include <stdint.h>

struct csv_dialect {
    char delimiter;
    char quote;       /* '\0' for none                                                       */
    const char *more; /* further bytes of the delimiter, or NULL; needs quote '\0' */
};

/* A field's text in the record, without the quotes around it. */
struct csv_field {
    uint32_t off, len;
    uint32_t doubled; /* doubled quotes in it; csv_unescape() removes one byte for each */
};

enum csv_result {
    CSV_OK,
    CSV_OPEN_QUOTE, /* a quote is never closed; *at is its offset                 */
    CSV_AFTER_QUOTE /* text follows a closing quote; *at is the text's offset */
};

/* Splits rec[0, n). Sets *n_fields to the number of fields, and writes the first `cap` of them to
 * `field`. An empty record is one empty field. No aliasing. If a quote is wrong, *n_fields counts
 * the fields before it. Cost O(n), in steps of 8 bytes if the record has no quote. */
enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at);

/* Copies src[0, n) and makes doubled quotes single. Returns the bytes written, n - doubled, for
 * which `out` must have room. No aliasing. */
uint32_t csv_unescape(const char *restrict src, uint32_t n, char quote, char *restrict out);

#endif
