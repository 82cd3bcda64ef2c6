/* beginning.h -- the first text of files, as a run would read them: decompressed, a record a
 * line. */
#ifndef LEAT_EXEC_BEGINNING_H
#define LEAT_EXEC_BEGINNING_H

#include <stddef.h>

#include "base/arena.h"
#include "plugin/registry.h"

/* The records of source.file until they are `max` bytes (one record more), each ended by \n; in a.
 * NULL: *n is 0, and *why, in a, says why, or is NULL where not all are regular files: nothing is
 * read of what gives a record once, such as a pipe. Before any thread is started. `path` is as
 * source.file takes it: a pattern or a list, too; so is `encoding`, or NULL. */
const char *beginning_read(struct registry *known, const char *path, const char *encoding,
                           size_t max, struct arena *a, size_t *n, const char **why);

#endif
