/* utf8.h -- UTF-8, one character at a time. */
#ifndef LEAT_CORE_TEXT_UTF8_H
#define LEAT_CORE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* U+FFFD, which is written in place of a byte that belongs to no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Returns the length in bytes of the character at the start of s[0 .. n), n > 0; 0 if it is not
 * well-formed. Well-formed means Unicode, table 3-7: no overlong forms, no surrogates, nothing
 * above U+10FFFF. */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] > 0xf4 || len == 0 || len > n) return 0;
    if (s[0] == 0xe0) low = 0xa0;
    if (s[0] == 0xed) high = 0x9f;
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f;
    for (size_t i = 1; i < len; i++) {
        if (s[i] < low || s[i] > high) return 0;
        low = 0x80, high = 0xbf;
    }
    return len;
}

/* Returns the bytes of well-formed characters at the start of s[0 .. n): n if it is UTF-8. */
static inline size_t utf8_prefix(const unsigned char *s, size_t n)
{
    size_t i = 0, length = 1;
    while (i < n && length) {
        uint64_t eight = UINT64_MAX;
        if (i + sizeof eight <= n) memcpy(&eight, s + i, sizeof eight);
        length = eight & UINT64_C(0x8080808080808080) ? utf8_length(s + i, n - i) : sizeof eight;
        i += length;
    }
    return i;
}

/* Writes a character as UTF-8. Returns its length in bytes. */
static inline uint32_t utf8_put(uint32_t c, char *out)
{
    static const unsigned char head[] = {0, 0, 0xc0, 0xe0, 0xf0};
    uint32_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(head[len] | c);
    return len;
}

/* True if the well-formed character s[0 .. len) could control a terminal or reverse the text around
 * it. These are controls (C0, DEL, C1), U+2028, U+2029, and the marks that change the direction of
 * writing (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). */
static inline bool utf8_acts(const unsigned char *s, size_t len)
{
    if (len == 1) return s[0] < 0x20 || s[0] == 0x7f;
    if (len == 2) return s[0] == 0xc2 && s[1] < 0xa0;
    if (len != 3 || s[0] != 0xe2) return false;
    return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

#endif
