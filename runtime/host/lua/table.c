/* table.c -- see table.h.
 *
 * A length may come from a metamethod, and another one each time it is asked for. So no function
 * asks twice and believes the first answer: insert and remove are written here; move and concat are
 * given the bounds that were charged; sort, which would ask again, takes no table with __len. */
#include "table.h"

#include <stdint.h>

#include <lauxlib.h>

#include "sandbox.h"

enum { BYTES_PER_STEP = 32, STEPS_PER_ELEMENT = 2 };

/* The elements i .. j. */
static void charge_range(lua_State *L, lua_Integer i, lua_Integer j)
{
    if (i > j) return;
    uint64_t n = (uint64_t)j - (uint64_t)i;
    sandbox_charge(L, n > UINT64_MAX / STEPS_PER_ELEMENT ? UINT64_MAX : n * STEPS_PER_ELEMENT);
}

/* table.insert(t, [pos,] value) */
static int insert(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer e = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1), pos = e;
    int arguments = lua_gettop(L);
    if (arguments != 2 && arguments != 3)
        return luaL_error(L, "wrong number of arguments to 'insert'");
    if (arguments == 3) {
        pos = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)pos - 1 < (lua_Unsigned)e, 2, "position out of bounds");
        charge_range(L, pos, e);
        for (lua_Integer i = e; i > pos; i--) {
            lua_geti(L, 1, i - 1);
            lua_seti(L, 1, i);
        }
    }
    lua_seti(L, 1, pos);
    return 0;
}

/* table.remove(t [, pos]) */
static int take_out(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_len(L, 1), pos = luaL_optinteger(L, 2, n);
    if (pos != n)
        luaL_argcheck(L, (lua_Unsigned)pos - 1 <= (lua_Unsigned)n, 2, "position out of bounds");
    lua_settop(L, 1);
    lua_geti(L, 1, pos);
    charge_range(L, pos, n);
    for (; pos < n; pos++) {
        lua_geti(L, 1, pos + 1);
        lua_seti(L, 1, pos);
    }
    lua_pushnil(L);
    lua_seti(L, 1, pos);
    return 1;
}

static int original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

/* table.move(a, from, to, ...) */
static int move(lua_State *L)
{
    int whole_from, whole_to;
    lua_Integer from = lua_tointegerx(L, 2, &whole_from), to = lua_tointegerx(L, 3, &whole_to);
    if (whole_from && whole_to) charge_range(L, from, to);
    return original(L);
}

/* table.concat(t [, separator [, i [, j]]]) */
static int concat(lua_State *L)
{
    if (!lua_istable(L, 1)) return original(L);
    lua_settop(L, 4);
    if (lua_isnil(L, 4)) {
        lua_pushinteger(L, luaL_len(L, 1));
        lua_replace(L, 4);
    }
    lua_Integer i = lua_isnil(L, 3) ? 1 : lua_tointeger(L, 3);
    charge_range(L, i, lua_tointeger(L, 4));
    return original(L);
}

static unsigned log2_of(uint64_t n)
{
    unsigned k = 1;
    while (n >>= 1)
        k++;
    return k;
}

/* Comparing texts reads them. */
static uint64_t text_steps(lua_State *L, lua_Integer n)
{
    uint64_t bytes = 0;
    for (lua_Integer i = 1; i <= n; i++, lua_pop(L, 1))
        if (lua_rawgeti(L, 1, i) == LUA_TSTRING) bytes += lua_rawlen(L, -1);
    return bytes / BYTES_PER_STEP;
}

/* table.sort(t [, less]) */
static int sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        return luaL_error(L, "a table with __len cannot be sorted in the stream");
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    charge_range(L, 1, n);
    sandbox_charge(L, ((uint64_t)n + text_steps(L, n)) * log2_of((uint64_t)n));
    return original(L);
}

void table_limit(lua_State *L)
{
    static const luaL_Reg own[] = {{"insert", insert}, {"remove", take_out}, {NULL, NULL}};
    static const luaL_Reg wrapped[] = {{"move", move}, {"concat", concat}, {"sort", sort}};
    lua_getglobal(L, "table");
    luaL_setfuncs(L, own, 0);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        lua_getfield(L, -1, wrapped[i].name);
        lua_pushcclosure(L, wrapped[i].func, 1);
        lua_setfield(L, -2, wrapped[i].name);
    }
    lua_pop(L, 1);
}
