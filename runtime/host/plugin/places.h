/* places.h -- folders and files where the host looks for plugins, in this order:
 *
 *     --plugin-path, in the order of the command line
 *     LEAT_PLUGIN_PATH, separated by colons
 *     ../lib/leat/plugins from the executable's folder
 *     $XDG_DATA_HOME/leat/plugins, or ~/.local/share/leat/plugins: the user's, if it exists
 */
#ifndef LEAT_HOST_PLUGIN_PLACES_H
#define LEAT_HOST_PLUGIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/memory/arena.h"

struct place {
    const char *path;
    const char *named_by; /* "--plugin-path", …; static */
    bool installed;       /* installed with the host */
    bool optional;        /* may be missing */
};

/* Lists the places; texts and list lie in the arena. Returns their number. */
size_t places_list(struct arena *a, const char *const *plugin_paths, size_t n,
                   const struct place **place);
bool place_exists(const struct place *p);

#endif
