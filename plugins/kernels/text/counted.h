/* counted.h -- finds records that begin with their length
 *
 *   LENGTH  four bytes, big-endian, then a record of that many bytes
 *   OCTETS  octet counting of syslog (RFC 6587): a decimal number that does not begin with 0, one
 *           blank, then a record of that many bytes
 *
 *   example   00 00 00 02 68 69        LENGTH: the record "hi" at byte 4
 *             "11 <34>1 - hello"       OCTETS: the record "<34>1 - hel" at byte 3
 *
 * The head of a record is its length and the blank after it, if any: at most COUNTED_HEAD bytes.
 * There is no state between calls. */
#ifndef LEAT_KERNELS_TEXT_COUNTED_H
#define LEAT_KERNELS_TEXT_COUNTED_H

#include <stddef.h>
#include <stdint.h>

enum { COUNTED_DIGITS = 10, COUNTED_HEAD = COUNTED_DIGITS + 1 };

enum counted_kind { COUNTED_LENGTH, COUNTED_OCTETS };

enum counted_result {
    COUNTED_RECORD, /* the whole record is in p: p[head .. head + len)               */
    COUNTED_LONG,   /* the record is longer than max_record; p may end inside it     */
    COUNTED_WRONG,  /* there is no length at p, so the next record cannot be found   */
    COUNTED_MORE    /* p ends inside the head (then head is 0), or inside the record */
};

struct counted_cut {
    size_t head;  /* bytes of the head   */
    uint64_t len; /* bytes of the record */
};

/* Finds the record whose head begins at p[0], and sets *cut. p has n bytes. */
enum counted_result counted_next(enum counted_kind kind, size_t max_record, const char *p, size_t n,
                                 struct counted_cut *cut);

#endif
