/* pattern.h -- string.find, match, gmatch and gsub, whose work is counted.
 *
 * Lua's own run inside one instruction, however long they backtrack. These give the same results
 * and raise the same errors, but charge every step of the matcher (sandbox_charge): a pattern made
 * to backtrack ends as an endless loop does. For states of a sandbox only. */
#ifndef LEAT_HOST_LUA_PATTERN_H
#define LEAT_HOST_LUA_PATTERN_H

#include <lua.h>

int pattern_find(lua_State *L);
int pattern_match(lua_State *L);
int pattern_gmatch(lua_State *L);
int pattern_gsub(lua_State *L);

#endif
