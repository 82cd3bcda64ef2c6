/* registry.h -- finds plugins, refuses those that do not fit, and lists all stages by name.
 *
 * Stages come from these places, in this order:
 *   1. tables inside the host                              registry_add_builtin
 *   2. those of places.h, in that order                     registry_load_all
 * If two stages have the same name, the first is kept and a notice records the other. A plugin file
 * is a name.so in one of these directories. All but those that are built with the host are first
 * loaded in a child process (crash_probe.h), so that a plugin which crashes causes a message and
 * does not end the host.
 *
 * The host's own plugins are loaded when a stage of theirs is asked for: their libraries take three
 * times as long to load as all else that happens before a script is read. Which stages each has is
 * known from the build.
 *
 * A plugin is refused as a whole, with a reason that names what was found and what was expected;
 * the other plugins are still loaded. Nothing is ever unloaded: function pointers of plugins stay
 * valid until the process ends. */
#ifndef LEAT_HOST_PLUGIN_REGISTRY_H
#define LEAT_HOST_PLUGIN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* A stage and its origin. The tables are the host's copies: fields that an older plugin does not
 * have are NULL or 0; the stride of `params` is the host's. */
struct stage_type {
    const struct leat_stage *stage;   /* NULL: its file is not loaded yet */
    const struct leat_plugin *plugin; /* NULL: part of the host itself, or not loaded yet */
    const char *file;                 /* NULL: part of the host itself */
    bool trusted;                     /* the host's own, or built with it */
};

enum notice_kind { NOTICE_REFUSED, NOTICE_SHADOWED, NOTICE_REPLACED };

/* A problem found while loading. The text is a whole message with the file's name. */
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
    const struct notice *printed; /* the last one that was */
    const char *refused;          /* files, as "a.so, b.so"; NULL if none was refused */
    const char **loaded;          /* real paths, so that no file is loaded twice */
    size_t n_loaded, cap_loaded;
    unsigned probe_ms; /* of a processor, that a plugin may take to load (crash_probe.h) */
};

void registry_init(struct registry *r);
void registry_free(struct registry *r);

/* Adds stages of the host itself. */
void registry_add_builtin(struct registry *r, const struct leat_plugin *plugin);

enum origin { TRUSTED, PROBED, INSTALLED };
/* Loads a plugin file, or all those of a directory in the order of their names. TRUSTED: without
 * the trial in a child process; INSTALLED: files called as those built with the host are trusted
 * and loaded when needed, others are PROBED. Failures become notices. Call all that loads before
 * any thread is started. */
void registry_load(struct registry *r, const char *path, enum origin origin);
/* Loads from all places of places.h. */
void registry_load_all(struct registry *r, const char *const *plugin_paths, size_t n);
/* Loads what is not loaded yet: before all stages are described. */
void registry_load_rest(struct registry *r);

/* Loads the file of the stage if that is not done yet. NULL: no stage has that name. */
const struct stage_type *registry_find(struct registry *r, const char *name);

/* Returns "there is no stage 'learn.amw': did you mean 'learn.awm'?" with the refused files, which
 * might contain it. */
const char *registry_missing(const struct registry *r, const char *name, struct arena *a);

/* Prints each refusal, and each plugin in the place of an installed stage, as a line; with `all`
 * also which other stages hide others. Each is printed once, however often this is called. */
void registry_print_notices(struct registry *r, bool all, FILE *out);

#endif
