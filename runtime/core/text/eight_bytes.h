/* eight_bytes.h -- the first of some bytes in a text, eight bytes at a time.
 *
 * For words that end after a few bytes, where the start of byte_mask() or memchr() takes longer. A
 * mask has the high bit of each byte that is a hit. Only its lowest hit is certain: a carry may
 * make further ones above it.
 *
 *   example   "host=web"   equal to '=': the lowest hit is at byte 4 */
#ifndef LEAT_CORE_TEXT_EIGHT_BYTES_H
#define LEAT_CORE_TEXT_EIGHT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/le.h"

enum { EIGHT_BYTES = 8 };

#define EIGHT_BYTES_ONES UINT64_C(0x0101010101010101)
#define EIGHT_BYTES_HIGH UINT64_C(0x8080808080808080)

/* Returns p[0, 8). The first byte is the lowest on every machine. */
static inline uint64_t eight_bytes(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return le_turned64(w);
}

/* Returns the mask of the bytes that equal c. */
static inline uint64_t eight_bytes_equal(uint64_t w, char c)
{
    w ^= EIGHT_BYTES_ONES * (unsigned char)c;
    return (w - EIGHT_BYTES_ONES) & ~w & EIGHT_BYTES_HIGH;
}

/* Returns the mask of blanks and of the bytes below them. */
static inline uint64_t eight_bytes_blank(uint64_t w)
{
    return (w - EIGHT_BYTES_ONES * (' ' + 1)) & ~w & EIGHT_BYTES_HIGH;
}

/* Returns the place of the lowest hit of a mask that is not 0. */
static inline size_t eight_bytes_first(uint64_t mask) { return (size_t)__builtin_ctzll(mask) / 8; }

/* Returns where the word from `at` on ends in text[0, n): at a blank or a byte below it, at `a`, at
 * `b`, or at n. For a or b, a blank means no further byte. */
static inline size_t eight_bytes_word_end(const char *text, size_t at, size_t n, char a, char b)
{
    for (; n - at >= EIGHT_BYTES; at += EIGHT_BYTES) {
        uint64_t w = eight_bytes(text + at), ends = eight_bytes_blank(w);
        if (a != ' ') ends |= eight_bytes_equal(w, a);
        if (b != ' ') ends |= eight_bytes_equal(w, b);
        if (ends) return at + eight_bytes_first(ends);
    }
    while (at < n && (unsigned char)text[at] > ' ' && text[at] != a && text[at] != b)
        at++;
    return at;
}

#endif
