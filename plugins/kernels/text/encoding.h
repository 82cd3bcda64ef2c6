/* encoding.h -- whether a text is UTF-8, and text in an older encoding as UTF-8.
 *
 * utf8_scan passes over text without bytes above 127 64 bytes a step. In other text the lengths of
 * characters are checked 64 bytes a step, too, by where bytes stand:
 *
 *   a byte is 80 .. bf  <=>  there is one of c0 .. ff one byte before it, of e0 .. ff two bytes
 *                            before it, or of f0 .. ff three bytes before it
 *
 * That finds the first byte of another encoding unless its text looks like UTF-8 by chance: é and a
 * blank of Latin-1, e9 20, is found; Ã and ©, c3 a9, is é. A block where it does not hold is looked
 * at character by character. Overlong forms and surrogates, which no encoding has, are not found in
 * the other blocks. Cost: 0.015 ns a byte of ASCII, 0.15 ns a byte of other text (gcc 12 -O2,
 * SSE2).
 *
 * recode converts piece by piece:
 *
 *   latin-1        ISO 8859-1: byte b is U+00b
 *   windows-1252   latin-1, but 0x80 … 0x9f are as the WHATWG has them: 0x80 is the euro sign;
 *                  the five that nobody uses stay U+0081, 8d, 8f, 90, 9d
 *   utf-16le, be   units of two bytes; a lone half of a pair, and half a unit at the end, become
 *                  U+FFFD
 *   utf-16         one of these, as its byte order mark says; without one little, as Windows writes
 *
 * A byte order mark becomes that of UTF-8, which readers skip. Cost: a table or a few comparisons a
 * character; text of ASCII alone goes eight bytes a step.
 *
 *   example   latin-1   63 61 66 e9         "café": not UTF-8 at byte 3
 *             UTF-8     63 61 66 c3 a9 */
#ifndef LEAT_KERNELS_TEXT_ENCODING_H
#define LEAT_KERNELS_TEXT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the offset of the first byte of text[0, n) that is not UTF-8; n if all are. Sets *beyond
 * if a character beyond ASCII is before it. */
size_t utf8_scan(const char *text, size_t n, bool *beyond);

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
