/* state.h -- a stage's state as named fields, for snapshots and merges.
 *
 * A stage writes its state field by field; names are short and stable ("width", "cells"). Numbers
 * are little-endian on disk on every machine. On restore and merge the stage asks for the same
 * fields. The reader reports by name a field that is missing, has another type, or must have
 * another value. The stage must not touch its live state until all fields are read and checked.
 */
#ifndef LEAT_STATE_H
#define LEAT_STATE_H

#include <stdint.h>

enum leat_element { LEAT_U8 = 1, LEAT_U32, LEAT_U64, LEAT_F32, LEAT_F64, LEAT_I64 };

/* Writer and reader are lent for the call and its thread; their functions do not block. The
 * writer's functions may allocate memory, which is not charged to the stage. */
struct leat_writer {
    uint32_t size;
    uint32_t reserved;
    /* Each returns LEAT_OK or LEAT_ENOMEM; after a failure the others do nothing. */
    int (*u64)(struct leat_writer *, const char *name, uint64_t v);
    int (*i64)(struct leat_writer *, const char *name, int64_t v);
    int (*f64)(struct leat_writer *, const char *name, double v);
    /* Writes n bytes of text without a zero byte. UTF-8 is expected, and the text is displayed
     * unchanged. Write other bytes as an array of LEAT_U8. */
    int (*text)(struct leat_writer *, const char *name, const char *v, uint64_t n);
    int (*array)(struct leat_writer *, const char *name, uint32_t element, const void *v,
                 uint64_t n);
    /* Reserves an array of n elements, all of which the stage writes before its next call. Returns
     * NULL on LEAT_ENOMEM. It saves a copy if the elements are scattered in memory. */
    void *(*reserve)(struct leat_writer *, const char *name, uint32_t element, uint64_t n);
};

struct leat_reader {
    uint32_t size;
    uint32_t reserved;
    /* Each returns LEAT_OK, or LEAT_EDATA after reporting the field. */
    int (*u64)(struct leat_reader *, const char *name, uint64_t *v);
    int (*i64)(struct leat_reader *, const char *name, int64_t *v);
    int (*f64)(struct leat_reader *, const char *name, double *v);
    /* Reads a text, ended by a NUL, lent for the call. *n, unless n is NULL, is its length in
     * bytes, at most `max`. */
    int (*text)(struct leat_reader *, const char *name, uint64_t max, const char **v, uint64_t *n);
    /* Reads an array of exactly n elements (array), or of at most `max`, with their number in *n
     * (array_up_to). Elements are in this machine's byte order, aligned to 64 bytes, lent for the
     * call. */
    int (*array)(struct leat_reader *, const char *name, uint32_t element, uint64_t n,
                 const void **v);
    int (*array_up_to)(struct leat_reader *, const char *name, uint32_t element, uint64_t max,
                       const void **v, uint64_t *n);
    /* Checks that the field equals v; otherwise reports "width is 1024 in the saved state and 4096
     * here". */
    int (*same_u64)(struct leat_reader *, const char *name, uint64_t v);
    int (*same_i64)(struct leat_reader *, const char *name, int64_t v);
    int (*same_f64)(struct leat_reader *, const char *name, double v);
    int (*same_text)(struct leat_reader *, const char *name, const char *v, uint64_t n);
    /* Refuses the state for another reason; returns LEAT_EDATA. */
    int (*refuse)(struct leat_reader *, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
};

#endif
