/* places.h -- folders and files where the host looks for plugins, in this order:
 *
 *     --plugin-path             in the order of the command line
 *     LEAT_PLUGIN_PATH          separated by colons
 *     ../lib/leat/plugins       from the executable's folder
 *     $XDG_DATA_HOME/leat/plugins or ~/.local/share/leat/plugins
 *                               the user's folder, if it exists */
#ifndef LEAT_HOST_PLUGIN_PLACES_H
#define LEAT_HOST_PLUGIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/memory/arena.h"

struct place {
    const char *path;
    /* option or variable that names the place: "--plugin-path", …; a constant */
    const char *named_by;
    bool installed; /* has the plugins that were installed with the host */
    bool optional;  /* the place need not exist                          */
};

/* Sets *place to the list of all places and returns their number. The list lies in the arena. */
size_t places_list(struct arena *a, const char *const *plugin_paths, size_t n,
                   const struct place **place);
/* Returns the path of the user's folder `what`, such as ~/.local/share/leat/plugins; NULL if the
 * user's home is unknown. */
const char *places_of_user(struct arena *a, const char *what);
bool place_exists(const struct place *p);
/* Returns why this file or folder, found without being named, is not to be trusted: it belongs to
 * neither this user nor root, or everybody can write it. Returns NULL if it may be used. */
const char *places_distrust(const char *path);

#endif
