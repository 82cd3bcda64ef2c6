/* csv.h -- splits one CSV record into its fields.
 *
 * The record comes without its line end (framing.h finds that). A field that begins with the quote
 * ends at the next quote that is not doubled, and a delimiter or the record's end must follow; in
 * all other fields a quote is a character like any other. Blanks belong to the field.
 */
#ifndef LEAT_KERNELS_TEXT_CSV_H
#define LEAT_KERNELS_TEXT_CSV_H

#include <stdint.h>

struct csv_dialect {
    char delimiter;
    char quote;       /* '\0': none                                                             */
    const char *more; /* bytes of the delimiter behind its first; NULL: none. Only without quotes */
};

/* A field's text in the record, without the quotes around it. */
struct csv_field {
    uint32_t off, len;
    uint32_t doubled; /* doubled quotes in it: csv_unescape() takes that many bytes out */
};

enum csv_result {
    CSV_OK,
    CSV_OPEN_QUOTE, /* *at: where the quote stands that is never closed           */
    CSV_AFTER_QUOTE /* *at: where text follows a closing quote                    */
};

/* Split rec[0, n): *n_fields is how many there are, the first `cap` of them are in `field`. An
 * empty record is one empty field. No aliasing. On a wrong quote *at is its offset, and *n_fields
 * counts the fields before. cost O(n), 8 bytes a step where there is no quote. */
enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at);

/* Copy src[0, n) with doubled quotes made single; returns the bytes written, n - doubled. No
 * aliasing; `out` has room for n bytes at most. */
uint32_t csv_unescape(const char *restrict src, uint32_t n, char quote, char *restrict out);

#endif
