/* recode.h -- text in an older encoding to UTF-8, piece by piece.
 *
 *   latin-1        ISO 8859-1: byte b is U+00b
 *   windows-1252   the same, but 0x80 … 0x9f are as the WHATWG has them: 0x80 is the euro sign;
 *                  the five that nobody uses stay U+0081, 8d, 8f, 90, 9d
 *   utf-16le, be   units of two bytes; a lone half of a pair, and half a unit at the end, become
 *                  U+FFFD
 *   utf-16         the same, as its byte order mark says; without one little, as Windows writes it
 *
 * A byte order mark comes out as that of UTF-8, for whoever skips those. Cost: a table or a few
 * comparisons a character; text of ASCII alone goes eight bytes a step. */
#ifndef LEAT_KERNELS_TEXT_RECODE_H
#define LEAT_KERNELS_TEXT_RECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum recode_from {
    RECODE_NONE, /* UTF-8 is left as it is */
    RECODE_LATIN_1,
    RECODE_WINDOWS_1252,
    RECODE_UTF_16,
    RECODE_UTF_16LE,
    RECODE_UTF_16BE
};

struct recode {
    enum recode_from from; /* UTF_16 until its first two bytes are known */
    uint8_t part[4];       /* the beginning of a character, n_part bytes */
    uint32_t n_part;
    uint64_t bad; /* characters that became U+FFFD */
};

/* Converts bytes of in[0, n_in) as long as there is room in out[0, cap), and says how many of each
 * were used. cap >= 8. A character that is not whole waits in the struct for the next call. */
size_t recode_some(struct recode *r, const uint8_t *in, size_t n_in, size_t *used, char *out,
                   size_t cap);

/* At the end of the input: what waits was not whole. cap >= 4. */
size_t recode_end(struct recode *r, char *out);

#endif
