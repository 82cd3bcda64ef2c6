/* json_text.c -- see json_text.h. */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, or 0 when there is none. Overlong forms and surrogates are
 * left to jansson, which refuses them: then every byte above 127 is replaced. */
static size_t character(const unsigned char *s, size_t n)
{
    size_t len = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : 4;
    if (len > n || *s > 0xf4 || (*s >= 0x80 && *s < 0xc2)) return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return len;
}

static json_t *replaced(const char *s, size_t n, int ascii_only)
{
    char *out = malloc(3 * n + 1);
    size_t k = 0;
    for (size_t i = 0; out && i < n;) {
        size_t len = character((const unsigned char *)s + i, n - i);
        if (len && !(ascii_only && len > 1)) {
            memcpy(out + k, s + i, len);
            k += len;
            i += len;
        } else {
            memcpy(out + k, "\xef\xbf\xbd", 3);
            k += 3;
            i++;
        }
    }
    json_t *text = out ? json_stringn(out, k) : NULL;
    free(out);
    return text;
}

json_t *json_text_n(const char *s, size_t n)
{
    json_t *text = json_stringn(s, n);
    if (!text) text = replaced(s, n, 0);
    if (!text) text = replaced(s, n, 1);
    return text;
}

json_t *json_text(const char *s) { return json_text_n(s, strlen(s)); }
