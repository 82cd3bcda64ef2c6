/* fuzz_lua_value.c -- any bytes as a Lua value of a snapshot.
 *
 * They are refused, or written as bytes that give the same bytes again.
 *
 * sources: runtime/host/lua/value.c $(pkg-config --cflags --libs lua5.4)
 */
#include <lauxlib.h>

#include "fuzz.h"
#include "host/lua/value.h"

struct job {
    const void *bytes;
    size_t n;
    struct lua_bytes first, second;
};

static int round_trip(lua_State *L)
{
    struct job *j = lua_touserdata(L, 1);
    int top = lua_gettop(L);
    if (!lua_value_read(L, j->bytes, j->n)) {
        must(lua_gettop(L) == top);
        return 0;
    }
    must(lua_gettop(L) == top + 1);
    must(lua_value_write(L, "v", &j->first));
    must(lua_value_read(L, j->first.p, j->first.n));
    must(lua_value_write(L, "v", &j->second));
    must(j->first.n == j->second.n && !memcmp(j->first.p, j->second.p, j->first.n));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lua_State *L;
    if (!L) L = luaL_newstate();
    must(L != NULL);
    char *exact = exactly(data, size);
    struct job j = {.bytes = exact, .n = size};
    lua_settop(L, 0);
    lua_pushcfunction(L, round_trip);
    lua_pushlightuserdata(L, &j);
    must(lua_pcall(L, 1, 0, 0) == LUA_OK);
    lua_bytes_free(&j.first);
    lua_bytes_free(&j.second);
    free(exact);
    return 0;
}
