/* libsvm.h -- one record of sparse text into ids and values.
 *
 *   record = label { blank entry } [ blank ] [ "#" comment ]
 *   entry  = index ":" value
 *          | "qid:" text
 *          | name ":" value            these two, and a bare index: only where names are asked for
 *          | name
 *   blank  = spaces and tabs
 *
 *   index  plain digits that fit 64 bits; the id is that number. Indexes come in any order; one
 *          that comes twice gives two entries (in a sparse dot product they add up).
 *   name   any other bytes but blanks; the last ":" of the entry separates it from the value. The
 *          id is feature_id_name(name).
 *   value  a decimal number (decimal.h), finite as a float; 1 where there is no ":".
 *   label  likewise a decimal number, finite as a float.
 *   "#"    begins a comment where an entry could begin, or directly after a number or a qid. Inside
 *          a name it is a letter: "c#:1" is a feature.
 *
 * Blanks before the label and line ends at the end are ignored. */
#ifndef LEAT_KERNELS_TEXT_LIBSVM_H
#define LEAT_KERNELS_TEXT_LIBSVM_H

#include <stddef.h>
#include <stdint.h>

enum libsvm_status {
    LIBSVM_OK = 0,
    LIBSVM_NOTHING,         /* blank, or only a comment                          */
    LIBSVM_LABEL,           /* the label is not a number                             */
    LIBSVM_LABEL_NONFINITE, /* the label is NaN, infinite, or too large           */
    LIBSVM_VALUE,           /* the text after ":" is empty or no number           */
    LIBSVM_VALUE_NONFINITE, /* the value is NaN, infinite, or too large           */
    LIBSVM_NAME,            /* a name where indexes are asked for                 */
    LIBSVM_NO_COLON,        /* an entry without ":" where names are not asked for */
    LIBSVM_NO_NAME,         /* the text before ":" is empty                       */
    LIBSVM_FULL             /* the record has more than cap entries               */
};

struct libsvm_row {
    /* in */
    uint64_t *id; /* cap of each */
    float *value;
    size_t cap;
    /* Called for each entry with a name, in order; NULL: names are errors. */
    void (*name)(void *self, size_t entry, const char *name, size_t len);
    void *self;

    /* out */
    size_t n;        /* entries written                                       */
    double label;    /* finite as a float                                     */
    const char *qid; /* the text after the last "qid:"; NULL: there was none  */
    size_t qid_len;
    const char *at; /* on an error: the text that is wrong, in the record     */
    size_t at_len;
};

/* Parse the record [p, end). `limit` >= end is the end of readable memory: bytes between end and
 * limit may be read, and never change the outcome; a limit at least 24 bytes after end is fastest.
 * On an error the arrays may hold some entries, and n is unspecified. Cost: one pass, no
 * allocation. */
enum libsvm_status libsvm_parse(const char *p, const char *end, const char *limit,
                                struct libsvm_row *row);

#endif
