/* json_text.c -- see json_text.h. */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

static json_t *replaced(const char *s, size_t n)
{
    char *out = malloc(3 * n + 1);
    size_t k = 0;
    for (size_t i = 0; out && i < n;) {
        size_t len = utf8_length((const unsigned char *)s + i, n - i);
        memcpy(out + k, len ? s + i : UTF8_REPLACEMENT, len ? len : 3);
        k += len ? len : 3;
        i += len ? len : 1;
    }
    json_t *text = out ? json_stringn(out, k) : NULL;
    free(out);
    return text;
}

json_t *json_text_n(const char *s, size_t n)
{
    json_t *text = json_stringn(s, n);
    return text ? text : replaced(s, n);
}

json_t *json_text(const char *s) { return json_text_n(s, strlen(s)); }
