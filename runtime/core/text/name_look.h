/* name_look.h -- names that are unclear in a list: with blanks around them or a comma inside. */
#ifndef LEAT_CORE_TEXT_NAME_LOOK_H
#define LEAT_CORE_TEXT_NAME_LOOK_H

#include <stdbool.h>
#include <string.h>

/* True if a reader sees in a list of names where this one begins and ends. */
static inline bool name_looks_plain(const char *name)
{
    size_t n = strlen(name);
    return n && name[0] != ' ' && name[n - 1] != ' ' && !strchr(name, ',');
}

/* True if `other` is the same name with blanks around it. */
static inline bool name_has_blanks_more(const char *name, const char *other)
{
    size_t n = strlen(name);
    other += strspn(other, " ");
    return !strncmp(name, other, n) && !other[n + strspn(other + n, " ")];
}

#endif
