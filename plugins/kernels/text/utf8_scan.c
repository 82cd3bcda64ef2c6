/* utf8_scan.c -- see utf8_scan.h. Both loops have a fixed number of turns, so that compilers make
 * vector instructions of them. */
#include "utf8_scan.h"

#include <stdint.h>
#include <string.h>

#include "core/text/utf8.h"

enum { BLOCK = 64, BEFORE = 3 /* bytes that a byte may continue */ };

static uint64_t word(const unsigned char *s)
{
    uint64_t w;
    memcpy(&w, s, sizeof w);
    return w;
}

/* Written out: of a loop over a copy, gcc 12 -O2 makes three times as many instructions. */
static bool is_ascii(const unsigned char *s)
{
    uint64_t all = word(s) | word(s + 8) | word(s + 16) | word(s + 24) | word(s + 32) |
                   word(s + 40) | word(s + 48) | word(s + 56);
    return !(all & UINT64_C(0x8080808080808080));
}

/* A character begins at s[0]; those before it are whole, and s[-BEFORE] is there. */
static bool has_lengths(const unsigned char *s)
{
    unsigned char wrong = 0;
    for (int i = 0; i < BLOCK; i++) {
        unsigned char continues = (s[i] & 0xc0) == 0x80;
        wrong |= (unsigned char)(continues ^
                                 ((s[i - 1] >= 0xc0) | (s[i - 2] >= 0xe0) | (s[i - 3] >= 0xf0)));
    }
    return !wrong;
}

/* How many bytes at the end of a block belong to a character that goes on after it. */
static size_t cut_off(const unsigned char *end)
{
    return end[-1] >= 0xc0 ? 1 : end[-2] >= 0xe0 ? 2 : end[-3] >= 0xf0 ? 3 : 0;
}

/* Character by character, up to one that ends at `to` or after. */
static size_t scan_slowly(const unsigned char *s, size_t from, size_t to, size_t n, bool *beyond)
{
    size_t len;
    while (from < to && (len = utf8_length(s + from, n - from)) != 0) {
        *beyond |= len > 1;
        from += len;
    }
    return from;
}

size_t utf8_scan(const char *text, size_t n, bool *beyond)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t at = scan_slowly(s, 0, n < BEFORE ? n : BEFORE, n, beyond); /* a character begins */
    if (at < n && at < BEFORE) return at;
    while (n - at >= BLOCK) {
        size_t to = at + BLOCK;
        if (is_ascii(s + at)) {
            at = to;
        } else if (has_lengths(s + at)) {
            *beyond = true;
            at = to - cut_off(s + to);
        } else {
            at = scan_slowly(s, at, to, n, beyond);
            if (at < to) return at;
        }
    }
    return scan_slowly(s, at, n, n, beyond);
}
