/* script_library.c -- see script_library.h. */
#include "script_library.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

/* ---- chunks are text: what was compiled may have been changed, and Lua trusts it ---- */

static int original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

static void set_mode(lua_State *L, int arg)
{
    if (lua_gettop(L) < arg) lua_settop(L, arg);
    lua_pushliteral(L, "t");
    lua_replace(L, arg);
}

/* load(chunk, name, mode, environment) */
static int load_text(lua_State *L)
{
    set_mode(L, 3);
    return original(L);
}

/* loadfile(name, mode, environment) */
static int load_file_text(lua_State *L)
{
    set_mode(L, 2);
    return original(L);
}

static int run_file(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    if (luaL_loadfilex(L, name, "t") != LUA_OK) return lua_error(L);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - 1;
}

/* ---- modules ---- */

/* Upvalues: package, package.searchpath, the path of the program's own modules. */
static int search_module(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    bool own = !strcmp(name, "leat") || !strncmp(name, "leat.", 5);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, 1);
    if (own)
        lua_pushvalue(L, lua_upvalueindex(3));
    else
        lua_getfield(L, lua_upvalueindex(1), "path");
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) return 1; /* the message says where it was looked for */
    lua_pop(L, 1);
    const char *file = lua_tostring(L, -1);
    if (luaL_loadfilex(L, file, "t") != LUA_OK)
        return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, file,
                          lua_tostring(L, -1));
    lua_insert(L, -2);
    return 2;
}

/* package.searchers: preloaded ones, and search_module instead of Lua's three. */
static void set_modules(lua_State *L, const char *script_dir, const char *lua_dir)
{
    lua_getglobal(L, "package");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_pushnil(L);
    lua_setfield(L, -2, "loadlib");
    lua_pushfstring(L, "%s/?.lua;%s/?.lua;%s/?/init.lua", script_dir, lua_dir, lua_dir);
    lua_setfield(L, -2, "path");
    lua_getfield(L, -1, "searchers");
    lua_pushvalue(L, -2);
    lua_getfield(L, -1, "searchpath");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", lua_dir, lua_dir);
    lua_pushcclosure(L, search_module, 3);
    lua_rawseti(L, -2, 2);
    for (int i = 4; i > 2; i--) {
        lua_pushnil(L);
        lua_rawseti(L, -2, i);
    }
    lua_pop(L, 2);
}

/* ---- files ---- */

static int open_to_read(lua_State *L)
{
    const char *mode = luaL_optstring(L, 2, "r");
    if (strcmp(mode, "r") && strcmp(mode, "rb"))
        return luaL_error(
            L, "io.open takes \"r\" here, not \"%s\": a script may read files, not write them",
            mode);
    return original(L);
}

/* Puts a function around TABLE.NAME, which becomes its upvalue. */
static void wrap(lua_State *L, const char *table, const char *name, lua_CFunction around)
{
    lua_getglobal(L, table);
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, around, 1);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static void remove_all_but(lua_State *L, const char *table, const char *const *kept, int n)
{
    lua_getglobal(L, table);
    lua_createtable(L, 0, n);
    for (int i = 0; i < n; i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_pushvalue(L, -1);
    lua_setglobal(L, table);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_insert(L, -2);
    lua_setfield(L, -2, table);
    lua_pop(L, 2);
}

void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir)
{
    static const char *const os[] = {"clock", "date", "difftime", "getenv", "time"};
    static const char *const io[] = {"close", "input", "lines",  "open",  "read",
                                     "type",  "write", "stderr", "stdin", "stdout"};
    static const char *const debug[] = {"getinfo", "traceback"};
    luaL_openlibs(L);
    remove_all_but(L, "os", os, sizeof os / sizeof *os);
    remove_all_but(L, "io", io, sizeof io / sizeof *io);
    remove_all_but(L, "debug", debug, sizeof debug / sizeof *debug);
    set_modules(L, script_dir, lua_dir);
    wrap(L, "io", "open", open_to_read);
    wrap(L, LUA_GNAME, "load", load_text);
    wrap(L, LUA_GNAME, "loadfile", load_file_text);
    lua_pushcfunction(L, run_file);
    lua_setglobal(L, "dofile");
}
