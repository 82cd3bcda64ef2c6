/* script_graph.h -- the flat table of a pipeline (lua/leat/init.lua) as nodes and edges.
 *
 * Both may raise errors, also of builder_must: they are called within lua_pcall. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_GRAPH_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_GRAPH_H

#include "builder_inside.h"

/* The problems that the module has found: its field `problems`, into b->d. */
void script_graph_problems(struct builder *b, int flat);
/* Name, options, nodes and edges, into b->g. */
void script_graph_take(struct builder *b, int flat);

#endif
