/* test_value.c -- plain Lua values as bytes: equal values are equal bytes, and bytes never crash.
 *
 * The order in which a value was made does not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "host/lua/value.h"
#include "support/suite.h"

static lua_State *state(const char *returns)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    ck_assert_msg(luaL_dostring(L, returns) == LUA_OK, "%s", lua_tostring(L, -1));
    return L;
}

static struct lua_bytes written(lua_State *L)
{
    struct lua_bytes b = {0};
    ck_assert_msg(lua_value_write(L, "v", &b), "%s is %s", b.path, b.wrong);
    return b;
}

static const char *const values[] = {
    "return nil",
    "return true",
    "return false",
    "return 0",
    "return -1",
    "return math.mininteger",
    "return math.maxinteger",
    "return 0.1",
    "return -0.0",
    "return 1/0",
    "return 0/0",
    "return ''",
    "return 'a\\0b\\xff'",
    "return {}",
    "return { 1, 2.5, 'three', { four = { 5 } }, [-7] = true, [2^53] = 'x', [true] = false, [''] = "
    "{} }",
    "local t = {} for i = 1, 2000 do t[i] = i * i t['k' .. i] = { i } end return t",
};

static void same_again(const char *value)
{
    lua_State *L = state(value);
    struct lua_bytes b = written(L);
    ck_assert(lua_value_read(L, b.p, b.n));
    struct lua_bytes again = written(L);
    ck_assert_uint_eq(again.n, b.n);
    ck_assert_mem_eq(again.p, b.p, b.n);
    ck_assert_int_eq(lua_type(L, -1), lua_type(L, -2));
    ck_assert_int_eq(lua_isinteger(L, -1), lua_isinteger(L, -2));
    if (lua_type(L, -1) == LUA_TTABLE) ck_assert_uint_eq(lua_rawlen(L, -1), lua_rawlen(L, -2));
    lua_bytes_free(&again);
    lua_bytes_free(&b);
    lua_close(L);
}

START_TEST(what_is_read_back_is_the_same)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        same_again(values[i]);
}
END_TEST

START_TEST(equal_tables_are_equal_bytes_in_whatever_order_they_were_filled)
{
    lua_State *L = state("local a, b = {}, {} for i = 1, 500 do a[i] = i a['x' .. i] = -i end "
                         "for i = 700, 1, -1 do b['x' .. i] = -i b[i] = i end "
                         "for i = 501, 700 do b[i], b['x' .. i] = nil end return a, b");
    struct lua_bytes b = written(L);
    lua_pop(L, 1);
    struct lua_bytes a = written(L);
    ck_assert_uint_eq(a.n, b.n);
    ck_assert_mem_eq(a.p, b.p, a.n);
    lua_bytes_free(&a);
    lua_bytes_free(&b);
    lua_close(L);
}
END_TEST

START_TEST(what_is_not_plain_is_named_with_its_path)
{
    static const char *const bad[][3] = {
        {"return print", "v", "a function"},
        {"return { a = { 1, function() end } }", "v.a[2]", "a function"},
        {"return { io.stdout }", "v[1]", "userdata"},
        {"return { coroutine.create(print) }", "v[1]", "a coroutine"},
        {"return setmetatable({}, {})", "v", "a table with a metatable"},
        {"local t = {} t.t = t return t", "v.t", "a table that occurs twice, or inside itself"},
        {"local t = {} return { t, t }", "v[2]", "a table that occurs twice, or inside itself"},
        {"return { [{}] = 1 }", "v[table]", "under a key that is a table"},
        {"local t = {} for i = 1, 17 do t = { t } end return t",
         "v[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]", "a table nested more than 16 deep"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lua_State *L = state(bad[i][0]);
        struct lua_bytes b = {0};
        ck_assert(!lua_value_write(L, "v", &b));
        ck_assert_str_eq(b.path, bad[i][1]);
        ck_assert_str_eq(b.wrong, bad[i][2]);
        ck_assert_int_eq(lua_gettop(L), 1);
        lua_bytes_free(&b);
        lua_close(L);
    }
}
END_TEST

/* Any bytes are either read as a value that can be written again, or refused with nothing
 * pushed. */
static int reads_or_refuses(lua_State *L, const void *bytes, size_t n)
{
    char *exact = malloc(n + !n); /* exact size, so that a sanitizer sees the end */
    memcpy(exact, bytes, n);
    int top = lua_gettop(L), ok = lua_value_read(L, exact, n);
    ck_assert_int_eq(lua_gettop(L), top + ok);
    if (ok) {
        struct lua_bytes b = written(L);
        lua_bytes_free(&b);
    }
    lua_settop(L, top);
    free(exact);
    return ok;
}

START_TEST(changed_and_cut_bytes_are_refused_or_another_value)
{
    lua_State *L = state(values[14]);
    struct lua_bytes b = written(L);
    for (size_t n = 0; n < b.n; n++)
        ck_assert(!reads_or_refuses(L, b.p, n));
    for (size_t bit = 0; bit < 8 * b.n; bit++) {
        b.p[bit / 8] ^= (unsigned char)(1 << bit % 8);
        reads_or_refuses(L, b.p, b.n);
        b.p[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    ck_assert(reads_or_refuses(L, b.p, b.n));
    ck_assert(!reads_or_refuses(L, "N ", 2));
    ck_assert(!reads_or_refuses(L, "{\0\0\0\0\0\0\0\1NN", 11));
    lua_bytes_free(&b);
    lua_close(L);
}
END_TEST

LEAT_SUITE("lua_value", what_is_read_back_is_the_same,
           equal_tables_are_equal_bytes_in_whatever_order_they_were_filled,
           what_is_not_plain_is_named_with_its_path,
           changed_and_cut_bytes_are_refused_or_another_value)
