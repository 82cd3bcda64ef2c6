/* undefined.c -- see undefined.h. */
#include "undefined.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "host/log/diag.h"
#include "sandbox.h"

enum { NAMES_MAX = 400 };

/* What other languages write, and Lua. */
static const char *foreign(const char *name)
{
    static const char *const words[][2] = {
        {"True", "true"}, {"TRUE", "true"}, {"False", "false"},   {"FALSE", "false"},
        {"None", "nil"},  {"null", "nil"},  {"undefined", "nil"}, {"NULL", "nil"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i][0])) return words[i][1];
    return NULL;
}

static size_t add(const char **names, size_t n, const char *name)
{
    if (name && *name && *name != '(' && n < NAMES_MAX) names[n++] = name;
    return n;
}

/* Names that the function at level 1 can see. They belong to Lua, which keeps them meanwhile. */
static size_t visible(lua_State *L, const char **names)
{
    lua_Debug ar;
    size_t n = 0;
    const char *name;
    if (lua_getstack(L, 1, &ar)) {
        for (int i = 1; (name = lua_getlocal(L, &ar, i)); i++, lua_pop(L, 1))
            n = add(names, n, name);
        lua_getinfo(L, "f", &ar);
        for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++, lua_pop(L, 1))
            n = add(names, n, name);
        lua_pop(L, 1);
    }
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) n = add(names, n, lua_tostring(L, -2));
    lua_pop(L, 1);
    return n;
}

/* __index(globals, name) */
static int refuse_foreign(lua_State *L)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const char *word = name ? foreign(name) : NULL;
    return word ? luaL_error(L, "'%s' is not defined: did you mean %s?", name, word) : 0;
}

static int refuse(lua_State *L)
{
    refuse_foreign(L);
    if (lua_type(L, 2) != LUA_TSTRING) return 0;
    const char *name = lua_tostring(L, 2), *names[NAMES_MAX];
    if (!strcmp(name, "leat"))
        return luaL_error(L, "'leat' is not defined: begin the script with "
                             "local leat = require \"leat\"");
    const char *near = diag_suggest(name, names, visible(L, names));
    if (near) return luaL_error(L, "'%s' is not defined: did you mean '%s'?", name, near);
    return luaL_error(L,
                      "'%s' is not defined: write texts in quotes, and define variables by "
                      "local %s = … before they are used",
                      name, name);
}

static int note(lua_State *L)
{
    struct sandbox *box = sandbox_of(L);
    refuse_foreign(L);
    if (lua_type(L, 2) == LUA_TSTRING)
        snprintf(box->undefined, sizeof box->undefined, "%s", lua_tostring(L, 2));
    return 0;
}

static void set_index(lua_State *L, lua_CFunction index)
{
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, index);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void undefined_refuse(lua_State *L) { set_index(L, refuse); }

void undefined_note(lua_State *L) { set_index(L, note); }
