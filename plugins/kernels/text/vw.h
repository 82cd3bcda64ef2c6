/* vw.h -- one record of Vowpal Wabbit's text into ids and values.
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
#ifndef LEAT_KERNELS_TEXT_VW_H
#define LEAT_KERNELS_TEXT_VW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    /* Are the features of this namespace wanted? Called where it begins; NULL: all are. Those of
     * others are read, and make no entries. */
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
