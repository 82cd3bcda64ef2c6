/* path_names.h -- the paths that the first records have, to say which one was meant by a path that
 * no record has. Of each lane; bounded: later paths, and later records, are not noted. */
#ifndef LEAT_COMMON_PATHS_PATH_NAMES_H
#define LEAT_COMMON_PATHS_PATH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PATH_NAMES = 512, /* the most that are noted, and their bytes */
    PATH_NAMES_BYTES = 16384,
    PATH_NAMES_RECORDS = 64, /* whose paths are noted    */
    PATH_NAMES_HINT = 400,   /* bytes of path_names_hint */
};

/* Zeroed before. */
struct path_names {
    const char *name[PATH_NAMES + 1]; /* n of them, and NULL */
    uint32_t n, n_text, records;
    char text[PATH_NAMES_BYTES];
};

/* Is this record one whose paths are noted? Called once for each. */
static inline bool path_names_wanted(struct path_names *p)
{
    return p->records < PATH_NAMES_RECORDS && ++p->records;
}

/* Notes a path, unless it is noted already. `to`: the struct path_names. */
void path_names_add(void *to, const char *path, uint32_t n);

/* Is this path noted? */
bool path_names_have(const struct path_names *, const char *path);

/* What may have been meant by a path that no record has: "; did you mean 'http.status'?"; if no
 * path is near, and `list`, "; the records have a, b, c", and true. An element's number is no
 * difference. */
bool path_names_hint(const struct path_names *, const char *path, bool list,
                     char hint[PATH_NAMES_HINT]);

#endif
