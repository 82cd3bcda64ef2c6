/* conform.h -- `leat plugin test`: checks that a plugin keeps the laws of its headers.
 *
 * Each law is tried with each stage that it concerns, in a separate process with a time limit. A
 * stage that crashes, ends the process or hangs breaks the law that is being tried. A stage is
 * configured by a script, by its own example, or by its defaults. It gets ordinary and hostile
 * records that are made from a seed (records.h). harness/ takes the place of the host. */
#ifndef LEAT_SDK_CONFORM_CONFORM_H
#define LEAT_SDK_CONFORM_CONFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "host/lua/script/builder.h"

struct conform_options {
    const char *file;   /* path of the plugin */
    const char *script; /* pipeline that uses the plugin's stages; or NULL */
    const struct argument *args;
    size_t n_args;
    /* folders of --plugin-path, for the printed command that repeats a law */
    const char *const *plugin_paths;
    size_t n_plugin_paths;
    const char *stage, *law; /* only stage and only law to try; NULL: all */
    const char *lua_dir;
    bool json; /* true to print one JSON object per line */
    const struct lua_beginning *beginning;
};

struct conform_counts {
    size_t passed, failed, skipped;
};

/* Tries all laws of `o` and prints a line for each law and stage. Returns LEAT_OK, even if laws are
 * broken. Returns LEAT_EARG after a message if the file, stage or law does not exist, or if the
 * script is wrong. */
int conform(const struct conform_options *o, struct registry *known, struct conform_counts *counts);

#endif
