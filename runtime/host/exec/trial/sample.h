/* sample.h -- texts from places spread over files, for scripts that choose their stages by them. */
#ifndef LEAT_HOST_EXEC_TRIAL_SAMPLE_H
#define LEAT_HOST_EXEC_TRIAL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "host/memory/arena.h"
#include "host/params/setting.h"
#include "host/plugin/registry.h"

/* Returns texts of whole records from places spread evenly over files, as a list. They have about
 * `max` bytes together, and the first is the beginning of the files. Files of fewer bytes come
 * whole, as one text. Each record ends with \n. A text may begin inside a quoted field that holds a
 * line end. Reads plain files at the places only; compressed or encoded files from their beginning,
 * at most the first 128 MB of text of all together. `ends`: also has the last records of each file,
 * and reads compressed files to their ends. The same files give the same texts.
 *
 * `path`, `encoding` and `why` are those of peek_text(), and so is a failure. All texts are in `a`.
 * Call it before any thread is started. */
const struct value *sample_text(struct registry *known, const char *path, const char *encoding,
                                size_t max, bool ends, struct arena *a, const char **why);

#endif
