/* builder.h -- runs a pipeline script once and takes the graph out of it. */
#ifndef LEAT_LUA_BUILDER_H
#define LEAT_LUA_BUILDER_H

#include "base/diag.h"
#include "graph/graph.h"

/* --set key=value */
struct argument {
    const char *key, *value;
};

/* Run `script` with the arguments (it may ask what parameters the `known` stages have) and fill g's
 * nodes, edges and settings. The Lua state is gone when this returns. Problems go to d; returns
 * LEAT_OK, or LEAT_EARG when there is no graph to go on with. The script may run for two seconds
 * and take 64 MiB. */
int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              const struct registry *known, struct graph *g, struct diag *d);

#endif
