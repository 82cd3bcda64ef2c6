/* beginning.h -- what comes first, as a run would read it: of files their text, decompressed, a
 * record a line; of other sources their records. For scripts, which choose by it. */
#ifndef LEAT_HOST_EXEC_BESIDE_BEGINNING_H
#define LEAT_HOST_EXEC_BESIDE_BEGINNING_H

#include <stddef.h>

#include "host/memory/arena.h"
#include "host/plugin/registry.h"
#include "host/plugin/setting.h"

/* The records of source.file until they are `max` bytes (one record more), each ended by \n; in a.
 * NULL: *n is 0, and *why, in a, says why, or is NULL where not all are regular files: nothing is
 * read of what gives a record once, such as a pipe. Records that are too long are left out; when
 * the first are, and no other is found, that is *why, and the first bytes of one are returned.
 * Before any thread is started. `path` is as source.file takes it: a pattern or a list, too; so is
 * `encoding`, or NULL. */
const char *beginning_read(struct registry *known, const char *path, const char *encoding,
                           size_t max, struct arena *a, size_t *n, const char **why);

/* The records of a source with these settings, until they are `max` bytes or it ends: a list of
 * texts in a, those of one input behind those of the input before it. Its servers are asked first
 * (leat_stage.online). It takes half a minute at most: the settings should end it sooner. NULL:
 * *why, in a, says why. */
const struct value *beginning_records(struct registry *known, const char *stage,
                                      struct setting *settings, size_t n_settings, size_t max,
                                      struct arena *a, const char **why);

#endif
