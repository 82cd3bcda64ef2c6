/* sandbox_library.c -- libraries of a stage's Lua state; their work counts towards its limits.
 *
 * These are Lua's own libraries without files, processes, the clock and code from text.
 *
 * The `table` library: a metamethod __len may return a different length each time. So no function
 * here checks one length and then uses another. insert and remove are rewritten here. move and
 * concat get explicit bounds, and the steps of work are counted for these bounds. sort, which would
 * ask for the length again, refuses a table with __len. */
#include "sandbox_library.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include <leat/status.h>

#include "core/report/text_out.h"
#include "host/log/diag.h"
#include "sandbox.h"

enum {
    VALUES_PER_STEP = 4,   /* arguments or results of a function that count as a step */
    STEPS_PER_ELEMENT = 2, /* steps that a table function counts for an element       */
    LINE_BYTES = 800,      /* most bytes of a printed line                            */
    NAMES_MAX = 400        /* most names to search for a similar one                  */
};

// clang-format off
const char *const sandbox_names[] = {
    "_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall",
    "print", "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber",
    "tostring", "type", "xpcall",
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

/* ---- undefined globals ---- */

/* Returns Lua's word for a word of another language, such as nil for null; NULL if there is
 * none. */
static const char *undefined_foreign(const char *name)
{
    static const char *const words[][2] = {
        {"True", "true"}, {"TRUE", "true"}, {"False", "false"},   {"FALSE", "false"},
        {"None", "nil"},  {"null", "nil"},  {"undefined", "nil"}, {"NULL", "nil"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i][0])) return words[i][1];
    return NULL;
}

static size_t undefined_add(const char **names, size_t n, const char *name)
{
    if (name && *name && *name != '(' && n < NAMES_MAX) names[n++] = name;
    return n;
}

/* Lists the names that the function at call level 1 can see and returns their number. Lua owns the
 * strings, which stay valid during the search for a similar name. */
static size_t undefined_visible(lua_State *L, const char **names)
{
    lua_Debug ar;
    size_t n = 0;
    const char *name;
    if (lua_getstack(L, 1, &ar)) {
        for (int i = 1; (name = lua_getlocal(L, &ar, i)); i++, lua_pop(L, 1))
            n = undefined_add(names, n, name);
        lua_getinfo(L, "f", &ar);
        for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++, lua_pop(L, 1))
            n = undefined_add(names, n, name);
        lua_pop(L, 1);
    }
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) n = undefined_add(names, n, lua_tostring(L, -2));
    lua_pop(L, 1);
    return n;
}

/* Metamethod __index(globals, name) for undefined globals. */
static int undefined_refuse_foreign(lua_State *L)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const char *word = name ? undefined_foreign(name) : NULL;
    return word ? luaL_error(L, "'%s' is not defined: did you mean %s?", name, word) : 0;
}

static int undefined_raise(lua_State *L)
{
    undefined_refuse_foreign(L);
    if (lua_type(L, 2) != LUA_TSTRING) return 0;
    const char *name = lua_tostring(L, 2), *names[NAMES_MAX];
    if (!strcmp(name, "leat"))
        return luaL_error(L, "'leat' is not defined: begin the script with "
                             "local leat = require \"leat\"");
    const char *near = diag_suggest(name, names, undefined_visible(L, names));
    if (near) return luaL_error(L, "'%s' is not defined: did you mean '%s'?", name, near);
    return luaL_error(L,
                      "'%s' is not defined: write texts in quotes, and define variables by "
                      "local %s = … before they are used",
                      name, name);
}

static int undefined_remember(lua_State *L)
{
    struct sandbox *box = sandbox_of(L);
    undefined_refuse_foreign(L);
    if (lua_type(L, 2) == LUA_TSTRING)
        snprintf(box->undefined, sizeof box->undefined, "%s", lua_tostring(L, 2));
    return 0;
}

static void undefined_set_index(lua_State *L, lua_CFunction index)
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

void undefined_refuse(lua_State *L) { undefined_set_index(L, undefined_raise); }

static void undefined_note(lua_State *L) { undefined_set_index(L, undefined_remember); }

/* ---- the function print() ---- */

/* Appends as much of the text as fits. Writes a zero byte as '?', because it would end the line. */
static size_t print_append(char *line, size_t at, const char *text, size_t n)
{
    for (size_t i = 0; i < n && at + 1 < LINE_BYTES; i++)
        line[at++] = text[i] ? text[i] : '?';
    line[at] = '\0';
    return at;
}

/* Joins the arguments of print() into `line`, converted by tostring() and separated by blanks. Cuts
 * the line if it is too long. Returns the uncut number of bytes. Runs even for a line that is not
 * shown, because a value's __tostring may fail or have side effects. */
static size_t print_join(lua_State *L, char line[LINE_BYTES], size_t at)
{
    size_t bytes = 0;
    for (int i = 1, n = lua_gettop(L); i <= n; i++) {
        size_t len;
        const char *text = luaL_tolstring(L, i, &len);
        if (i > 1) at = print_append(line, at, "  ", 2);
        at = print_append(line, at, text, len);
        bytes += len;
        lua_pop(L, 1);
    }
    return bytes;
}

static int print_in_stream(lua_State *L)
{
    struct print *p = sandbox_of(L)->print;
    char line[LINE_BYTES] = "";
    sandbox_charge(L, print_join(L, line, 0) / BYTES_PER_STEP);
    if (p && p->lines++ < PRINT_STREAM) p->say(p->to, line);
    return 0;
}

int print_in_script(lua_State *L)
{
    struct print *p = lua_touserdata(L, lua_upvalueindex(1));
    char line[LINE_BYTES] = "";
    luaL_where(L, 1);
    size_t n = print_append(line, 0, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
    lua_pop(L, 1);
    print_join(L, line, n);
    if (p->lines++ < PRINT_SCRIPT) p->say(p->to, line);
    return 0;
}

void print_end(const struct print *p, uint64_t max)
{
    char more[64], text[128];
    if (p->lines <= max) return;
    more[text_format_grouped(more, p->lines - max)] = '\0';
    snprintf(text, sizeof text, "print: … %s more", more);
    p->say(p->to, text);
}

/* ---- the library `table` ---- */

/* Counts the steps of work on elements i .. j of a table (sandbox_charge). */
static void table_charge_range(lua_State *L, lua_Integer i, lua_Integer j)
{
    if (i > j) return;
    uint64_t n = (uint64_t)j - (uint64_t)i;
    sandbox_charge(L, n > UINT64_MAX / STEPS_PER_ELEMENT ? UINT64_MAX : n * STEPS_PER_ELEMENT);
}

/* table.insert(t, [pos,] value) */
static int table_insert(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer e = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1), pos = e;
    int arguments = lua_gettop(L);
    if (arguments != 2 && arguments != 3)
        return luaL_error(L, "wrong number of arguments to 'insert'");
    if (arguments == 3) {
        pos = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)pos - 1 < (lua_Unsigned)e, 2, "position out of bounds");
        table_charge_range(L, pos, e);
        for (lua_Integer i = e; i > pos; i--) {
            lua_geti(L, 1, i - 1);
            lua_seti(L, 1, i);
        }
    }
    lua_seti(L, 1, pos);
    return 0;
}

/* table.remove(t [, pos]) */
static int table_take_out(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_len(L, 1), pos = luaL_optinteger(L, 2, n);
    if (pos != n)
        luaL_argcheck(L, (lua_Unsigned)pos - 1 <= (lua_Unsigned)n, 2, "position out of bounds");
    lua_settop(L, 1);
    lua_geti(L, 1, pos);
    table_charge_range(L, pos, n);
    for (; pos < n; pos++) {
        lua_geti(L, 1, pos + 1);
        lua_seti(L, 1, pos);
    }
    lua_pushnil(L);
    lua_seti(L, 1, pos);
    return 1;
}

static int table_original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

/* table.move(a, from, to, ...) */
static int table_move(lua_State *L)
{
    int whole_from, whole_to;
    lua_Integer from = lua_tointegerx(L, 2, &whole_from), to = lua_tointegerx(L, 3, &whole_to);
    if (whole_from && whole_to) table_charge_range(L, from, to);
    return table_original(L);
}

/* table.concat(t [, separator [, i [, j]]]) */
static int table_concat(lua_State *L)
{
    if (!lua_istable(L, 1)) return table_original(L);
    lua_settop(L, 4);
    if (lua_isnil(L, 4)) {
        lua_pushinteger(L, luaL_len(L, 1));
        lua_replace(L, 4);
    }
    lua_Integer i = lua_isnil(L, 3) ? 1 : lua_tointeger(L, 3);
    table_charge_range(L, i, lua_tointeger(L, 4));
    return table_original(L);
}

static unsigned table_log2_of(uint64_t n)
{
    unsigned k = 1;
    while (n >>= 1)
        k++;
    return k;
}

/* Returns the steps of work for reading the texts among elements 1 .. n of the table at stack index
 * 1, as a sort does to compare them. */
static uint64_t table_text_steps(lua_State *L, lua_Integer n)
{
    uint64_t bytes = 0;
    for (lua_Integer i = 1; i <= n; i++, lua_pop(L, 1))
        if (lua_rawgeti(L, 1, i) == LUA_TSTRING) bytes += lua_rawlen(L, -1);
    return bytes / BYTES_PER_STEP;
}

/* table.sort(t [, less]) */
static int table_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        return luaL_error(L, "a table with __len cannot be sorted in the stream");
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    table_charge_range(L, 1, n);
    sandbox_charge(L, ((uint64_t)n + table_text_steps(L, n)) * table_log2_of((uint64_t)n));
    return table_original(L);
}

static void table_limit(lua_State *L)
{
    static const luaL_Reg own[] = {
        {"insert", table_insert}, {"remove", table_take_out}, {NULL, NULL}};
    static const luaL_Reg wrapped[] = {
        {"move", table_move}, {"concat", table_concat}, {"sort", table_sort}};
    lua_getglobal(L, "table");
    luaL_setfuncs(L, own, 0);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        lua_getfield(L, -1, wrapped[i].name);
        lua_pushcclosure(L, wrapped[i].func, 1);
        lua_setfield(L, -2, wrapped[i].name);
    }
    lua_pop(L, 1);
}

/* ---- other functions that differ from the standard library ---- */

/* Finishes pcall and xpcall: inserts true or false below the results. If a limit of the sandbox
 * caused the error, raises the error again. */
static int sandbox_finish_pcall(lua_State *L, int status, int base)
{
    if (status != LUA_OK && sandbox_of(L)->expired) return lua_error(L);
    luaL_checkstack(L, 1, "results");
    lua_pushboolean(L, status == LUA_OK);
    lua_insert(L, base);
    return lua_gettop(L) - base + 1;
}

static int sandbox_safe_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    return sandbox_finish_pcall(L, lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0), 1);
}

static int sandbox_call_handler(lua_State *L)
{
    if (sandbox_of(L)->expired) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int sandbox_safe_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, sandbox_call_handler, 1);
    lua_replace(L, 2);
    lua_pushvalue(L, 1); /* stack: f, handler, arguments, f -> f, handler, f, arguments */
    lua_insert(L, 3);
    return sandbox_finish_pcall(L, lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 2), 3);
}

static int sandbox_safe_setmetatable(lua_State *L)
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

/* math.randomseed() without arguments: Lua's original would use the clock; this one restores the
 * stage's seed. */
static int sandbox_safe_randomseed(lua_State *L)
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

/* Calls the original library function. Counts steps of work for the bytes of text arguments, and
 * for the number of arguments and results. */
static int sandbox_metered(lua_State *L)
{
    uint64_t steps = (uint64_t)lua_gettop(L) / VALUES_PER_STEP;
    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING) steps += lua_rawlen(L, i) / BYTES_PER_STEP;
    sandbox_charge(L, steps);
    int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    sandbox_charge(L, (uint64_t)results / VALUES_PER_STEP);
    return results;
}

/* string.rep: for an empty text, the original takes a step for each repetition, so this returns ""
 * at once. In all other cases the memory limit bounds the work. */
static int sandbox_safe_rep(lua_State *L)
{
    size_t n, n_separator;
    luaL_checklstring(L, 1, &n);
    luaL_optlstring(L, 3, "", &n_separator);
    if (n || n_separator) return lua_tocfunction(L, lua_upvalueindex(1))(L);
    luaL_checkinteger(L, 2);
    lua_pushliteral(L, "");
    return 1;
}

/* Replaces the fields `names` of the table on top of the stack by the function `around`. Each copy
 * of `around` has the original field as upvalue. */
static void sandbox_meter(lua_State *L, const char *const *names, lua_CFunction around)
{
    for (; *names; names++) {
        lua_getfield(L, -1, *names);
        lua_pushcclosure(L, around, 1);
        lua_setfield(L, -2, *names);
    }
}

static void sandbox_limit_rep(lua_State *L)
{
    static const char *const names[] = {"rep", NULL};
    lua_getglobal(L, LUA_STRLIBNAME);
    sandbox_meter(L, names, sandbox_safe_rep);
    lua_pop(L, 1);
}

static bool sandbox_offered(const char *library, const char *name)
{
    size_t n = strlen(library);
    for (const char *const *s = sandbox_names; *s; s++)
        if (n ? !strncmp(*s, library, n) && (*s)[n] == '.' && !strcmp(*s + n + 1, name)
              : !strcmp(*s, name))
            return true;
    return false;
}

/* Removes all names that sandbox_names does not list from the library table on top of the stack. */
static void sandbox_prune(lua_State *L, const char *library)
{
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && !sandbox_offered(library, lua_tostring(L, -1))) {
            lua_pushvalue(L, -1);
            lua_pushnil(L);
            lua_rawset(L, -4);
        }
    }
}

/* Opens a library. The functions in `to_meter` are wrapped, so that steps are counted for their
 * work. The functions in `instead` (may be NULL) replace the originals. */
static void sandbox_open_library(lua_State *L, const char *name, lua_CFunction open,
                                 const char *const *to_meter, const luaL_Reg *instead)
{
    luaL_requiref(L, name, open, 1);
    sandbox_prune(L, name);
    sandbox_meter(L, to_meter, sandbox_metered);
    if (instead) luaL_setfuncs(L, instead, 0);
    lua_pop(L, 1);
}

static void sandbox_seed_random(lua_State *L, uint64_t seed)
{
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, (lua_Integer)seed);
    lua_pushinteger(L, (lua_Integer)(seed >> 32));
    lua_pushcclosure(L, sandbox_safe_randomseed, 3);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "randomseed");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
}

/* Lua function for a protected call. Its argument is a pointer to the seed (light userdata). */
static int sandbox_open_libraries(lua_State *L)
{
    static const luaL_Reg instead[] = {{"pcall", sandbox_safe_pcall},
                                       {"xpcall", sandbox_safe_xpcall},
                                       {"print", print_in_stream},
                                       {"setmetatable", sandbox_safe_setmetatable},
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
    sandbox_prune(L, "");
    luaL_setfuncs(L, instead, 0);
    sandbox_meter(L, base_functions, sandbox_metered);
    lua_pop(L, 1);
    sandbox_open_library(L, LUA_STRLIBNAME, luaopen_string, text_functions, patterns);
    sandbox_open_library(L, LUA_TABLIBNAME, luaopen_table, many_values, NULL);
    table_limit(L);
    sandbox_limit_rep(L);
    sandbox_open_library(L, LUA_MATHLIBNAME, luaopen_math, extremes, NULL);
    sandbox_open_library(L, LUA_UTF8LIBNAME, luaopen_utf8, utf8_functions, NULL);
    sandbox_seed_random(L, *seed);
    undefined_note(L);
    return 0;
}

int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed)
{
    if (sandbox_start(s, limit, instructions) != LEAT_OK) return LEAT_ENOMEM;
    return sandbox_call(s, sandbox_open_libraries, &seed) == LUA_OK ? LEAT_OK : LEAT_ENOMEM;
}
