/* strings.h -- lists of texts. */
#ifndef LEAT_SUPPORT_STRINGS_H
#define LEAT_SUPPORT_STRINGS_H

#include <string.h>

#include <leat/plugin.h>

/* The index of a text in a list; s->n: it is not there. */
static inline uint32_t strings_find(const struct leat_strings *s, const char *text, size_t len)
{
    uint32_t i = 0;
    while (i < s->n && (strlen(s->v[i]) != len || memcmp(s->v[i], text, len)))
        i++;
    return i;
}

#endif
