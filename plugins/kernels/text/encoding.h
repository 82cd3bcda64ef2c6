/* encoding.h -- tests whether text is UTF-8, and converts other encodings to UTF-8
 *
 * utf8_scan() skips ASCII in blocks of 64 bytes. In other blocks of 64 bytes it checks the lengths
 * of characters, by the positions of the bytes:
 *
 *   a byte is 80 .. bf  <=>  there is one of c0 .. ff one byte before it, of e0 .. ff two bytes
 *                            before it, or of f0 .. ff three bytes before it
 *
 * This finds the first byte of another encoding, unless its text looks like UTF-8 by chance. For
 * example, it finds é and a blank in Latin-1, e9 20, but takes Ã and © in Latin-1, c3 a9, for é. If
 * a block breaks the rule, it is checked character by character. In blocks that obey the rule,
 * overlong forms and surrogates are accepted; no other encoding produces them. Cost: 0.015 ns for a
 * byte of ASCII, 0.15 ns for a byte of other text (gcc 12 -O2, SSE2).
 *
 * recode_some() converts a text piece by piece, from one of these encodings:
 *
 *   latin-1        ISO 8859-1: byte b is U+00b
 *   windows-1252   latin-1, except 0x80 … 0x9f, which follow the WHATWG: 0x80 is the euro sign; the
 *                  five unassigned bytes become U+0081, 8d, 8f, 90, 9d
 *   utf-16le, be   units of two bytes; a lone surrogate, and half a unit at the end, become U+FFFD
 *   utf-16         utf-16le or be, according to the byte order mark; without a mark utf-16le, as on
 *                  Windows
 *
 * A byte order mark becomes the one of UTF-8, which readers skip. Cost: a table look-up or a few
 * comparisons for each character; ASCII is converted eight bytes at a time.
 *
 *   example   latin-1   63 61 66 e9         "café": not UTF-8 at byte 3
 *             UTF-8     63 61 66 c3 a9 */
#ifndef LEAT_KERNELS_TEXT_ENCODING_H
#define LEAT_KERNELS_TEXT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the offset of the first byte of text[0, n) that is not UTF-8; n if there is none. Sets
 * *beyond to true if the text before the offset has a character that is not ASCII. */
size_t utf8_scan(const char *text, size_t n, bool *beyond);

enum recode_from {
    RECODE_NONE, /* UTF-8 needs no conversion */
    RECODE_LATIN_1,
    RECODE_WINDOWS_1252,
    RECODE_UTF_16,
    RECODE_UTF_16LE,
    RECODE_UTF_16BE
};

struct recode {
    enum recode_from from; /* RECODE_UTF_16 only until the first two bytes are read */
    uint8_t part[4];       /* first n_part bytes of an incomplete character         */
    uint32_t n_part;
    uint64_t bad; /* number of characters that became U+FFFD */
};

/* Converts bytes of in[0, n_in) until all are read or out[0, cap) is full; cap >= 8. Sets *used to
 * the number of bytes read. Returns the number of bytes written. Stores an incomplete character in
 * r->part until the next call. */
size_t recode_some(struct recode *r, const uint8_t *in, size_t n_in, size_t *used, char *out,
                   size_t cap);

/* Ends the text: converts an incomplete character to U+FFFD. `out` has room for at least 4 bytes.
 * Returns the number of bytes written. */
size_t recode_end(struct recode *r, char *out);

#endif
