/* utf8.h -- UTF-8, one character at a time. */
#ifndef LEAT_BASE_UTF8_H
#define LEAT_BASE_UTF8_H

#include <stddef.h>

/* U+FFFD, which replaces a byte that belongs to no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the well-formed character at s[0 .. n), n > 0 (Unicode, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF); 0: the bytes are no such character. */
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

#endif
