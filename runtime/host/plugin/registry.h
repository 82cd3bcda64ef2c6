/* registry.h -- finds plugins, refuses plugins that do not fit, and lists all stages by name.
 *
 * Stages come from these places, in this order:
 *     1. tables inside the host                     registry_add_builtin
 *     2. the places of places.h, in their order     registry_load_all
 *
 * If two stages have the same name, the first one is kept and a notice records the other. A plugin
 * file is a file NAME.so in one of the folders.
 *
 * A foreign plugin, which is not built with the host, is first loaded in a child process
 * (crash_probe.h). So a plugin that crashes causes a message and does not end the host.
 *
 * The host's own plugins are loaded only when one of their stages is needed. Their libraries take
 * three times as long to load as everything else before a script is read. The build knows the
 * stages of each own plugin.
 *
 * A plugin is refused as a whole, with a reason that names the found and the expected value; the
 * other plugins are still loaded. Plugins are never unloaded, so their functions stay valid until
 * the process ends. */
#ifndef LEAT_HOST_PLUGIN_REGISTRY_H
#define LEAT_HOST_PLUGIN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* A stage and its origin. `stage` and `plugin` are the host's copies: fields that an older plugin
 * lacks are NULL or 0, and the stride of `params` is the host's. */
struct stage_type {
    const struct leat_stage *stage; /* NULL while its file is not loaded */
    /* NULL while its file is not loaded, or if the stage is part of the host */
    const struct leat_plugin *plugin;
    const char *file; /* plugin file; NULL if the stage is part of the host */
    bool trusted;     /* part of the host, or built with it */
};

enum notice_kind { NOTICE_REFUSED, NOTICE_SHADOWED, NOTICE_REPLACED };

/* A problem found while loading plugins. `text` is a whole message, with the file's name. */
struct notice {
    enum notice_kind kind;
    const char *file;
    const char *text;
    const struct notice *next;
};

struct registry {
    struct arena arena;
    struct stage_type **type; /* stages, sorted by name   */
    const char **name;        /* name[i]: name of type[i] */
    size_t n, cap;
    struct notice *notices, *last_notice;
    const struct notice *printed; /* last notice that was printed */
    const char *refused;          /* names of refused files: "a.so, b.so"; NULL if none */
    const char **loaded;          /* real paths of all loaded files; prevents loading one twice */
    size_t n_loaded, cap_loaded;
    unsigned probe_ms; /* milliseconds that a plugin may take to load (crash_probe.h) */
};

void registry_init(struct registry *r);
void registry_free(struct registry *r);

/* Adds stages that are part of the host. */
void registry_add_builtin(struct registry *r, const struct leat_plugin *plugin);

enum origin { TRUSTED, PROBED, INSTALLED, OF_USER };
/* Loads a plugin file, or all plugin files of a folder in the order of their names. TRUSTED: loads
 * without a trial in a child process. PROBED: loads with a trial. INSTALLED: files with the names
 * of the host's own plugins are trusted and loaded only when needed; other files are PROBED.
 * OF_USER: nobody has named the folder, so it and its files must be the user's (places_distrust);
 * they are PROBED. Failures become notices. Load everything before any thread is started. */
void registry_load(struct registry *r, const char *path, enum origin origin);
/* Loads the plugins from all places of places.h. */
void registry_load_all(struct registry *r, const char *const *plugin_paths, size_t n);
/* Loads all own plugins that are not loaded yet. Call it before all stages are described. */
void registry_load_rest(struct registry *r);

/* Returns the stage `name`, and loads its file first if necessary. NULL if no stage has this
 * name. */
const struct stage_type *registry_find(struct registry *r, const char *name);

/* Returns a message such as "there is no stage 'learn.amw': did you mean 'learn.awm'?". It also
 * names the refused files, because one of them may contain the stage. */
const char *registry_missing(const struct registry *r, const char *name, struct arena *a);

/* Returns where a parameter of stages is set, with the names of such stages: "a script sets it in
 * its stage (feature.columns)". NULL if no stage has the parameter. Loads all plugins. */
const char *registry_takers(struct registry *r, const char *parameter, struct arena *a);

/* Prints a line for each refused plugin, and for each plugin that replaces an installed stage. With
 * `all`, also prints a line for each stage that hides another. Further calls print only new
 * notices. */
void registry_print_notices(struct registry *r, bool all, FILE *out);

#endif
