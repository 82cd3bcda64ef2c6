/* script_json.c -- implementation of script_json.h. */
#include "script_json.h"

#include <jansson.h>
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 32 }; /* tables within tables */

/* ---- from Lua ---- */

static json_t *json_of(lua_State *L, int at, int depth, const char **why);

static json_t *array_of(lua_State *L, int at, int depth, const char **why)
{
    json_t *all = json_array();
    for (lua_Integer i = 1; !*why && lua_geti(L, at, i) != LUA_TNIL; i++) {
        json_array_append_new(all, json_of(L, lua_gettop(L), depth, why));
        lua_pop(L, 1);
    }
    if (!*why) lua_pop(L, 1); /* the nil */
    return all;
}

static json_t *object_of(lua_State *L, int at, int depth, const char **why)
{
    json_t *all = json_object();
    for (lua_pushnil(L); !*why && lua_next(L, at); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            *why = "a key is no text";
        else if (json_object_set_new(all, lua_tostring(L, -2),
                                     json_of(L, lua_gettop(L), depth, why)) &&
                 !*why)
            *why = "a text is not UTF-8";
    }
    return all;
}

static json_t *json_of_table(lua_State *L, int at, int depth, const char **why)
{
    if (depth > DEEPEST || !lua_checkstack(L, LUA_MINSTACK)) {
        *why = "it has too many tables within tables";
        return NULL;
    }
    bool is_array = lua_geti(L, at, 1) != LUA_TNIL;
    lua_pop(L, 1);
    return is_array ? array_of(L, at, depth + 1, why) : object_of(L, at, depth + 1, why);
}

/* Returns the value at the index `at` of the stack as JSON. On failure sets *why. */
static json_t *json_of(lua_State *L, int at, int depth, const char **why)
{
    size_t n = 0;
    const char *bytes;
    json_t *text;
    switch (lua_type(L, at)) {
    case LUA_TTABLE:
        return json_of_table(L, at, depth, why);
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(L, at));
    case LUA_TNUMBER:
        if (lua_isinteger(L, at)) return json_integer(lua_tointeger(L, at));
        if (isfinite(lua_tonumber(L, at))) return json_real(lua_tonumber(L, at));
        *why = "a number is not finite";
        return NULL;
    case LUA_TSTRING:
        bytes = lua_tolstring(L, at, &n);
        text = json_stringn(bytes, n);
        if (!text) *why = "a text is not UTF-8";
        return text;
    default:
        *why = "a value is neither text, number, boolean nor table";
        return NULL;
    }
}

/* True if 15 digits tell each number of the value from all others. */
static bool is_short(const json_t *v)
{
    char text[40];
    const char *key;
    json_t *part;
    size_t i;
    bool all = true;
    json_array_foreach(v, i, part) { all &= is_short(part); }
    json_object_foreach((json_t *)v, key, part) { all &= is_short(part); }
    if (!json_is_real(v)) return all;
    snprintf(text, sizeof text, "%.15g", json_real_value(v));
    return strtod(text, NULL) == json_real_value(v);
}

int script_json_write(lua_State *L)
{
    const char *why = NULL;
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    json_t *value = json_of(L, 1, 1, &why);
    size_t digits = is_short(value) ? 15 : 17;
    size_t flags = JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits);
    char *text = why ? NULL : json_dumps(value, flags);
    json_decref(value);
    lua_settop(L, 1);
    lua_pushstring(L, text); /* nil if it is NULL */
    free(text);
    return why ? luaL_error(L, "no JSON can be made: %s", why) : 1;
}

/* ---- to Lua ---- */

/* Pushes a value. Returns false if it has too many arrays and objects within others. */
static bool push_json(lua_State *L, const json_t *v, int depth)
{
    const char *key;
    json_t *part;
    size_t i;
    bool good = depth <= DEEPEST && lua_checkstack(L, LUA_MINSTACK);
    if (json_is_array(v) || json_is_object(v)) lua_newtable(L);
    json_array_foreach(v, i, part)
    {
        good = good && push_json(L, part, depth + 1);
        if (good) lua_seti(L, -2, (lua_Integer)i + 1);
    }
    json_object_foreach((json_t *)v, key, part)
    {
        good = good && push_json(L, part, depth + 1);
        if (good) lua_setfield(L, -2, key);
    }
    if (json_is_string(v)) lua_pushlstring(L, json_string_value(v), json_string_length(v));
    if (json_is_integer(v)) lua_pushinteger(L, json_integer_value(v));
    if (json_is_real(v)) lua_pushnumber(L, json_real_value(v));
    if (json_is_boolean(v)) lua_pushboolean(L, json_is_true(v));
    if (json_is_null(v)) lua_pushnil(L);
    return good;
}

int script_json_read(lua_State *L)
{
    size_t n;
    json_error_t why;
    const char *text = luaL_checklstring(L, 1, &n);
    json_t *value =
        json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &why);
    bool good = value && push_json(L, value, 1);
    json_decref(value);
    if (good) return 1;
    lua_settop(L, 1);
    lua_pushnil(L);
    if (value)
        lua_pushliteral(L, "it has too many arrays and objects within others");
    else
        lua_pushfstring(L, "line %d: %s", why.line, why.text);
    return 2;
}
