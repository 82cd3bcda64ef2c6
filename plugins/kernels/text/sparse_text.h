/* sparse_text.h -- one record of sparse text into ids and values: libsvm, libffm, Vowpal Wabbit.
 *
 *   example   libsvm   +1 3:0.5 7:2        label 1, ids 3 and 7, values 0.5 and 2
 *             libffm   1 0:3:0.5           label 1, one entry with the id of field 0, index 3
 *             vw       1 2 |user age:0.5   label 1, importance 2, one entry of namespace user
 *
 * Each parser writes the entries of the record [p, end) to id and value. On an error they may hold
 * some entries, n is unspecified, and the wrong text is reported. */
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
 * A feature is the pair of its field and its index: its id is libffm_id(field, index). An entry
 * that comes twice gives two entries. There are no comments. Blanks before the label and line ends
 * at the end are ignored. */

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

/* ---- vw ----
 *
 *   record    = head { "|" namespace }
 *   head      = [ label [ importance [ base ] ] ] [ tag ]
 *   namespace = [ name [ ":" scale ] ] { blank feature }
 *   feature   = name [ ":" value ]
 *   blank     = spaces and tabs
 *
 *   label       a decimal number (decimal.h), finite as a float; a record without one has no label
 *   importance  likewise, at least 0; 1 where there is none
 *   base        likewise: the prediction that VW begins with; 0 where there is none
 *   tag         the last word of the head if it touches the first "|", or begins with "'" (which is
 *               not part of it)
 *   name        any bytes but blanks, ":" and "|"
 *   scale       finite as a float; all values of the namespace are multiplied by it
 *   value       finite as a float, also times the scale; 1 where there is none
 *
 * A namespace whose "|" a blank follows has no name. Features come in any order, and one that comes
 * twice gives two entries. VW has no comments: "#" is a letter.
 *
 * The id of a feature is feature_id_value(feature_id_name(namespace), name); in the namespace
 * without a name it is feature_id_name(name), or the number itself where the name is plain digits
 * that fit 64 bits, as an index of libsvm.
 *
 * Where VW guesses, this does not: a number that touches the first "|" where a label could be is
 * refused, because VW takes "1|a" for an example with the tag "1" and no label; so are features
 * without a name (":0.5"), and values that are texts.
 *
 * Blanks before the head and line ends at the end are ignored. */

enum vw_status {
    VW_OK = 0,
    VW_NOTHING,              /* blank                                                */
    VW_LABEL,                /* the label is not a number                            */
    VW_LABEL_NONFINITE,      /* … NaN, infinite, or too large                        */
    VW_LABEL_TOUCHES,        /* a number touches the first "|", and no label is left */
    VW_IMPORTANCE,           /* the importance is not a number                       */
    VW_IMPORTANCE_NONFINITE, /* … NaN, infinite, or too large                        */
    VW_IMPORTANCE_NEGATIVE,  /* … below 0                                            */
    VW_BASE,                 /* the base is not a number                             */
    VW_BASE_NONFINITE,       /* … NaN, infinite, or too large                        */
    VW_HEAD,                 /* a word follows the base                              */
    VW_SCALE,                /* the text after a namespace's ":" is not a number     */
    VW_SCALE_NONFINITE,      /* … NaN, infinite, or too large                        */
    VW_VALUE,                /* the text after a feature's ":" is not a number       */
    VW_VALUE_NONFINITE,      /* … NaN, infinite, or too large; or is with its scale  */
    VW_NO_NAME,              /* the text before ":" is empty                         */
    VW_FULL                  /* the record has more than cap entries                 */
};

/* A text of the record. */
struct vw_text {
    const char *at;
    size_t len;
};

struct vw_row {
    /* in */
    uint64_t *id; /* cap of each */
    float *value;
    size_t cap;
    /* Called for each entry whose id is not its name's number, in order; NULL: not called. */
    void (*name)(void *self, size_t entry, struct vw_text space, struct vw_text name);
    /* True if the features of this namespace are wanted. Called where it begins; NULL: all are.
     * Features of others are read, and make no entries. */
    bool (*keeps)(void *self, struct vw_text space);
    void *self;

    /* out */
    size_t n;       /* entries written */
    bool has_label; /* false: label is not set */
    double label, importance, base;
    struct vw_text tag;   /* len 0: none */
    struct vw_text wrong; /* on an error: the text that is wrong */
};

/* Parse the record [p, end). `limit` >= end is the end of readable memory: bytes between end and
 * limit may be read, and never change the outcome; a limit at least 8 bytes after end is fastest.
 * On an error the arrays may hold some entries, and n is unspecified. Cost: one pass, no
 * allocation. */
enum vw_status vw_parse(const char *p, const char *end, const char *limit, struct vw_row *row);

#endif
