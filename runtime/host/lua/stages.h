/* stages.h -- built-in stages that call a Lua function, from lua.filter to lua.batch. */
#ifndef LEAT_HOST_LUA_STAGES_H
#define LEAT_HOST_LUA_STAGES_H

#include <leat/plugin.h>

extern const struct leat_plugin lua_plugin;

#endif
