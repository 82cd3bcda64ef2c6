/* filled.c -- implementation of filled.h. */
#include "filled.h"

#include <stdbool.h>
#include <string.h>

#include "core/report/text_out.h"

const char *filled_grouped(double n, struct arena *a)
{
    char text[32];
    return arena_strndup(a, text, text_format_grouped(text, (uint64_t)n));
}

static bool filled_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Returns the length of the name at text[1 ..], which '}' ends; 0 if there is no name. */
static size_t filled_name(const char *text, const char *end)
{
    const char *at = text + 1;
    if (at == end || !filled_is_letter(*at)) return 0;
    while (at < end &&
           (filled_is_letter(*at) || (*at >= '0' && *at <= '9') || strchr("_./% ", *at)))
        at++;
    return at < end && *at == '}' ? (size_t)(at - text - 1) : 0;
}

/* Returns one part of the text (n bytes) with its names filled in; NULL if a name is unknown. */
static const char *filled_part(const char *text, size_t n, filled_value *value, const void *of,
                               struct arena *a)
{
    const char *written = "", *end = text + n, *open, *from = text;
    while ((open = memchr(from, '{', (size_t)(end - from)))) {
        size_t name = filled_name(open, end);
        from = open + 1;
        if (!name) continue;
        const char *known = value(of, arena_strndup(a, open + 1, name), a);
        if (!known) return NULL;
        written = arena_printf(a, "%s%.*s%s", written, (int)(open - text), text, known);
        from = text = open + name + 2;
    }
    return arena_printf(a, "%s%.*s", written, (int)(end - text), text);
}

const char *filled_text(const char *text, filled_value *value, const void *of, struct arena *a)
{
    const char *all = NULL, *end;
    for (; *text; text = *end ? end + 2 : end) {
        end = strstr(text, ", ");
        if (!end) end = text + strlen(text);
        const char *one = filled_part(text, (size_t)(end - text), value, of, a);
        if (one) all = all ? arena_printf(a, "%s, %s", all, one) : one;
    }
    return all;
}
