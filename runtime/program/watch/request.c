/* request.c -- see request.h. */
#include "request.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log/json_text.h"

const char *request_argument(const struct request *q, const char *name)
{
    return MHD_lookup_connection_value(q->from, MHD_GET_ARGUMENT_KIND, name);
}

struct reply reply_json(unsigned code, json_t *value)
{
    struct reply r = {.code = code, .type = "application/json"};
    FILE *out = open_memstream(&r.body, &r.n);
    if (!out) {
        json_decref(value);
        return r;
    }
    bool failed = json_print(value, JSON_COMPACT, out);
    failed |= fclose(out) == EOF;
    if (!failed) return r;
    free(r.body);
    r.body = NULL;
    return r;
}

struct reply reply_error(unsigned code, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return reply_json(code, json_pack("{s:o}", "error", json_text(text)));
}

uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max)
{
    if (!text) return otherwise;
    const size_t n = strlen(text);
    if (!n || n > 9 || strspn(text, "0123456789") != n) return 0;
    const unsigned long value = strtoul(text, NULL, 10);
    return value <= max ? (uint32_t)value : 0;
}
