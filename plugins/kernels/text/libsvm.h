/* libsvm.h -- one record of sparse text into ids and values.
 *
 *   record  = label { blank entry } [ blank ] [ "#" comment ]          blank: spaces, tabs
 *   entry   = index ":" value | "qid:" text | name ":" value | name    the last two: only with
 * names
 *
 *   index   plain digits that fit 64 bits; the id is that number. Any order; an index that comes
 * twice gives two entries (in a sparse dot product they add up). name    any other bytes but
 * blanks; the last ":" of the entry parts it from the value. The id is feature_id_name(name).
 * Without ":" the value is 1; so it is of a bare index. value, label   a decimal number
 * (decimal.h), finite as a float.
 *   "#"     begins a comment where an entry could begin, or directly behind a number or a qid;
 * inside a name it is a letter: "c#:1" is a feature.
 *
 * Blanks before the label and line ends at the end are ignored. */
#ifndef LEAT_KERNELS_TEXT_LIBSVM_H
#define LEAT_KERNELS_TEXT_LIBSVM_H

#include <stddef.h>
#include <stdint.h>

enum libsvm_status {
    LIBSVM_OK = 0,
    LIBSVM_NOTHING,         /* blank, or only a comment                          */
    LIBSVM_LABEL,           /* the label is no number                            */
    LIBSVM_LABEL_NONFINITE, /* the label is NaN, infinite, or too large          */
    LIBSVM_VALUE,           /* what follows ":" is no number, or nothing         */
    LIBSVM_VALUE_NONFINITE, /* … is NaN, infinite, or too large for a float      */
    LIBSVM_NAME,            /* a name where indexes are asked for                */
    LIBSVM_NO_COLON,        /* an entry without ":" where names are not asked for */
    LIBSVM_NO_NAME,         /* nothing stands before ":"                         */
    LIBSVM_FULL             /* more entries than there is room for               */
};

struct libsvm_row {
    /* in */
    uint64_t *id; /* room for cap */
    float *value; /* room for cap */
    size_t cap;
    /* Called for each entry with a name, in order; NULL: names are errors. */
    void (*name)(void *self, size_t entry, const char *name, size_t len);
    void *self;

    /* out */
    size_t n;        /* entries written                                       */
    double label;    /* finite as a float                                     */
    const char *qid; /* the text behind the last "qid:"; NULL: there was none */
    size_t qid_len;
    const char *at; /* on an error: the text that is wrong, in the record    */
    size_t at_len;
};

/* Parse the record [p, end). `limit` >= end is the end of readable memory: bytes between end and
 * limit may be read, and never change the outcome; a limit at least 24 bytes behind end is fastest.
 * On an error the arrays may hold some entries, and n is unspecified. Cost: one pass, no
 * allocation. */
enum libsvm_status libsvm_parse(const char *p, const char *end, const char *limit,
                                struct libsvm_row *row);

#endif
