/* file_words.h -- what may help who named a file that cannot be read: what is there instead, and
 * who may read it. Each begins with what follows the reason, and is in the arena. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_FILE_WORDS_H
#define LEAT_HOST_GRAPH_OUTSIDE_FILE_WORDS_H

#include "host/memory/arena.h"

/* Of a pattern that matches nothing: what its folder has, or that there is none. */
const char *file_words_of_pattern(const char *pattern, struct arena *a);

/* Of a directory: its files, as they would be named. */
const char *file_words_of_folder(const char *path, struct arena *a);

/* Of a file that this user may not read. */
const char *file_words_of_rights(const char *path, struct arena *a);

#endif
