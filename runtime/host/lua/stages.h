/* stages.h -- plugin with the stages that call a Lua function, such as lua.filter and lua.batch. */
#ifndef LEAT_HOST_LUA_STAGES_H
#define LEAT_HOST_LUA_STAGES_H

#include <leat/plugin.h>

extern const struct leat_plugin lua_plugin;

#endif
