/* sandbox.c -- the allocator, the instruction counter and the library of a stage's Lua state.
 *
 * Instructions. Lua counts them down and calls count_hook at zero; each sandbox_arm restarts the
 * count. A function could catch the error and continue, so pcall and xpcall here raise it again,
 * and the count is then one, which stops handlers of to-be-closed variables at their first
 * instruction. Lua switches hooks off in two places where a function could hide: in the message
 * handler of an error that came from a hook (xpcall here does not call it then) and in finalizers
 * (setmetatable here refuses __gc). There are no coroutines, which would have hooks of their own.
 *
 * Instructions inside C functions are not counted: string.find with a pattern made to backtrack, or
 * table.move over 2^40 elements, has no limit of time. Their memory is bounded.
 *
 * Memory. The allocator refuses a request beyond the limit; Lua then collects all garbage and tries
 * again before it raises an error. Strings made by string.rep count, too.
 *
 * The same input gives the same output, with two exceptions that Lua imposes: the order of pairs()
 * over text keys and the addresses in tostring({}). */
#include "sandbox.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include <leat/status.h>

// clang-format off
const char *const sandbox_names[] = {
    "_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall",
    "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring",
    "type", "xpcall",
    "math", "math.abs", "math.acos", "math.asin", "math.atan", "math.ceil", "math.cos", "math.deg",
    "math.exp", "math.floor", "math.fmod", "math.huge", "math.log", "math.max", "math.maxinteger",
    "math.min", "math.mininteger", "math.modf", "math.pi", "math.rad", "math.random",
    "math.randomseed", "math.sin", "math.sqrt", "math.tan", "math.tointeger", "math.type",
    "math.ult",
    "string", "string.byte", "string.char", "string.find", "string.format", "string.gmatch",
    "string.gsub", "string.len", "string.lower", "string.match", "string.pack", "string.packsize",
    "string.rep", "string.reverse", "string.sub", "string.unpack", "string.upper",
    "table", "table.concat", "table.insert", "table.move", "table.pack", "table.remove",
    "table.sort", "table.unpack",
    "utf8", "utf8.char", "utf8.charpattern", "utf8.codepoint", "utf8.codes", "utf8.len",
    "utf8.offset",
    NULL};
// clang-format on

static struct sandbox *sandbox_of(lua_State *L) { return *(struct sandbox **)lua_getextraspace(L); }

static void *limited_realloc(void *ud, void *p, size_t old, size_t new)
{
    struct sandbox *s = ud;
    if (!p) old = 0; /* Lua passes the kind of object there */
    if (!new) {
        free(p);
        s->bytes -= old;
        return NULL;
    }
    if (new > old &&new - old > s->limit - s->bytes) return NULL;
    void *q = realloc(p, new);
    if (!q) return new <= old ? p : NULL; /* to become smaller must not fail */
    s->bytes = s->bytes - old + new;
    if (s->bytes > s->peak) s->peak = s->bytes;
    return q;
}

static void count_hook(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    struct sandbox *s = sandbox_of(L);
    s->expired = true;
    lua_sethook(L, count_hook, LUA_MASKCOUNT, 1);
    luaL_where(L, 0);
    lua_pushfstring(L, "the function used up its %d instructions", s->instructions);
    lua_concat(L, 2);
    lua_error(L);
}

void sandbox_arm(struct sandbox *s)
{
    s->expired = false;
    lua_sethook(s->L, count_hook, LUA_MASKCOUNT, s->instructions);
}

/* ---- what differs from the standard library ---- */

/* Inserts `false` or `true` below the results of a protected call; raises the limit's error
 * again. */
static int finish_pcall(lua_State *L, int status, int base)
{
    if (status != LUA_OK && sandbox_of(L)->expired) return lua_error(L);
    luaL_checkstack(L, 1, "results");
    lua_pushboolean(L, status == LUA_OK);
    lua_insert(L, base);
    return lua_gettop(L) - base + 1;
}

static int safe_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    return finish_pcall(L, lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0), 1);
}

static int call_handler(lua_State *L)
{
    if (sandbox_of(L)->expired) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int safe_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, call_handler, 1);
    lua_replace(L, 2);
    lua_pushvalue(L, 1); /* f, handler, arguments, f -> f, handler, f, arguments */
    lua_insert(L, 3);
    return finish_pcall(L, lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 2), 3);
}

static int safe_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnil(L, 2)) luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "__gc cannot be used in the stream");
        lua_pop(L, 1);
    }
    lua_setmetatable(L, 1);
    return 1;
}

/* math.randomseed() without arguments would use the clock; here it restores the stage's seed. */
static int safe_randomseed(lua_State *L)
{
    if (lua_gettop(L) == 0) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushvalue(L, lua_upvalueindex(3));
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 0);
    return 0;
}

static bool offered(const char *library, const char *name)
{
    size_t n = strlen(library);
    for (const char *const *s = sandbox_names; *s; s++)
        if (n ? !strncmp(*s, library, n) && (*s)[n] == '.' && !strcmp(*s + n + 1, name)
              : !strcmp(*s, name))
            return true;
    return false;
}

/* Removes from the table on top all names that sandbox_names does not list. */
static void prune(lua_State *L, const char *library)
{
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && !offered(library, lua_tostring(L, -1))) {
            lua_pushvalue(L, -1);
            lua_pushnil(L);
            lua_rawset(L, -4);
        }
    }
}

static void open_library(lua_State *L, const char *name, lua_CFunction open)
{
    luaL_requiref(L, name, open, 1);
    prune(L, name);
    lua_pop(L, 1);
}

static void seed_random(lua_State *L, uint64_t seed)
{
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, (lua_Integer)seed);
    lua_pushinteger(L, (lua_Integer)(seed >> 32));
    lua_pushcclosure(L, safe_randomseed, 3);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "randomseed");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
}

/* Protected: (seed as a light pointer to it). */
static int open_libraries(lua_State *L)
{
    static const luaL_Reg instead[] = {{"pcall", safe_pcall},
                                       {"xpcall", safe_xpcall},
                                       {"setmetatable", safe_setmetatable},
                                       {NULL, NULL}};
    const uint64_t *seed = lua_touserdata(L, 1);
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    prune(L, "");
    luaL_setfuncs(L, instead, 0);
    lua_pop(L, 1);
    open_library(L, LUA_STRLIBNAME, luaopen_string);
    open_library(L, LUA_TABLIBNAME, luaopen_table);
    open_library(L, LUA_MATHLIBNAME, luaopen_math);
    open_library(L, LUA_UTF8LIBNAME, luaopen_utf8);
    seed_random(L, *seed);
    return 0;
}

int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument)
{
    lua_pushcfunction(s->L, f);
    lua_pushlightuserdata(s->L, argument);
    return lua_pcall(s->L, 1, 0, 0);
}

int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed)
{
    assert(instructions > 0);
    *s = (struct sandbox){.limit = limit, .instructions = instructions};
    if (!(s->L = lua_newstate(limited_realloc, s))) return LEAT_ENOMEM;
    *(struct sandbox **)lua_getextraspace(s->L) = s;
    lua_gc(s->L, LUA_GCGEN, 0, 0);
    return sandbox_call(s, open_libraries, &seed) == LUA_OK ? LEAT_OK : LEAT_ENOMEM;
}

void sandbox_fini(struct sandbox *s)
{
    if (s->L) lua_close(s->L);
    s->L = NULL;
}

/* The library's buffers (string.rep, table.concat) raise their own error of this text. */
static bool is_memory(lua_State *L, int status)
{
    return status == LUA_ERRMEM ||
           (lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "not enough memory"));
}

int sandbox_error(struct sandbox *s, int status, char *text, size_t cap)
{
    lua_State *L = s->L;
    int type = lua_type(L, -1), memory = is_memory(L, status);
    /* Only a string is read as it is: turning anything else into one may raise an error. */
    if (memory)
        snprintf(text, cap, "the function used up its %zu KiB of memory", s->limit / 1024);
    else if (type == LUA_TSTRING)
        snprintf(text, cap, "%s", lua_tostring(L, -1));
    else if (type == LUA_TNUMBER)
        snprintf(text, cap, "%.14g", lua_tonumber(L, -1));
    else
        snprintf(text, cap, "the function raised %s%s as an error", type == LUA_TNIL ? "" : "a ",
                 lua_typename(L, type));
    lua_pop(L, 1);
    return s->expired || memory ? LEAT_R_LIMIT : LEAT_R_LUA;
}
