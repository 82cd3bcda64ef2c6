/* sparse_text.h -- parses records of libsvm, libffm and Vowpal Wabbit into ids and values
 *
 *   example   libsvm   +1 3:0.5 7:2        label 1, ids 3 and 7, values 0.5 and 2
 *             libffm   1 0:3:0.5           label 1, one entry with the id of field 0, index 3
 *             vw       1 2 |user age:0.5   label 1, importance 2, one entry of namespace user
 *
 * Each parser writes the entries of the record [p, end) to id and value. After an error the arrays
 * may hold some entries and n is unspecified; the parser reports the faulty part of the record. */
#ifndef LEAT_KERNELS_TEXT_SPARSE_TEXT_H
#define LEAT_KERNELS_TEXT_SPARSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_id.h"

/* ---- libsvm ----
 *
 *   record = label { blank entry } [ blank ] [ "#" comment ]
 *   entry  = index ":" value
 *          | "qid:" text
 *          | name ":" value            only if names are allowed
 *          | name | index              only if names are allowed
 *   blank  = spaces and tabs
 *
 *   index  plain digits that fit 64 bits; the id is this number. Indexes come in any order; a
 *          repeated index gives two entries, which add up in a sparse dot product.
 *   name   other bytes except blanks; the last ":" of the entry separates the name from the value.
 *          The id is feature_id_name(name).
 *   value  a decimal number (decimal.h), finite as a float; 1 without a ":".
 *   label  a decimal number, finite as a float.
 *   "#"    begins a comment at the start of an entry, or directly after a number or a qid. Inside a
 *          name it is an ordinary character: "c#:1" is a feature.
 *
 * Blanks before the label and line ends at the end are ignored. */

enum libsvm_status {
    LIBSVM_OK = 0,
    LIBSVM_NOTHING,         /* blank, or only a comment                           */
    LIBSVM_LABEL,           /* the label is not a number                          */
    LIBSVM_LABEL_NONFINITE, /* the label is NaN, infinite, or too large           */
    LIBSVM_VALUE,           /* no number after ":"                                */
    LIBSVM_VALUE_NONFINITE, /* the value is NaN, infinite, or too large           */
    LIBSVM_NAME,            /* the entry has a name, but only indexes are allowed */
    LIBSVM_NO_COLON,        /* the entry has no ":", but names are not allowed    */
    LIBSVM_NO_NAME,         /* the text before ":" is empty                       */
    LIBSVM_FULL             /* the record has more than cap entries               */
};

struct libsvm_row {
    /* in */
    uint64_t *id; /* id and value: arrays of cap elements */
    float *value;
    size_t cap;
    /* Called for each entry with a name, in order. If NULL, names are errors. */
    void (*name)(void *self, size_t entry, const char *name, size_t len);
    void *self;

    /* out */
    size_t n;        /* number of entries written           */
    double label;    /* finite as a float                   */
    const char *qid; /* text after the last "qid:", or NULL */
    size_t qid_len;
    const char *comment; /* "#" of the comment, or NULL */
    const char *at;      /* after an error: the faulty part of the record */
    size_t at_len;
};

/* Parses the record [p, end). May read bytes between `end` and `limit`, but they do not affect the
 * result. limit >= end; fastest if limit >= end + 88. After an error the arrays may hold some
 * entries, and n is unspecified. Cost: one pass, no allocation. */
enum libsvm_status libsvm_parse(const char *p, const char *end, const char *limit,
                                struct libsvm_row *row);

/* ---- libffm ----
 *
 *   record = label { blank entry } [ blank ]
 *   entry  = field ":" index ":" value
 *   blank  = spaces and tabs
 *
 *   label  a decimal number (decimal.h), finite as a float
 *   field, index   plain digits that fit 64 bits, in any order
 *   value  a decimal number, finite as a float
 *
 * A feature is the pair of its field and its index; its id is libffm_id(field, index). A repeated
 * entry gives two entries. There are no comments. Blanks before the label and line ends at the end
 * are ignored. */

enum libffm_status {
    LIBFFM_OK = 0,
    LIBFFM_NOTHING,         /* blank                                      */
    LIBFFM_LABEL,           /* the label is not a number                  */
    LIBFFM_LABEL_NONFINITE, /* the label is NaN, infinite, or too large   */
    LIBFFM_FIELD,           /* no digits and ":" at the start of an entry */
    LIBFFM_INDEX,           /* no digits and ":" after the field          */
    LIBFFM_VALUE,           /* no number after the second ":"             */
    LIBFFM_VALUE_NONFINITE, /* the value is NaN, infinite, or too large   */
    LIBFFM_FULL             /* the record has more than cap entries       */
};

struct libffm_row {
    /* in */
    uint64_t *id; /* id and value: arrays of cap elements */
    float *value;
    size_t cap;
    /* Called for each entry, in order, with its text "field:index"; may be NULL. */
    void (*name)(void *self, size_t entry, const char *name, size_t len);
    void *self;

    /* out */
    size_t n;       /* number of entries written                     */
    double label;   /* finite as a float                             */
    const char *at; /* after an error: the faulty part of the record */
    size_t at_len;
};

/* Returns the id of a feature. This function must never change, because saved models contain
 * the ids. */
static inline uint64_t libffm_id(uint64_t field, uint64_t index)
{
    return feature_id_pair(feature_id_part(field), feature_id_part(index), 1);
}

/* Parses the record [p, end). Reads no byte outside of it. After an error the arrays may hold some
 * entries, and n is unspecified. Cost: one pass, no allocation. */
enum libffm_status libffm_parse(const char *p, const char *end, struct libffm_row *row);

/* ---- vw ----
 *
 *   record    = head { "|" namespace }
 *   head      = [ label [ importance [ base ] ] ] [ tag ]
 *   namespace = [ name [ ":" scale ] ] { blank feature }
 *   feature   = name [ ":" value ]
 *   blank     = spaces and tabs
 *
 *   label       a decimal number (decimal.h), finite as a float; optional
 *   importance  a number like the label, at least 0; default 1
 *   base        a number like the label, the prediction that VW starts from; default 0
 *   tag         the last word of the head if it touches the first "|", or the end of a record
 *               without "|", or begins with "'" (which is not part of the tag)
 *   name        any bytes except blanks, ":" and "|"
 *   scale       finite as a float; multiplies all values of the namespace
 *   value       finite as a float, also after scaling; default 1
 *
 * If a blank follows its "|", a namespace has no name. Features come in any order, and a repeated
 * feature gives two entries. VW has no comments; "#" is an ordinary character.
 *
 * The id of a feature is feature_id_value(feature_id_name(namespace), name). In a namespace without
 * a name it is feature_id_name(name), except if the name consists of digits that fit 64 bits. Then
 * the id is this number, like an index of libsvm.
 *
 * This parser refuses some texts that VW accepts by guessing. VW takes "1|a" for an example with
 * the tag "1" and no label; here a number in the place of the label must not touch the first "|",
 * or the end.
 * Features without a name (":0.5") and values that are not numbers are refused as well.
 *
 * Blanks before the head and line ends at the end are ignored. */

enum vw_status {
    VW_OK = 0,
    VW_NOTHING,              /* blank                                                 */
    VW_LABEL,                /* the label is not a number                             */
    VW_LABEL_NONFINITE,      /* the label is NaN, infinite, or too large              */
    VW_LABEL_TOUCHES,        /* a number in the label's place would be a tag          */
    VW_IMPORTANCE,           /* the importance is not a number                        */
    VW_IMPORTANCE_NONFINITE, /* the importance is NaN, infinite, or too large         */
    VW_IMPORTANCE_NEGATIVE,  /* the importance is below 0                             */
    VW_BASE,                 /* the base is not a number                              */
    VW_BASE_NONFINITE,       /* the base is NaN, infinite, or too large               */
    VW_HEAD,                 /* a word follows the base                               */
    VW_SCALE,                /* no number after a namespace's ":"                     */
    VW_SCALE_NONFINITE,      /* the scale is NaN, infinite, or too large              */
    VW_VALUE,                /* no number after a feature's ":"                       */
    VW_VALUE_NONFINITE,      /* the value, also when scaled, is not finite as a float */
    VW_NO_NAME,              /* the text before ":" is empty                          */
    VW_FULL                  /* the record has more than cap entries                  */
};

/* Part of the record's text. */
struct vw_text {
    const char *at;
    size_t len;
};

struct vw_row {
    /* in */
    uint64_t *id; /* id and value: arrays of cap elements */
    float *value;
    size_t cap;
    /* Called for each entry, in order, except if its id is the number in its name. May be NULL. */
    void (*name)(void *self, size_t entry, struct vw_text space, struct vw_text name);
    /* Called at the beginning of a namespace; returns true if its features are wanted. Features of
     * other namespaces are checked but give no entries. NULL: all are wanted. */
    bool (*keeps)(void *self, struct vw_text space);
    void *self;

    /* out */
    size_t n;       /* number of entries written                                */
    bool has_label; /* if false, the record has no label and `label` is not set */
    double label, importance, base;
    struct vw_text tag;   /* len is 0 if the record has no tag             */
    struct vw_text wrong; /* after an error: the faulty part of the record */
};

/* Parses the record [p, end). May read bytes between `end` and `limit`, but they do not affect the
 * result. limit >= end; fastest if limit >= end + 8. After an error the arrays may hold some
 * entries, and n is unspecified. Cost: one pass, no allocation. */
enum vw_status vw_parse(const char *p, const char *end, const char *limit, struct vw_row *row);

#endif
