/* state.h -- a stage's state as named fields, for snapshots and merges.
 *
 * A stage writes its state field by field; names are short and stable ("width", "cells"). Numbers
 * are little-endian on disk on every machine. On restore and merge, the stage reads the same
 * fields. If a field is missing, or has another type or value than the stage requires, the reader
 * reports the field's name. The stage must not change its live state until it has read and checked
 * all fields.
 */
#ifndef LEAT_STATE_H
#define LEAT_STATE_H

#include <stdint.h>

enum leat_element { LEAT_U8 = 1, LEAT_U32, LEAT_U64, LEAT_F32, LEAT_F64, LEAT_I64 };

/* Writer and reader are valid only during the call, on the thread of the call. Their functions do
 * not block. The writer's functions may allocate memory, which does not count towards the stage's
 * plan. */
struct leat_writer {
    uint32_t size;
    uint32_t reserved;
    /* Each function returns LEAT_OK or LEAT_ENOMEM. After a failure, further calls do nothing. */
    int (*u64)(struct leat_writer *, const char *name, uint64_t v);
    int (*i64)(struct leat_writer *, const char *name, int64_t v);
    int (*f64)(struct leat_writer *, const char *name, double v);
    /* Writes n bytes of text without a zero byte. The text should be UTF-8, because it is displayed
     * unchanged. Write other bytes as an array of LEAT_U8. */
    int (*text)(struct leat_writer *, const char *name, const char *v, uint64_t n);
    int (*array)(struct leat_writer *, const char *name, uint32_t element, const void *v,
                 uint64_t n);
    /* Adds an array of n elements and returns its memory, which the stage fills before its next
     * call of the writer. Returns NULL if there is no memory. This saves a copy if the elements are
     * scattered in the stage's memory. */
    void *(*reserve)(struct leat_writer *, const char *name, uint32_t element, uint64_t n);
};

struct leat_reader {
    uint32_t size;
    uint32_t reserved;
    /* Each function returns LEAT_OK, or LEAT_EDATA after reporting the field. */
    int (*u64)(struct leat_reader *, const char *name, uint64_t *v);
    int (*i64)(struct leat_reader *, const char *name, int64_t *v);
    int (*f64)(struct leat_reader *, const char *name, double *v);
    /* Reads a text, which ends with a NUL and is valid during the call of restore or merge. Sets
     * *n, unless n is NULL, to its length in bytes. The length must be at most `max`. */
    int (*text)(struct leat_reader *, const char *name, uint64_t max, const char **v, uint64_t *n);
    /* `array` reads an array that must have n elements. `array_up_to` reads an array that may have
     * 0 to `max` elements, and sets *n. The elements are in this machine's byte order, aligned to
     * 64 bytes, and valid during the call of restore or merge. */
    int (*array)(struct leat_reader *, const char *name, uint32_t element, uint64_t n,
                 const void **v);
    int (*array_up_to)(struct leat_reader *, const char *name, uint32_t element, uint64_t max,
                       const void **v, uint64_t *n);
    /* Check that the field equals v. If not, report "width is 1024 in the saved state and 4096
     * here". */
    int (*same_u64)(struct leat_reader *, const char *name, uint64_t v);
    int (*same_i64)(struct leat_reader *, const char *name, int64_t v);
    int (*same_f64)(struct leat_reader *, const char *name, double v);
    int (*same_text)(struct leat_reader *, const char *name, const char *v, uint64_t n);
    /* Refuses the state for a reason that the other functions do not check. Returns LEAT_EDATA. */
    int (*refuse)(struct leat_reader *, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
};

#endif
