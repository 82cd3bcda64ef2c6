/* json_text.c -- makes and prints JSON values. */
#include "json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/memory/memory.h"
#include "core/text/utf8.h"

static json_t *replaced(const char *s, size_t n)
{
    char *out = memory_take(3 * n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n;) {
        size_t len = utf8_length((const unsigned char *)s + i, n - i);
        memcpy(out + k, len ? s + i : UTF8_REPLACEMENT, len ? len : 3);
        k += len ? len : 3;
        i += len ? len : 1;
    }
    json_t *text = json_stringn(out, k);
    free(out);
    return text;
}

json_t *json_text_n(const char *s, size_t n)
{
    json_t *text = json_stringn(s, n);
    return text ? text : replaced(s, n);
}

json_t *json_text(const char *s) { return json_text_n(s, strlen(s)); }

json_t *json_text_or_null(const char *s) { return s ? json_text(s) : json_null(); }

json_t *json_real_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

json_t *json_figure(double v)
{
    bool whole = isfinite(v) && v == floor(v) && fabs(v) < 9e15;
    return whole ? json_integer((json_int_t)v) : json_real_or_null(v);
}

enum { PRINTED = JSON_REAL_PRECISION(15) };

json_t *json_as_printed(json_t *value)
{
    char *text = json_dumps(value, PRINTED);
    json_t *read = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
    free(text);
    if (!read) return value;
    json_decref(value);
    return read;
}

int json_print(json_t *value, size_t flags, FILE *out)
{
    int failed = json_dumpf(value, out, flags | PRINTED) < 0;
    json_decref(value);
    return failed | (fputc('\n', out) == EOF);
}
