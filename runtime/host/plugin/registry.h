/* registry.h -- finds plugins, refuses those that do not fit, and lists all stages by name.
 *
 * Stages come from these places, in this order:
 *     1. tables inside the host                              registry_add_builtin
 *     2. the places of places.h, in their order              registry_load_all
 *
 * If two stages have the same name, the first is kept and a notice records the other. A plugin file
 * is a name.so in one of these directories. All plugins but those built with the host are first
 * loaded in a child process (crash_probe.h). So a crashing plugin causes a message and does not end
 * the host.
 *
 * The host's own plugins are loaded only when one of their stages is needed. Their libraries take
 * three times as long to load as everything else before a script is read. The build knows the
 * stages of each.
 *
 * A plugin is refused as a whole, with a reason that names the found and the expected value; the
 * other plugins are still loaded. Nothing is ever unloaded: function pointers of plugins stay valid
 * until the process ends. */
#ifndef LEAT_HOST_PLUGIN_REGISTRY_H
#define LEAT_HOST_PLUGIN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* A stage and its origin. The tables are the host's copies: fields that an older plugin lacks are
 * NULL or 0; the stride of `params` is the host's. */
struct stage_type {
    const struct leat_stage *stage;   /* NULL: its file is not loaded yet */
    const struct leat_plugin *plugin; /* NULL: part of the host itself, or not loaded yet */
    const char *file;                 /* NULL: part of the host itself */
    bool trusted;                     /* part of the host, or built with it */
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
    const struct notice *printed; /* the last printed notice */
    const char *refused;          /* files, as "a.so, b.so"; NULL if none was refused */
    const char **loaded;          /* real paths, so that no file is loaded twice */
    size_t n_loaded, cap_loaded;
    unsigned probe_ms; /* milliseconds of processor time that a plugin may take to load
                        * (crash_probe.h) */
};

void registry_init(struct registry *r);
void registry_free(struct registry *r);

/* Adds stages of the host itself. */
void registry_add_builtin(struct registry *r, const struct leat_plugin *plugin);

enum origin { TRUSTED, PROBED, INSTALLED };
/* Loads a plugin file, or all plugin files of a directory in the order of their names. TRUSTED:
 * without the trial in a child process. INSTALLED: files with the names of own plugins are trusted
 * and loaded when needed; others are PROBED. Failures become notices. Load everything before any
 * thread is started. */
void registry_load(struct registry *r, const char *path, enum origin origin);
/* Loads from all places of places.h. */
void registry_load_all(struct registry *r, const char *const *plugin_paths, size_t n);
/* Loads all announced files; call it before all stages are described. */
void registry_load_rest(struct registry *r);

/* Returns the stage, after loading its file if necessary. NULL: no stage has that name. */
const struct stage_type *registry_find(struct registry *r, const char *name);

/* Returns "there is no stage 'learn.amw': did you mean 'learn.awm'?" with the refused files, which
 * might contain it. */
const char *registry_missing(const struct registry *r, const char *name, struct arena *a);

/* Prints a line for each refusal, and for each plugin that replaces an installed stage; with `all`
 * also for each stage that hides another. Each is printed only once, however often this is
 * called. */
void registry_print_notices(struct registry *r, bool all, FILE *out);

#endif
