/* sandbox.c -- the allocator, the instruction counter and the library of a stage's Lua state.
 *
 * Instructions. Lua counts them down and calls count_hook at zero; each sandbox_arm restarts the
 * count. A function could catch the error and continue, so pcall and xpcall here raise it again,
 * and the count is then one, which stops handlers of to-be-closed variables at their first
 * instruction. Lua switches hooks off in two places where a function could hide: in the message
 * handler of an error that came from a hook (xpcall here does not call it then) and in finalizers
 * (setmetatable here refuses __gc). There are no coroutines, which would have hooks of their own.
 *
 * Library functions run inside one instruction. Those whose work can be long charge it to the same
 * count: patterns (pattern.c), tables (table.c), others by the length of their texts (metered), and
 * the allocator charges what it hands out, and so copies. What is left, such as comparing long
 * texts, is bounded by memory; a call may take a second of processor time and 50 ns for each
 * instruction that it is allowed, some ten times what those take.
 *
 * Memory. The allocator refuses a request beyond the limit; Lua then collects all garbage and tries
 * again before it raises an error. Strings made by string.rep count, too. Such a collection takes
 * time in proportion to all that the function keeps. Where one after the other frees hardly
 * anything, as when the function keeps nearly its whole memory, or catches the errors, the call
 * ends as one that has no memory left: else each record would take milliseconds.
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

#include "core/time/clock.h"
#include "pattern.h"
#include "print.h"
#include "table.h"
#include "undefined.h"

// clang-format off
const char *const sandbox_names[] = {
    "_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall",
    "print", "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring",
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

enum { SLICE = 4096, BYTES_PER_STEP = 32, VALUES_PER_STEP = 4 };

/* So many collections in a row after each of which less than this part of the memory is used. */
enum { CROWDED_MAX = 10, CROWDED_PART = 64 };

static void count_hook(lua_State *L, lua_Debug *ar);

static double cpu_limit(const struct sandbox *s) { return 1e9 + 50.0 * s->instructions; }

static void set_slice(struct sandbox *s, int64_t instructions)
{
    s->slice = instructions < 1 ? 1 : instructions < SLICE ? (int)instructions : SLICE;
    lua_sethook(s->L, count_hook, LUA_MASKCOUNT, s->slice);
}

/* The allocator must not raise errors: when it uses up what is left, the next instruction does. One
 * request takes a quarter at most, so that a large table may double. */
static void charge_bytes(struct sandbox *s, size_t bytes)
{
    int64_t most = (int64_t)s->instructions * (STEPS_PER_INSTRUCTION / 4);
    int64_t steps = (int64_t)(bytes / BYTES_PER_STEP);
    if (!s->armed || s->expired || s->left < 0) return;
    s->left -= steps < most ? steps : most;
    if (s->left < 0) set_slice(s, 1);
}

/* A request is refused, and Lua will collect; then it may ask for the same once more. */
static void note_refusal(struct sandbox *s)
{
    uint64_t gained = s->given - s->given_before;
    if (!gained && s->collections) return;
    s->collections++;
    s->given_before = s->given;
    s->crowded = gained < s->limit / CROWDED_PART ? s->crowded + 1 : 1;
    if (s->crowded < CROWDED_MAX || !s->armed || s->expired) return;
    s->left = -1;
    set_slice(s, 1);
}

static void *limited_realloc(void *ud, void *p, size_t old, size_t new)
{
    struct sandbox *s = ud;
    if (!p) old = 0; /* Lua passes the kind of object there */
    if (!new) {
        free(p);
        s->bytes -= old;
        return NULL;
    }
    if (new > old && s->bytes + (new - old) > s->limit) {
        note_refusal(s);
        return NULL;
    }
    void *q = realloc(p, new);
    s->starved = !q;
    if (!q) return new <= old ? p : NULL; /* to become smaller must not fail */
    s->bytes = s->bytes - old + new;
    if (new > old) s->given += new - old;
    if (s->bytes > s->peak) s->peak = s->bytes;
    if (new > old + BYTES_PER_STEP) charge_bytes(s, new - old);
    return q;
}

static int expire(lua_State *L, bool slow)
{
    struct sandbox *s = sandbox_of(L);
    s->expired = true;
    s->slow = slow;
    lua_sethook(L, count_hook, LUA_MASKCOUNT, 1);
    if (s->crowded >= CROWDED_MAX) {
        lua_pushliteral(L, "not enough memory"); /* as Lua has it, and without taking some */
        return lua_error(L);
    }
    luaL_where(L, 0);
    if (slow)
        lua_pushfstring(L, "the function used up its %f s of processor time", cpu_limit(s) / 1e9);
    else
        lua_pushfstring(L, "the function used up its %d instructions", s->instructions);
    lua_concat(L, 2);
    return lua_error(L);
}

static bool is_slow(struct sandbox *s)
{
    uint64_t now = clock_thread_ns();
    if (!s->cpu) s->cpu = now;
    return (double)(now - s->cpu) > cpu_limit(s);
}

static void count_hook(lua_State *L, lua_Debug *ar)
{
    struct sandbox *s = sandbox_of(L);
    if (!s->expired) s->left -= (int64_t)s->slice * STEPS_PER_INSTRUCTION;
    if (s->expired || s->left <= 0) expire(L, s->slow);
    if (is_slow(s)) expire(L, true);
    if (s->left < (int64_t)s->slice * STEPS_PER_INSTRUCTION)
        set_slice(s, s->left / STEPS_PER_INSTRUCTION);
}

void sandbox_charge(lua_State *L, uint64_t steps)
{
    struct sandbox *s = sandbox_of(L);
    s->left = steps > INT64_MAX / 2 || s->left < 0 ? -1 : s->left - (int64_t)steps;
    if (s->left < 0) expire(L, false);
}

void sandbox_arm(struct sandbox *s)
{
    s->expired = s->slow = false;
    s->undefined[0] = '\0';
    s->armed = true;
    s->cpu = 0;
    s->left = (int64_t)s->instructions * STEPS_PER_INSTRUCTION;
    set_slice(s, s->instructions);
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

/* The library's own function, charged for the lengths of its arguments and results. */
static int metered(lua_State *L)
{
    uint64_t steps = (uint64_t)lua_gettop(L) / VALUES_PER_STEP;
    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING) steps += lua_rawlen(L, i) / BYTES_PER_STEP;
    sandbox_charge(L, steps);
    int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    sandbox_charge(L, (uint64_t)results / VALUES_PER_STEP);
    return results;
}

/* string.rep of nothing would take a step for each time; all else is bounded by memory. */
static int safe_rep(lua_State *L)
{
    size_t n, n_separator;
    luaL_checklstring(L, 1, &n);
    luaL_optlstring(L, 3, "", &n_separator);
    if (n || n_separator) return lua_tocfunction(L, lua_upvalueindex(1))(L);
    luaL_checkinteger(L, 2);
    lua_pushliteral(L, "");
    return 1;
}

/* Puts a function around each field of the table on top that is named; its upvalue is the field. */
static void meter(lua_State *L, const char *const *names, lua_CFunction around)
{
    for (; *names; names++) {
        lua_getfield(L, -1, *names);
        lua_pushcclosure(L, around, 1);
        lua_setfield(L, -2, *names);
    }
}

static void limit_rep(lua_State *L)
{
    static const char *const names[] = {"rep", NULL};
    lua_getglobal(L, LUA_STRLIBNAME);
    meter(L, names, safe_rep);
    lua_pop(L, 1);
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

/* With those named metered, and those of `instead`, unless NULL, replaced. */
static void open_library(lua_State *L, const char *name, lua_CFunction open,
                         const char *const *to_meter, const luaL_Reg *instead)
{
    luaL_requiref(L, name, open, 1);
    prune(L, name);
    meter(L, to_meter, metered);
    if (instead) luaL_setfuncs(L, instead, 0);
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
                                       {"print", print_in_stream},
                                       {"setmetatable", safe_setmetatable},
                                       {NULL, NULL}};
    static const luaL_Reg patterns[] = {{"find", pattern_find},
                                        {"gmatch", pattern_gmatch},
                                        {"gsub", pattern_gsub},
                                        {"match", pattern_match},
                                        {NULL, NULL}};
    static const char *const base_functions[] = {"rawequal", "select", "tonumber", NULL};
    static const char *const text_functions[] = {"byte",     "char",   "format", "pack",
                                                 "packsize", "unpack", NULL};
    static const char *const many_values[] = {"pack", "unpack", NULL};
    static const char *const extremes[] = {"max", "min", NULL};
    static const char *const utf8_functions[] = {"char", "codepoint", "len", "offset", NULL};
    const uint64_t *seed = lua_touserdata(L, 1);
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    prune(L, "");
    luaL_setfuncs(L, instead, 0);
    meter(L, base_functions, metered);
    lua_pop(L, 1);
    open_library(L, LUA_STRLIBNAME, luaopen_string, text_functions, patterns);
    open_library(L, LUA_TABLIBNAME, luaopen_table, many_values, NULL);
    table_limit(L);
    limit_rep(L);
    open_library(L, LUA_MATHLIBNAME, luaopen_math, extremes, NULL);
    open_library(L, LUA_UTF8LIBNAME, luaopen_utf8, utf8_functions, NULL);
    seed_random(L, *seed);
    undefined_note(L);
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
    s->full = memory;
    s->crowded = 0;
    s->starved &= memory;
    /* Only a string is read as it is: turning anything else into one may raise an error. */
    if (s->starved)
        snprintf(text, cap, "there is not enough memory for the function");
    else if (memory)
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
