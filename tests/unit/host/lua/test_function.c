/* test_function.c -- functions that move from one Lua state to another; the sandbox. */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include <leat/status.h>

#include "host/lua/function.h"
#include "host/lua/sandbox.h"
#include "support/suite.h"

/* A script's state, a function that it exported, and the state that received it. */
struct journey {
    lua_State *script;
    struct arena arena;
    struct sandbox box;
    const struct leat_function *f;
    char error[256];
    char text[512]; /* results of the last call joined by spaces, or its error */
    int reason;
};

static void depart(struct journey *j, const char *source)
{
    j->script = luaL_newstate();
    luaL_openlibs(j->script);
    int bad = luaL_loadbuffer(j->script, source, strlen(source), "@script.lua") ||
              lua_pcall(j->script, 0, 1, 0);
    ck_assert_msg(!bad, "%s", lua_tostring(j->script, -1));
    int top = lua_gettop(j->script);
    j->f = function_capture(j->script, -1, &j->arena, j->error, sizeof j->error);
    ck_assert_int_eq(lua_gettop(j->script), top);
    /* The function must not need the script any more. */
    lua_close(j->script);
}

static int push_protected(lua_State *L)
{
    function_push(L, lua_touserdata(L, 1));
    return 1;
}

static void push(struct journey *j)
{
    lua_State *L = j->box.L;
    lua_pushcfunction(L, push_protected);
    lua_pushlightuserdata(L, (void *)j->f);
    ck_assert_int_eq(lua_pcall(L, 1, 1, 0), LUA_OK);
}

static void travel_with(struct journey *j, const char *source, size_t memory, int instructions)
{
    memset(j, 0, sizeof *j);
    depart(j, source);
    ck_assert_msg(j->f != NULL, "%s", j->error);
    ck_assert_int_eq(sandbox_init(&j->box, memory, instructions, 7), LEAT_OK);
    push(j);
}

static void travel(struct journey *j, const char *source)
{
    travel_with(j, source, 64 << 20, 10000000);
}

/* Calls the function on top of the stack, which stays there. */
static const char *call(struct journey *j)
{
    lua_State *L = j->box.L;
    int base = lua_gettop(L);
    lua_pushvalue(L, -1);
    sandbox_arm(&j->box);
    j->reason = LEAT_R_NONE;
    int status = lua_pcall(L, 0, LUA_MULTRET, 0);
    j->text[0] = '\0';
    if (status != LUA_OK) j->reason = sandbox_error(&j->box, status, j->text, sizeof j->text);
    for (int i = base + 1; i <= lua_gettop(L); i++) {
        strcat(j->text, i > base + 1 ? " " : "");
        strcat(j->text, luaL_tolstring(L, i, NULL));
        lua_pop(L, 1);
    }
    lua_settop(L, base);
    return j->text;
}

static void arrive(struct journey *j)
{
    sandbox_fini(&j->box);
    ck_assert_uint_eq(j->box.bytes, 0);
    arena_free(&j->arena);
}

/* Checks that the function at the end of `source` gives `expected` in the other state. */
static void gives(const char *source, const char *expected)
{
    struct journey j;
    travel(&j, source);
    ck_assert_str_eq(call(&j), expected);
    arrive(&j);
}

static void refused(const char *source, const char *why)
{
    struct journey j;
    memset(&j, 0, sizeof j);
    depart(&j, source);
    ck_assert_ptr_null(j.f);
    ck_assert_msg(strstr(j.error, why) != NULL, "'%s' does not say '%s'", j.error, why);
    arena_free(&j.arena);
}

START_TEST(plain_data_arrives_as_it_was)
{
    gives("local a, b, c, d, e, f = 3, 3.0, 'x\\0y', true, nil, math.mininteger\n"
          "return function() return a, b, #c, d, e, f end",
          "3 3.0 3 true nil -9223372036854775808");
    gives("local t = { 1, 2, { 3, k = { 'deep' } }, [2.5] = false, [true] = 'yes' }\n"
          "return function() return #t, t[3][1], t[3].k[1], t[2.5], t[true] end",
          "3 3 deep false yes");
    gives("return function() return 'no upvalues' end", "no upvalues");
}
END_TEST

START_TEST(helpers_recursion_and_modules_arrive)
{
    gives("local function double(x) return 2 * x end\n"
          "local function quad(x) return double(double(x)) end\n"
          "return function() return quad(3) end",
          "12");
    gives("local function fact(n) return n < 2 and 1 or n * fact(n - 1) end\n"
          "return function() return fact(10) end",
          "3628800");
    gives("local even\n"
          "local function odd(n) if n == 0 then return false end return even(n - 1) end\n"
          "function even(n) if n == 0 then return true end return odd(n - 1) end\n"
          "return function() return even(10), odd(10) end",
          "true false");
    gives("local M = { k = 5 }\n"
          "function M.f() return M.g() + M.k end\n"
          "function M.g() return 1 end\n"
          "return M.f",
          "6");
    gives("local t = {}; t.self = t\nreturn function() return t.self.self == t end", "true");
    gives("local me; me = function(n) return n and me == n or me(me) end return me", "true");
}
END_TEST

START_TEST(a_variable_shared_by_two_functions_stays_shared)
{
    gives("local n = 10\n"
          "local function up() n = n + 1 end\n"
          "return function() up() up() n = n + 100 up() return n end",
          "113");
}
END_TEST

START_TEST(library_functions_travel_by_name)
{
    gives("local floor, fmt, str, p, pi = math.floor, string.format, string, pcall, math.pi\n"
          "return function() return floor(2.7), fmt('%02d', 7), str.rep('a', 3), p(error), pi > 3 "
          "end",
          "2 07 aaa false true");
    gives("local G = _G return function() return G.math.type(1), G.os end", "integer nil");
    refused("local now = os.time return function() return now() end",
            "uses 'now' (a function that is not written in Lua)");
    refused("local dump = string.dump return function() return dump end", "'dump'");
    refused("local io = io return function() io.write('x') end", "'io.");
}
END_TEST

START_TEST(what_is_no_plain_data_is_refused_by_name)
{
    refused("local src = setmetatable({}, {}) return function() return src end",
            "the function uses 'src' (a table with a metatable): it may use only plain data and "
            "functions written in Lua");
    refused("local out = io.stdout return function() return out end",
            "'out', an open file: read the file in the script");
    refused("local co = coroutine.create(print) return function() return co end",
            "'co' (a coroutine)");
    refused("local cfg = { list = { 1, 2, io.stdout } } return function() return cfg end",
            "'cfg.list[3]', an open file");
    refused("local src = io.stdout\nlocal function helper() return src end\n"
            "return function() return helper() end",
            "'helper' -> 'src', an open file");
    refused("local t = {} for i = 1, 20 do t = { t } end return function() return t end",
            "nested more than 16 deep");
    refused("local t = { [io.stdout] = 1 } return function() return t end", "userdata");
    refused("local f = function() end\n"
            "for i = 1, 300 do local g = f; f = function() return g() end end\n"
            "return function() return f end",
            "too many functions");
    refused("return 3", "this must be a function written in Lua, not number");
    refused("return print", "not a built-in one");
    refused("package.loaded.leat = { args = {} } local leat = package.loaded.leat\n"
            "return function() return leat.args.k end",
            "'leat' (the module that describes pipelines");
}
END_TEST

START_TEST(a_table_nested_sixteen_deep_is_let_through)
{
    gives("local t = { 'core' } for i = 1, 15 do t = { t } end\n"
          "return function() local x = t while type(x) == 'table' do x = x[1] end return x end",
          "core");
}
END_TEST

START_TEST(every_push_has_its_own_copy)
{
    struct journey j;
    travel(&j, "local t, n = { 0 }, 0\n"
               "return function() t[1] = t[1] + 1; n = n + 1; return t[1], n end");
    call(&j);
    ck_assert_str_eq(call(&j), "2 2");
    push(&j);
    ck_assert_str_eq(call(&j), "1 1");
    lua_pop(j.box.L, 1);
    ck_assert_str_eq(call(&j), "3 3");
    arrive(&j);
}
END_TEST

START_TEST(globals_are_those_of_the_sandbox)
{
    gives("helper = 5 return function() return helper, type(string), _G == _ENV end",
          "nil table true");
}
END_TEST

START_TEST(messages_name_file_and_line)
{
    struct journey j;
    travel(&j, "local x\n\nreturn function()\n  return x.y\nend");
    ck_assert_str_eq(j.f->source, "script.lua");
    ck_assert_int_eq(j.f->line, 3);
    call(&j);
    ck_assert_int_eq(j.reason, LEAT_R_LUA);
    ck_assert_str_eq(j.text, "script.lua:4: attempt to index a nil value (upvalue 'x')");
    arrive(&j);
}
END_TEST

/* ---- the sandbox ---- */

START_TEST(nothing_that_reaches_outside_is_there)
{
    static const char *const gone[] = {
        "io",         "os",     "debug",    "package", "require",        "coroutine",  "load",
        "loadstring", "dofile", "loadfile", "warn",    "collectgarbage", "string.dump"};
    char source[200];
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        snprintf(source, sizeof source, "return function() return %s == nil end", gone[i]);
        gives(source, "true");
    }
    /* _G.string and the methods of strings are one table, so no way leads round the limits. */
    gives("return function() return ('').dump, getmetatable('').__index == string end", "nil true");
}
END_TEST

START_TEST(every_name_on_the_list_is_there)
{
    struct journey j;
    char source[200];
    for (const char *const *name = sandbox_names; *name; name++) {
        snprintf(source, sizeof source, "return function() return %s ~= nil end", *name);
        travel(&j, source);
        ck_assert_msg(!strcmp(call(&j), "true"), "%s is missing", *name);
        arrive(&j);
    }
}
END_TEST

START_TEST(an_endless_loop_ends_and_the_state_goes_on)
{
    struct journey j;
    travel_with(&j,
                "local n = 0 return function() n = n + 1 if n == 1 then while true do end end\n"
                "return n end",
                1 << 20, 5000);
    call(&j);
    ck_assert_int_eq(j.reason, LEAT_R_LIMIT);
    ck_assert_str_eq(j.text, "script.lua:1: the function used up its 5000 instructions");
    ck_assert_str_eq(call(&j), "2");
    arrive(&j);
}
END_TEST

START_TEST(the_instruction_limit_counts_each_call_anew)
{
    struct journey j;
    travel_with(&j, "return function() for i = 1, 1000 do end return 'ok' end", 1 << 20, 5000);
    for (int i = 0; i < 100; i++)
        ck_assert_str_eq(call(&j), "ok");
    arrive(&j);
}
END_TEST

/* Every construct in which a function might outlive its limit. */
START_TEST(the_instruction_limit_cannot_be_caught)
{
    static const char *const tricks[] = {
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function() end) end",
        "xpcall(function() while true do end end, function() while true do end end)",
        "xpcall(error, function() while true do end end)",
        "pcall(pcall, function() while true do end end) while true do end",
        "local x <close> = setmetatable({}, { __close = function() while true do end end })\n"
        "while true do end",
        "setmetatable({}, { __index = function() while true do end end }).x()",
        "table.sort({ 1, 2, 3 }, function() while true do end end)",
        "string.gsub('x', 'x', function() while true do end end)",
        "local function f() return pcall(f) end while true do f() end",
        "error(setmetatable({}, { __tostring = function() while true do end end }))",
    };
    struct journey j;
    char source[400];
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        snprintf(source, sizeof source, "return function(again) %s end", tricks[i]);
        travel_with(&j, source, 4 << 20, 20000);
        call(&j);
        if (i == sizeof tricks / sizeof *tricks - 1) /* an error object is not asked for its text */
            ck_assert_str_eq(j.text, "the function raised a table as an error");
        else
            ck_assert_msg(j.reason == LEAT_R_LIMIT, "%s: %s", tricks[i], j.text);
        arrive(&j);
    }
}
END_TEST

START_TEST(finalizers_are_refused)
{
    struct journey j;
    travel(&j, "return function() setmetatable({}, { __gc = function() end }) end");
    call(&j);
    ck_assert_ptr_nonnull(strstr(j.text, "__gc cannot be used"));
    arrive(&j);
    gives("return function() local t = setmetatable({}, { __metatable = 'mine' })\n"
          "return pcall(setmetatable, t, nil) end",
          "false cannot change a protected metatable");
}
END_TEST

START_TEST(memory_is_bounded_and_comes_back)
{
    struct journey j;
    travel_with(&j,
                "local n = 0 return function() n = n + 1\n"
                "if n == 1 then return #string.rep('x', 1 << 30) end\n"
                "if n == 2 then local t = {} for i = 1, 1 << 40 do t[i] = i .. 'x' end end\n"
                "if n == 3 then local s = 'x' while true do s = s .. s end end\n"
                "return n end",
                1 << 20, 100000000);
    for (int i = 0; i < 3; i++) {
        call(&j);
        ck_assert_msg(j.reason == LEAT_R_LIMIT, "%d: %s", i, j.text);
        ck_assert_str_eq(j.text, "the function used up its 1024 KiB of memory");
    }
    ck_assert_str_eq(call(&j), "4");
    ck_assert_uint_le(j.box.peak, 1 << 20);
    arrive(&j);
}
END_TEST

START_TEST(a_state_that_does_not_fit_is_no_memory_not_a_crash)
{
    struct sandbox box;
    for (size_t bytes = 0; bytes < 40000; bytes += 97) {
        int s = sandbox_init(&box, bytes, 1000, 1);
        ck_assert(s == LEAT_OK || s == LEAT_ENOMEM);
        ck_assert_uint_le(box.bytes, bytes);
        sandbox_fini(&box);
        ck_assert_uint_eq(box.bytes, 0);
    }
}
END_TEST

START_TEST(random_numbers_follow_the_seed)
{
    static const char source[] =
        "local n = 0 return function() n = n + 1 if n == 3 then math.randomseed() end\n"
        "if n == 5 then math.randomseed(1, 2) end\n"
        "return math.random(1 << 40), math.random(1 << 40) end";
    struct journey a, b;
    char first[2][100];
    travel(&a, source);
    travel(&b, source);
    for (int i = 0; i < 2; i++) {
        strcpy(first[i], call(&a));
        ck_assert_str_eq(call(&b), first[i]);
    }
    ck_assert_str_ne(first[0], first[1]);
    ck_assert_str_eq(call(&a), first[0]); /* randomseed() goes back to the seed, not to the clock */
    arrive(&b);
    travel(&b, source);
    sandbox_fini(&b.box);
    ck_assert_int_eq(sandbox_init(&b.box, 1 << 20, 10000, 8), LEAT_OK);
    push(&b);
    ck_assert_str_ne(call(&b), first[0]);
    arrive(&a);
    arrive(&b);
}
END_TEST

START_TEST(protected_calls_work_as_ever)
{
    gives("return function() return pcall(function(...) return ... end, 1, nil, 3) end",
          "true 1 nil 3");
    gives("return function() return pcall(error, 'x', 0) end", "false x");
    gives("return function() return xpcall(error, function(m) return 'saw ' .. m end, 'x', 0) end",
          "false saw x");
    gives("return function() return xpcall(function(a, b) return a + b end, type, 1, 2) end",
          "true 3");
}
END_TEST

LEAT_SUITE("lua_function", plain_data_arrives_as_it_was, helpers_recursion_and_modules_arrive,
           a_variable_shared_by_two_functions_stays_shared, library_functions_travel_by_name,
           what_is_no_plain_data_is_refused_by_name, a_table_nested_sixteen_deep_is_let_through,
           every_push_has_its_own_copy, globals_are_those_of_the_sandbox,
           messages_name_file_and_line, nothing_that_reaches_outside_is_there,
           every_name_on_the_list_is_there, an_endless_loop_ends_and_the_state_goes_on,
           the_instruction_limit_counts_each_call_anew, the_instruction_limit_cannot_be_caught,
           finalizers_are_refused, memory_is_bounded_and_comes_back,
           a_state_that_does_not_fit_is_no_memory_not_a_crash, random_numbers_follow_the_seed,
           protected_calls_work_as_ever)
