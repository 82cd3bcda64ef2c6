/* test_script_json.c -- JSON of a script: what is written is read back; what JSON lacks is told. */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "host/lua/script/script_json.h"
#include "support/suite.h"

/* Runs Lua code in which write(value) and read(text) are the functions of script_json.h. Returns
 * the text that it returns. */
static const char *result(lua_State *L, const char *code)
{
    luaL_openlibs(L);
    lua_register(L, "write", script_json_write);
    lua_register(L, "read", script_json_read);
    if (luaL_dostring(L, code) != LUA_OK) return lua_tostring(L, -1);
    return lua_tostring(L, -1);
}

static void expect(const char *code, const char *wanted)
{
    lua_State *L = luaL_newstate();
    const char *got = result(L, code);
    ck_assert_msg(got && !strcmp(got, wanted), "%s gives %s, not %s", code, got ? got : "nil",
                  wanted);
    lua_close(L);
}

static void expect_part(const char *code, const char *part)
{
    lua_State *L = luaL_newstate();
    const char *got = result(L, code);
    ck_assert_msg(got && strstr(got, part), "%s gives %s, without %s", code, got ? got : "nil",
                  part);
    lua_close(L);
}

START_TEST(values_are_written_as_a_person_writes_them)
{
    expect("return write(0.1)", "0.1");
    expect("return write(3109.92)", "3109.92");
    expect("return write(1/3)", "0.33333333333333331"); /* 15 digits are not enough */
    expect("return write(9007199254740993)", "9007199254740993");
    expect("return write('a\"\\n\u00e9')", "\"a\\\"\\n\u00e9\"");
    expect("return (write { b = { 1, 2 }, a = true }:gsub('%s+', ' '))",
           "{ \"a\": true, \"b\": [ 1, 2 ] }");
}
END_TEST

START_TEST(texts_are_read_as_any_other_program_writes_them)
{
    expect("return read '\"\\\\ud83d\\\\ude00\"'", "\U0001f600"); /* a pair of surrogates */
    expect("return read '\"\\\\u00e9\"'", "\u00e9");
    expect("return math.type(read '3') .. math.type(read '3.0')", "integerfloat");
    expect("return tostring(read '[1, null, 3]' [3]) .. tostring(read '[1, null, 3]' [2])", "3nil");
    expect("return tostring(read 'true')", "true");
    expect("local a = read '{\"a\": {\"b\": [1.5]}}' return tostring(a.a.b[1])", "1.5");
}
END_TEST

/* Numbers of all sizes come back as they were. */
START_TEST(numbers_come_back_as_they_were)
{
    expect(
        "math.randomseed(7) local list = {}\n"
        "for i = 1, 2000 do list[i] = (math.random() - 0.5) * 10.0 ^ math.random(-300, 300) end\n"
        "for i = 1, 200 do list[#list + 1] = math.random(math.mininteger, math.maxinteger) end\n"
        "local back = read(write(list))\n"
        "for i, x in ipairs(list) do if back[i] ~= x then return i .. ': ' .. x end end\n"
        "return #back .. ''",
        "2200");
}
END_TEST

START_TEST(what_is_no_json_is_told)
{
    expect_part("return write('a\\xff')", "a text is not UTF-8");
    expect_part("return write({ a = { 'a\\xff' } })", "a text is not UTF-8");
    expect_part("return write({ ['a\\xff'] = 1 })", "a text is not UTF-8");
    expect_part("return write(0/0)", "a number is not finite");
    expect_part("return write(print)", "neither text");
    expect_part("return write({ [true] = 1 })", "a key is no text");
    expect_part("local t = {} t[1] = t return write(t)", "too many tables within tables");
    expect_part("return select(2, read '{\"a\": 1,}')", "line 1: ");
    expect_part("return select(2, read '{\"a\": 1, \"a\": 2}')", "duplicate");
    expect_part("return select(2, read '\\xff')", "line 1: ");
    expect_part("return select(2, read(('['):rep(40) .. (']'):rep(40)))", "too many arrays");
}
END_TEST

LEAT_SUITE("script_json", values_are_written_as_a_person_writes_them,
           texts_are_read_as_any_other_program_writes_them, numbers_come_back_as_they_were,
           what_is_no_json_is_told)
