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

enum leat_element { LEAT_U8 = 1, LEAT_U32, LEAT_U64, LEAT_F32, LEAT_F64, LEAT_I64 };

/* Both are lent for the call, and for its thread; their functions do not block. Those of the writer
 * may allocate, memory that is not the stage's. */
struct leat_writer {
    uint32_t size;
    uint32_t reserved;
    /* Each returns LEAT_OK or LEAT_ENOMEM; after a failure the others do nothing. */
    int (*u64)(struct leat_writer *, const char *name, uint64_t v);
    int (*i64)(struct leat_writer *, const char *name, int64_t v);
    int (*f64)(struct leat_writer *, const char *name, double v);
    /* n bytes of text, without a zero byte among them: UTF-8 is expected, and people are shown it
     * as it is. Other bytes are an array of LEAT_U8. */
    int (*text)(struct leat_writer *, const char *name, const char *v, uint64_t n);
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
    int (*i64)(struct leat_reader *, const char *name, int64_t *v);
    int (*f64)(struct leat_reader *, const char *name, double *v);
    /* The text, ended by a NUL, lent for the call; *n, unless n is NULL: its bytes, `max` at
     * most. */
    int (*text)(struct leat_reader *, const char *name, uint64_t max, const char **v, uint64_t *n);
    /* Exactly n elements, or from 0 to `max` of them, whose number is *n: in this machine's byte
     * order, aligned to 64 bytes, lent for the call. */
    int (*array)(struct leat_reader *, const char *name, uint32_t element, uint64_t n,
                 const void **v);
    int (*array_up_to)(struct leat_reader *, const char *name, uint32_t element, uint64_t max,
                       const void **v, uint64_t *n);
    /* The field must equal v; else "width is 1024 in the saved state and 4096 here" is reported. */
    int (*same_u64)(struct leat_reader *, const char *name, uint64_t v);
    int (*same_i64)(struct leat_reader *, const char *name, int64_t v);
    int (*same_f64)(struct leat_reader *, const char *name, double v);
    int (*same_text)(struct leat_reader *, const char *name, const char *v, uint64_t n);
    /* Refuse for another reason; returns LEAT_EDATA. */
    int (*refuse)(struct leat_reader *, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
};

#endif
