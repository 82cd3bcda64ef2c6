/* libffm.h -- one record of libffm's text (field-aware factorization machines) into ids and values.
 *
 *   record = label { blank entry } [ blank ]
 *   entry  = field ":" index ":" value
 *   blank  = spaces and tabs
 *
 *   label  a decimal number (decimal.h), finite as a float
 *   field, index   plain digits that fit 64 bits, in any order
 *   value  a decimal number, finite as a float
 *
 * A feature is the pair of its field and its index: its id is libffm_id(field, index). An entry
 * that comes twice gives two entries. There are no comments. Blanks before the label and line ends
 * at the end are ignored. */
#ifndef LEAT_KERNELS_TEXT_LIBFFM_H
#define LEAT_KERNELS_TEXT_LIBFFM_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_id.h"

enum libffm_status {
    LIBFFM_OK = 0,
    LIBFFM_NOTHING,         /* blank                                       */
    LIBFFM_LABEL,           /* the label is not a number                   */
    LIBFFM_LABEL_NONFINITE, /* the label is NaN, infinite, or too large    */
    LIBFFM_FIELD,           /* an entry does not begin with digits and ":" */
    LIBFFM_INDEX,           /* digits and ":" do not follow the field      */
    LIBFFM_VALUE,           /* the text after the second ":" is no number  */
    LIBFFM_VALUE_NONFINITE, /* the value is NaN, infinite, or too large    */
    LIBFFM_FULL             /* the record has more than cap entries        */
};

struct libffm_row {
    /* in */
    uint64_t *id; /* cap of each */
    float *value;
    size_t cap;
    /* Called for each entry, in order, with its text "field:index"; NULL: not called. */
    void (*name)(void *self, size_t entry, const char *name, size_t len);
    void *self;

    /* out */
    size_t n;       /* entries written       */
    double label;   /* finite as a float     */
    const char *at; /* on an error: the text that is wrong, in the record */
    size_t at_len;
};

/* Ids are part of a saved model: this must never change. */
static inline uint64_t libffm_id(uint64_t field, uint64_t index)
{
    return feature_id_pair(feature_id_part(field), feature_id_part(index), 1);
}

/* Parse the record [p, end). On an error the arrays may hold some entries, and n is unspecified.
 * Reads nothing outside. Cost: one pass, no allocation. */
enum libffm_status libffm_parse(const char *p, const char *end, struct libffm_row *row);

#endif
