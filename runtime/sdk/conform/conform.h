/* conform.h -- `leat plugin test`: checks that a plugin keeps the laws of its headers.
 *
 * Each law is tried with each stage that it concerns, in a separate process with a time limit. A
 * stage that crashes, ends the process or hangs breaks the current law. Stages are configured by a
 * script, by their own example, or by their defaults. They get plain and hostile records made from
 * a seed (harness/ has the host).
 */
#ifndef LEAT_SDK_CONFORM_CONFORM_H
#define LEAT_SDK_CONFORM_CONFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "host/lua/script/builder.h"

struct conform_options {
    const char *file;   /* the plugin */
    const char *script; /* a pipeline that uses its stages, or NULL */
    const struct argument *args;
    size_t n_args;
    const char *const *plugin_paths; /* other plugin folders, for the command to repeat */
    size_t n_plugin_paths;
    const char *stage, *law; /* the only one to try; NULL: all */
    const char *lua_dir;
    bool json; /* print one object a line */
    const struct lua_beginning *beginning;
};

struct conform_counts {
    size_t passed, failed, skipped;
};

/* Prints a line for each law and stage. Returns LEAT_OK; or LEAT_EARG after a message, if there is
 * no such file, stage or law, or if the script is wrong. */
int conform(const struct conform_options *o, struct registry *known, struct conform_counts *counts);

#endif
