/* state.h -- a stage's state as named fields: what a snapshot holds and a merge reads.
 *
 * A stage writes its state field by field; names are short and stable ("width", "cells"). Numbers
 * are little-endian on disk on every machine. On restore and merge the stage asks for the same
 * fields; the reader reports by name a field that is missing, has another type, or must have
 * another value. Until all fields are read and checked the stage must leave its live state
 * untouched.
 */
#ifndef LEAT_STATE_H
#define LEAT_STATE_H

#include <stdint.h>

enum leat_element { LEAT_U8 = 1, LEAT_U32, LEAT_U64, LEAT_F32, LEAT_F64 };

struct leat_writer {
    uint32_t size;
    uint32_t reserved;
    /* Each returns LEAT_OK or LEAT_ENOMEM; after a failure the others do nothing. */
    int (*u64)(struct leat_writer *, const char *name, uint64_t v);
    int (*f64)(struct leat_writer *, const char *name, double v);
    int (*array)(struct leat_writer *, const char *name, uint32_t element, const void *v,
                 uint64_t n);
    /* Reserves an array whose n elements the stage then writes itself, all of them, before its next
     * call; NULL: as LEAT_ENOMEM. It saves a copy where the elements lie in many places. */
    void *(*reserve)(struct leat_writer *, const char *name, uint32_t element, uint64_t n);
};

struct leat_reader {
    uint32_t size;
    uint32_t reserved;
    /* LEAT_OK, or LEAT_EDATA after reporting the field. */
    int (*u64)(struct leat_reader *, const char *name, uint64_t *v);
    int (*f64)(struct leat_reader *, const char *name, double *v);
    /* The elements, in this machine's byte order, aligned to 64 bytes, lent for the call. *n > 0:
     * the array must have exactly *n elements; 0: any number, which *n then is. */
    int (*array)(struct leat_reader *, const char *name, uint32_t element, const void **v,
                 uint64_t *n);
    /* The field must equal v; else "width is 1024 in the saved state and 4096 here" is reported. */
    int (*same_u64)(struct leat_reader *, const char *name, uint64_t v);
    int (*same_f64)(struct leat_reader *, const char *name, double v);
    /* Refuse for another reason; returns LEAT_EDATA. */
    int (*refuse)(struct leat_reader *, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
};

#endif
