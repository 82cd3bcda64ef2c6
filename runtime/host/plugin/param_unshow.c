/* param_unshow.c -- a value that param_show wrote, as a script would have given it.
 *
 * Three forms: "text" with the escapes \" \\ and \ddd, a list { "a", "b" }, and everything else,
 * which is taken as it is: numbers and true are read from text as well. */
#include <stdbool.h>
#include <string.h>

#include "param_type.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Takes a byte of a quoted text; *s moves past it. */
static char take_byte(const char **s)
{
    const char *p = *s;
    if (*p == '\\' && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3])) {
        *s += 4;
        return (char)((p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0'));
    }
    if (*p == '\\' && p[1]) p++;
    *s = p + 1;
    return *p;
}

/* Takes a quoted text; *s moves from the opening quote past the closing one. */
static struct value take_quoted(const char **s, struct arena *a)
{
    char *text = arena_alloc(a, strlen(*s) + 1);
    size_t n = 0;
    for (++*s; **s && **s != '"';)
        text[n++] = take_byte(s);
    *s += **s == '"';
    return (struct value){.type = VALUE_TEXT, .text = text, .n = n};
}

static struct value take_list(const char *s, struct arena *a)
{
    struct value all = {.type = VALUE_LIST};
    all.list = arena_alloc(a, (strlen(s) + 1) * sizeof *all.list);
    while ((s = strchr(s, '"')))
        all.list[all.n++] = take_quoted(&s, a);
    return all;
}

struct value param_unshow(const char *shown, struct arena *a)
{
    if (*shown == '"') return take_quoted(&shown, a);
    if (*shown == '{') return take_list(shown, a);
    return (struct value){.type = VALUE_TEXT, .text = arena_strdup(a, shown), .n = strlen(shown)};
}
