/* name_look.h -- names that are hard to read in a list: with blanks around them or a comma
 * inside. */
#ifndef LEAT_CORE_TEXT_NAME_LOOK_H
#define LEAT_CORE_TEXT_NAME_LOOK_H

#include <stdbool.h>
#include <string.h>

/* True if the beginning and the end of the name are clear in a list of names. */
static inline bool name_looks_plain(const char *name)
{
    size_t n = strlen(name);
    return n && name[0] != ' ' && name[n - 1] != ' ' && !strchr(name, ',');
}

/* True if `other` is `name` with any number of blanks around it. */
static inline bool name_has_blanks_more(const char *name, const char *other)
{
    size_t n = strlen(name);
    other += strspn(other, " ");
    return !strncmp(name, other, n) && !other[n + strspn(other + n, " ")];
}

#endif
