/* fuzz_pattern.c -- any subject and pattern for the sandbox's string.find, match, gmatch and gsub.
 *
 * They give the results and errors of Lua's own, or reach the sandbox's limit. The first byte of
 * the input is the subject's length, the second the pattern's, the third where the search begins;
 * the rest is the replacement.
 *
 * sources: runtime/host/lua/{pattern,sandbox,sandbox_library}.c
 * runtime/host/memory/{arena,memory}.c runtime/host/log/{diag,log,command_words}.c
 * runtime/core/time/utc.c runtime/core/text/plain_text.c
 * runtime/core/report/text_out.c
 * $(pkg-config --cflags --libs lua5.4)
 */
#include <lauxlib.h>
#include <lualib.h>

#include "fuzz.h"
#include "host/lua/sandbox.h"
#include "support/pattern_probe.h"

/* Small sizes, because Lua's own search can take practically for ever. */
enum { SUBJECT = 24, PATTERN = 24, REPLACEMENT = 8, STEPS = 20000 };

static int push(lua_State *L, const uint8_t *data, size_t size)
{
    size_t n = data[0] % (SUBJECT + 1), left = size - 3;
    n = n < left ? n : left;
    size_t m = data[1] % (PATTERN + 1);
    m = m < left - n ? m : left - n;
    size_t r = left - n - m < REPLACEMENT ? left - n - m : REPLACEMENT;
    const char *text = (const char *)data + 3;
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_pushlstring(L, text, n);
    lua_pushlstring(L, text + n, m);
    lua_pushlstring(L, text + n + m, r);
    lua_pushinteger(L, (int)data[2] % 9 - 4);
    return lua_pcall(L, 4, 1, 0);
}

static lua_State *theirs(void)
{
    static lua_State *L;
    if (L) return L;
    must((L = luaL_newstate()) != NULL);
    luaL_openlibs(L);
    must(luaL_loadbuffer(L, PATTERN_PROBE, sizeof PATTERN_PROBE - 1, "=probe") == LUA_OK);
    return L;
}

static struct sandbox *ours(void)
{
    static struct sandbox s;
    if (s.L) return &s;
    must(!sandbox_init(&s, 64 << 20, STEPS, 1));
    must(luaL_loadbuffer(s.L, PATTERN_PROBE, sizeof PATTERN_PROBE - 1, "=probe") == LUA_OK);
    return &s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    struct sandbox *s = ours();
    sandbox_arm(s);
    if (push(s->L, data, size) != LUA_OK) {
        must(s->expired);
        return 0;
    }
    if (s->expired) return 0;
    must(push(theirs(), data, size) == LUA_OK);
    size_t n, m;
    const char *a = lua_tolstring(s->L, -1, &n), *b = lua_tolstring(theirs(), -1, &m);
    must(a && b && n == m && !memcmp(a, b, n));
    return 0;
}
