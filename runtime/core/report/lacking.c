/* lacking.c -- implementation of lacking.h: a set of column names, and its text. */
#include "lacking.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256 };

bool lacking_has(const struct lacking *l, const char *name, size_t len)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->name[i].len == len && !memcmp(l->name[i].text, name, len)) return true;
    return false;
}

void lacking_add(struct lacking *l, const char *name, size_t len)
{
    if (l->n == LACKING_MAX || lacking_has(l, name, len)) return;
    l->name[l->n++] = (struct lacking_name){name, (uint32_t)len};
}

const char *lacking_text(const struct lacking *l, char out[LACKING_TEXT])
{
    uint32_t shown = l->n < LACKING_SHOWN ? l->n : LACKING_SHOWN, more = l->n - shown;
    int n = snprintf(out, LACKING_TEXT, l->n == 1 ? "column" : "columns");
    for (uint32_t i = 0; i < shown; i++) {
        const struct lacking_name *name = &l->name[i];
        const char *before = !i ? " " : i + 1 == l->n ? " and " : ", ";
        int len = name->len < NAME_BYTES ? (int)name->len : NAME_BYTES;
        n += snprintf(out + n, LACKING_TEXT - (size_t)n, "%s'%.*s'", before, len, name->text);
    }
    if (more) n += snprintf(out + n, LACKING_TEXT - (size_t)n, " and %u more", (unsigned)more);
    snprintf(out + n, LACKING_TEXT - (size_t)n, l->n == 1 ? " has no value" : " have no value");
    return out;
}
