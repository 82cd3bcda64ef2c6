/* beginning.h -- the first text of a file, as a run would read it: decompressed, a
 * record a line. */
#ifndef LEAT_EXEC_BEGINNING_H
#define LEAT_EXEC_BEGINNING_H

#include <stddef.h>

#include "base/arena.h"
#include "plugin/registry.h"

/* The records of source.file until they are `max` bytes (one record more), each ended by \n; in a.
 * NULL: *n is 0, and *why, in a, says why. Before any thread is started; `path` is one file. */
const char *beginning_read(struct registry *known, const char *path, size_t max, struct arena *a,
                           size_t *n, const char **why);

#endif
