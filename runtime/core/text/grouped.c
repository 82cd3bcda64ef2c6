/* grouped.c -- implementation of grouped.h: finds separators between thousands and removes them. */
#include "grouped.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool grouped_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the length in bytes of the thousands separator at p; 0 if there is none. */
static size_t separator(const struct grouped *g, const char *p, const char *end)
{
    static const char *const also_space[] = {"\xc2\xa0", "\xe2\x80\xaf"};
    if (!g->thousands || p == end) return 0;
    if (*p == g->thousands) return 1;
    for (size_t i = 0; g->thousands == ' ' && i < 2; i++) {
        size_t n = strlen(also_space[i]);
        if ((size_t)(end - p) >= n && !memcmp(p, also_space[i], n)) return n;
    }
    return g->thousands == '\'' && end - p >= 3 && !memcmp(p, "\xe2\x80\x99", 3) ? 3 : 0;
}

/* Appends the digits at *p to `to` and moves *p past them. Returns their number. */
static size_t take_digits(const char **p, const char *end, char *to, size_t *n)
{
    size_t digits = 0;
    for (; *p < end && grouped_is_digit(**p); digits++)
        to[(*n)++] = *(*p)++;
    return digits;
}

static char decimal_of(const struct grouped *g)
{
    return !g->decimal ? '.' : g->decimal == GROUPED_UNSURE ? '\0' : g->decimal;
}

const char *grouped_name(const struct grouped *g, char to[GROUPED_NAME])
{
    *to = '\0';
    if (g->decimal == GROUPED_UNSURE)
        snprintf(to, GROUPED_NAME,
                 " for sure, because two ways to write numbers meet in this column: name it in "
                 "`numbers` of the parsers");
    else if (g->thousands)
        snprintf(to, GROUPED_NAME, " with decimal = \"%c\" and thousands = \"%c\"", decimal_of(g),
                 g->thousands);
    else if (!grouped_is_plain(g))
        snprintf(to, GROUPED_NAME, " with decimal = \"%c\"", g->decimal);
    return to;
}

size_t grouped_plain(const struct grouped *g, const char *text, size_t len, char to[GROUPED_MAX])
{
    const char *p = text, *end = text + len;
    const char decimal = decimal_of(g);
    size_t n = 0, digits, k;
    bool has_groups = false;
    if (!len || len > GROUPED_MAX) return 0;
    if (*p == '-' || *p == '+') to[n++] = *p++;
    digits = take_digits(&p, end, to, &n);
    if (digits && separator(g, p, end) && (digits > 3 || to[n - digits] == '0')) return 0;
    while (digits && (k = separator(g, p, end))) {
        has_groups = true;
        p += k;
        if (take_digits(&p, end, to, &n) != 3) return 0;
    }
    if (p < end && decimal && *p == decimal) {
        to[n++] = '.';
        p++;
        take_digits(&p, end, to, &n);
    }
    if (p < end && *p != 'e' && *p != 'E' && !(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z'))
        return 0;
    if (has_groups && p < end) return 0;
    for (; p < end; p++) { /* an exponent; or "nan" or "inf", which the reader of numbers rejects */
        if (*p == '.' || *p == ',') return 0;
        to[n++] = *p;
    }
    return n;
}
