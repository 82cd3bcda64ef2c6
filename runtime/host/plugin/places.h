/* places.h -- the folders and files in which plugins are looked for, in their order:
 *
 *   --plugin-path, in the order given
 *   LEAT_PLUGIN_PATH, separated by colons
 *   ../lib/leat/plugins from the executable's folder
 *   $XDG_DATA_HOME/leat/plugins, or ~/.local/share/leat/plugins: the user's, if it is there
 */
#ifndef LEAT_HOST_PLUGIN_PLACES_H
#define LEAT_HOST_PLUGIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/memory/arena.h"

struct place {
    const char *path;
    const char *named_by; /* "--plugin-path", …; static */
    bool installed;       /* with the host */
    bool optional;        /* nothing is wrong when it is not there */
};

/* Texts and list are the arena's. Returns their number. */
size_t places_list(struct arena *a, const char *const *plugin_paths, size_t n,
                   const struct place **place);
bool place_exists(const struct place *p);

#endif
