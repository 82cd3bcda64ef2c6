/* columns_levels.c -- implementation of columns_levels.h. */
#include "columns_levels.h"

#include <string.h>

static const char form[] =
    "is wrong: write a column, its separator and a depth of 1 to 16, such as path=/ 3, "
    "host=. 2 right, or text=  1 for the first word";

/* Reads a depth and the word after it. Returns false if they are wrong. */
static bool columns_levels_depth(const char *word, struct columns_levels *l)
{
    size_t digits = strspn(word, "0123456789");
    if (!digits || digits > 2) return false;
    for (size_t i = 0; i < digits; i++)
        l->depth = 10 * l->depth + (uint32_t)(word[i] - '0');
    l->right = !strcmp(word + digits, " right");
    return l->depth > 0 && l->depth <= COLUMNS_LEVELS && (l->right || !word[digits]);
}

const char *columns_levels_read(const char *entry, struct columns_levels *l)
{
    const char *sign = strrchr(entry, '=');
    const char *blank = sign && sign[1] ? strchr(sign + 2, ' ') : NULL; /* after the separator */
    *l = (struct columns_levels){.n_name = 0};
    if (!blank || sign == entry || strlen(entry) > 500) return form;
    l->n_name = (uint32_t)(sign - entry);
    l->separator = sign + 1;
    l->n_separator = (uint32_t)(blank - sign - 1);
    return columns_levels_depth(blank + 1, l) ? NULL : form;
}

/* True if the separator stands at this distance from the side from which parents are counted. */
static bool columns_levels_is_cut(const struct columns_levels *l, const char *text, size_t len,
                                  size_t at)
{
    if (at + l->n_separator > len) return false;
    const char *p = l->right ? text + len - at - l->n_separator : text + at;
    return !memcmp(p, l->separator, l->n_separator);
}

bool columns_levels_next(const struct columns_levels *l, const char *text, size_t len, size_t *n)
{
    size_t at = *n;
    while (columns_levels_is_cut(l, text, len, at)) /* one at the beginning, as in /a/b */
        at += l->n_separator;
    for (; at < len && !columns_levels_is_cut(l, text, len, at); at++)
        ;
    while (columns_levels_is_cut(l, text, len, at)) /* two, as in http://a/b */
        at += l->n_separator;
    *n = at;
    return at < len;
}
