/* script_chunks.h -- compiles the modules of leat once, for all scripts of a process. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_CHUNKS_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_CHUNKS_H

#include <lua.h>

/* Pushes the function of a Lua file of leat, like luaL_loadfilex(). Reads the file only the first
 * time. Only one thread at a time may call it. */
int script_chunks_load(lua_State *L, const char *file);

#endif
