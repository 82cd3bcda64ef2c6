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
#include <stdint.h>

struct csv_dialect {
    char delimiter;
    char quote;       /* '\0' for none                                                   */
    const char *more; /* further bytes of a long delimiter, or NULL; requires quote '\0' */
};

/* Range of a field's text in the record, without the quotes around it. */
struct csv_field {
    uint32_t off, len;
    uint32_t doubled; /* number of doubled quotes in the text; csv_unescape() makes them single */
};

enum csv_result {
    CSV_OK,
    CSV_OPEN_QUOTE, /* a quote is never closed; *at is its offset                    */
    CSV_AFTER_QUOTE /* a closing quote is followed by text; *at is the text's offset */
};

/* Splits rec[0, n). Sets *n_fields to the number of fields, and writes the first `cap` of them to
 * `field`. An empty record has one empty field. If a quote is wrong, *n_fields is the number of
 * fields before the faulty one, and *at is the offset of the fault. rec and field must not overlap.
 * Cost O(n), in steps of 64 bytes if the record has no quote. */
enum csv_result csv_split(const struct csv_dialect *d, const char *restrict rec, uint32_t n,
                          struct csv_field *restrict field, uint32_t cap, uint32_t *n_fields,
                          uint32_t *at);

/* Text with many records, which do not change while they are split. Keeps the places of delimiters
 * and quotes in the 64 bytes that were searched last. */
struct csv_text {
    const char *bytes;
    uint32_t n;
    uint32_t block;              /* offset of the 64 bytes; UINT32_MAX: none yet */
    uint64_t delimiters, quotes; /* masks of these bytes (core/text/byte_mask.h) */
};

static inline struct csv_text csv_text_of(const char *bytes, uint32_t n)
{
    return (struct csv_text){.bytes = bytes, .n = n, .block = UINT32_MAX};
}

/* Splits the record of n bytes at `off` in the text, like csv_split(). All calls for one text have
 * the same dialect. Fastest if the records are in ascending order. */
enum csv_result csv_split_at(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off,
                             uint32_t n, struct csv_field *restrict field, uint32_t cap,
                             uint32_t *n_fields, uint32_t *at);

/* Finds the fields of the record of n bytes at `off`, if it has no quote and the dialect has no
 * long delimiter. Otherwise returns false. Sets end[i], for the first `cap` fields, to the offset
 * of the field's end in the record. The next field begins one byte later. */
bool csv_ends(const struct csv_dialect *d, struct csv_text *restrict t, uint32_t off, uint32_t n,
              uint32_t *restrict end, uint32_t cap, uint32_t *n_fields);

/* Copies src[0, n) to `out` and makes doubled quotes single. Returns the bytes written, which are n
 * minus the doubled quotes; `out` must have room for them. src and out must not overlap. */
uint32_t csv_unescape(const char *restrict src, uint32_t n, char quote, char *restrict out);

#endif
