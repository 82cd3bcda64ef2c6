/* builder.h -- runs a pipeline script once and takes the graph out of it. */
#ifndef LEAT_HOST_LUA_SCRIPT_BUILDER_H
#define LEAT_HOST_LUA_SCRIPT_BUILDER_H

#include "host/log/diag.h"
#include "host/graph/graph.h"

/* --set key=value */
struct argument {
    const char *key, *value;
};

/* The first text of a file, decompressed and out of its encoding (NULL: UTF-8), for scripts that
 * choose by it: `max` bytes and one record more, in a. NULL: *why says why. */
typedef const char *lua_reads_beginning(struct registry *known, const char *path,
                                        const char *encoding, size_t max, struct arena *a,
                                        size_t *n, const char **why);
/* The same of any source, with its settings: a list of texts. */
typedef const struct value *lua_reads_records(struct registry *known, const char *stage,
                                              struct setting *settings, size_t n_settings,
                                              size_t max, struct arena *a, const char **why);

/* What leat.beginning calls. */
struct lua_beginning {
    lua_reads_beginning *text;
    lua_reads_records *records;
};

/* Runs the file `script` with the arguments and fills g's nodes, edges and settings; the script can
 * query the parameters of the `known` stages. `lua_dir` is the folder of the leat module, and
 * leat.beginning calls `beginning`. The Lua state is closed on return; `script` must outlive g
 * and d. Problems go to d. Returns LEAT_OK, LEAT_EARG when there is no graph, or LEAT_ENOMEM.
 * Limits of the script: 2 seconds, 64 MiB. */
int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              struct registry *known, const struct lua_beginning *beginning, struct graph *g,
              struct diag *d);

#endif
