/* conform.h -- `leat plugin test`: does a plugin keep the laws of its headers?
 *
 * Each law is tried with each stage of the plugin that it is about, in a process of its own with a
 * limit of time: a stage that crashes, ends the process or hangs breaks the law that was tried.
 * Stages are configured by a script, or by their own example, or by their defaults, and are fed
 * with records made from a seed, plain ones and hostile ones (harness/ has the host).
 */
#ifndef LEAT_SDK_CONFORM_CONFORM_H
#define LEAT_SDK_CONFORM_CONFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "host/lua/script/builder.h"

struct conform_options {
    const char *file;   /* the plugin */
    const char *script; /* a pipeline that uses its stages; NULL: none */
    const struct argument *args;
    size_t n_args;
    const char *const *plugin_paths; /* what else is loaded, to be said again */
    size_t n_plugin_paths;
    const char *stage, *law; /* only this one; NULL: all */
    const char *lua_dir;
    bool json; /* one object a line */
    const struct lua_beginning *beginning;
};

struct conform_counts {
    size_t passed, failed, skipped;
};

/* Prints a line for each law and stage. LEAT_OK; LEAT_EARG after a message: there is no such file,
 * stage or law, or the script is wrong. */
int conform(const struct conform_options *o, struct registry *known, struct conform_counts *counts);

#endif
