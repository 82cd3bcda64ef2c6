/* table.h -- the functions of Lua's library `table` whose work does not show in their arguments'
 * sizes: insert, remove, move, concat and sort, charged for the elements they pass over. */
#ifndef LEAT_HOST_LUA_TABLE_H
#define LEAT_HOST_LUA_TABLE_H

#include <lua.h>

/* Replaces them in the global `table` of a sandbox. May raise memory errors. */
void table_limit(lua_State *L);

#endif
