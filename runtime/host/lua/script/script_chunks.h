/* script_chunks.h -- compiles the modules of leat once, for all scripts of a process; and the
 * text of a script, for messages. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_CHUNKS_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_CHUNKS_H

#include <lua.h>
#include <stddef.h>

#include "host/memory/arena.h"

/* Pushes the function of a Lua file of leat, like luaL_loadfilex(). Reads the file only the first
 * time. Only one thread at a time may call it. */
int script_chunks_load(lua_State *L, const char *file);

/* Returns the first MB of a script, n bytes and a NUL in the arena; "" for a pipe, which cannot be
 * read a second time. */
const char *script_chunks_text(const char *script, struct arena *a, size_t *n);

#endif
