/* registry.h -- finding plugins, refusing those that do not fit, and the registry of all stages.
 *
 * Where stages come from; of two with one name the first found stays, and the other is noted:
 *   1. tables inside the host                         registry_add_builtin
 *   2. --plugin-path, in the order given              registry_load_all
 *   3. LEAT_PLUGIN_PATH, colon separated                    "
 *   4. ../lib/leat/plugins beside the executable            "
 * A plugin file is a name.so in one of these directories. Those of 2 and 3 are first tried in a
 * child process (crash_probe.h), so that a crashing one is a message and not the end of the host.
 *
 * A plugin is refused as a whole, with a reason that names what was found and what was wanted; the
 * others are loaded all the same. Nothing is ever unloaded: function pointers of plugins may live
 * until the process ends. */
#ifndef LEAT_PLUGIN_REGISTRY_H
#define LEAT_PLUGIN_REGISTRY_H

#include <stddef.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "base/arena.h"

/* A stage and where it comes from. The tables are the host's copies: fields that an older plugin
 * does not have are NULL or 0, the stride of `params` is the host's. */
struct stage_type {
    const struct leat_stage *stage;
    const struct leat_plugin *plugin; /* NULL: part of the host itself */
    const char *file;                 /* NULL: part of the host itself */
};

enum notice_kind { NOTICE_REFUSED, NOTICE_SHADOWED };

/* Something that loading came across. The text is a whole message, the file's name included. */
struct notice {
    enum notice_kind kind;
    const char *file;
    const char *text;
    const struct notice *next;
};

struct registry {
    struct arena arena;
    struct stage_type **type; /* sorted by name */
    const char **name;        /* of type[i]     */
    size_t n, cap;
    struct notice *notices, *last_notice;
    const char *refused; /* files, comma separated; NULL: none */
    const char **loaded; /* real paths, so that no file is loaded twice */
    size_t n_loaded, cap_loaded;
    unsigned probe_ms; /* how long a plugin may take to load */
};

void registry_init(struct registry *r);
void registry_free(struct registry *r);

/* Stages of the host itself. */
void registry_add_builtin(struct registry *r, const struct leat_plugin *plugin);

enum trust { TRUSTED, PROBED };
/* A plugin file, or all of a directory in the order of their names. */
void registry_load(struct registry *r, const char *path, enum trust trust);
/* Places 2 to 4. Before any thread is started. */
void registry_load_all(struct registry *r, const char *const *plugin_paths, size_t n);

const struct stage_type *registry_find(const struct registry *r, const char *name);
/* All names, sorted; registry_find() knows each. */
const char *const *registry_names(const struct registry *r, size_t *n);

/* The files that were refused as "a.so, b.so", or NULL when none was. */
const char *registry_refusals(const struct registry *r);
/* "there is no stage 'learn.amw': did you mean 'learn.awm'?" and which files might have held it. */
const char *registry_missing(const struct registry *r, const char *name, struct arena *a);

/* Each refusal as a line, and with `all` also which stages hide others. */
void registry_print_notices(const struct registry *r, int all, FILE *out);

#endif
