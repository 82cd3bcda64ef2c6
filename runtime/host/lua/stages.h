/* stages.h -- lua.filter, lua.map and lua.batch: built-in stages that call a Lua function. */
#ifndef LEAT_HOST_LUA_STAGES_H
#define LEAT_HOST_LUA_STAGES_H

#include <leat/plugin.h>

extern const struct leat_plugin lua_plugin;

#endif
