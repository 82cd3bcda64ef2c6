/* test_file.c -- see test_file.h. */
#include "test_file.h"

#include <lauxlib.h>

#include <leat/plugin.h>

#include "builder_inside.h"
#include "script_errors.h"
#include "script_module.h"
#include "test_process.h"

/* What `require "leat.process"` finds. */
static void set_process(struct builder *b)
{
    lua_State *L = b->L;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushcfunction(L, test_process_open);
    lua_call(L, 0, 1);
    lua_pushstring(L, b->script);
    lua_setfield(L, -2, "script");
    lua_setfield(L, -2, "leat.process");
    lua_pop(L, 1);
}

static bool run_tests(struct builder *b)
{
    b->unreadable = luaL_loadfilex(b->L, b->script, "t") != LUA_OK;
    return !b->unreadable && lua_pcall(b->L, 0, 0, 0) == LUA_OK;
}

static uint64_t field(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    lua_Integer n = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return n > 0 ? (uint64_t)n : 0;
}

static void add_counts(lua_State *L, struct test_counts *counts)
{
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, "leat.test") == LUA_TTABLE) {
        counts->passed += field(L, "passed");
        counts->failed += field(L, "failed");
    }
    lua_pop(L, 2);
}

int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts)
{
    struct graph none = {.arena = d->arena, .script = script};
    struct builder b = {.g = &none,
                        .d = d,
                        .script = script,
                        .known = known,
                        .beginning = beginning,
                        .lua_dir = lua_dir};
    uint64_t before = counts->passed + counts->failed;
    if (!builder_start(&b)) return LEAT_ENOMEM;
    bool ran = script_module_load(&b, lua_dir, NULL, 0);
    if (ran) set_process(&b);
    ran = ran && run_tests(&b);
    if (!ran) {
        const char *why = lua_tostring(b.L, -1);
        script_errors_report(&b, why ? why : "the file of tests failed");
    }
    add_counts(b.L, counts);
    if (ran && counts->passed + counts->failed == before) {
        diag_add(d, DIAG_ERROR, (struct location){script, 0}, NULL, NULL,
                 "there is no test in this file: local test = require \"leat.test\"; "
                 "test(\"what it claims\", function() … end)");
        ran = false;
    }
    builder_end(&b);
    return ran ? LEAT_OK : LEAT_EARG;
}
