/* script_json.h -- values of Lua as JSON and back, for small files of a script. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_JSON_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_JSON_H

#include <lua.h>

/* leat.json_text(value): returns a value of Lua as lines of JSON. A table with values at 1, 2, … is
 * an array; any other one is an object, whose keys are in order. A text that is not UTF-8, another
 * value, and tables within themselves are errors. */
int script_json_write(lua_State *L);
/* leat.json_value(text): returns the value of a text of JSON, with nil for null; or nil and the
 * reason if the text is no JSON. */
int script_json_read(lua_State *L);

#endif
