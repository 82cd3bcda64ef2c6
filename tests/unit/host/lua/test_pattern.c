/* test_pattern.c -- the sandbox's patterns against Lua's own, and their limit, which Lua's lack. */
/* tier: long (15 s) */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include <leat/status.h>

#include "host/lua/sandbox.h"
#include "support/pattern_probe.h"
#include "support/random.h"
#include "support/suite.h"

enum { CASES = 200000, PIECES = 9 };

static void load_probe(lua_State *L)
{
    ck_assert_int_eq(luaL_loadbuffer(L, PATTERN_PROBE, sizeof PATTERN_PROBE - 1, "=probe"), LUA_OK);
}

struct pair {
    struct sandbox ours;
    lua_State *theirs;
};

static void open_pair(struct pair *k)
{
    ck_assert_int_eq(sandbox_init(&k->ours, 64 << 20, 10000000, 1), LEAT_OK);
    k->theirs = luaL_newstate();
    luaL_openlibs(k->theirs);
    load_probe(k->ours.L);
    load_probe(k->theirs);
}

static void close_pair(struct pair *k)
{
    sandbox_fini(&k->ours);
    lua_close(k->theirs);
}

struct text {
    char s[64];
    size_t n;
};

static const char *probe(lua_State *L, const struct text *in, int init)
{
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    for (int i = 0; i < 3; i++)
        lua_pushlstring(L, in[i].s, in[i].n);
    lua_pushinteger(L, init);
    ck_assert_msg(lua_pcall(L, 4, 1, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    return lua_tostring(L, -1);
}

static void add(struct text *t, const char *piece, size_t n)
{
    if (t->n + n >= sizeof t->s) return;
    memcpy(t->s + t->n, piece, n);
    t->n += n;
}

/* Joins up to PIECES items of a list that ends with NULL. The item "\\0" stands for a zero byte. */
static void make(struct text *t, const char *const *list, uint64_t *rng)
{
    size_t kinds = 0;
    while (list[kinds])
        kinds++;
    *t = (struct text){.n = 0};
    for (uint32_t left = below(rng, PIECES + 1); left; left--) {
        const char *piece = list[below(rng, (uint32_t)kinds)];
        if (!strcmp(piece, "\\0"))
            add(t, "", 1);
        else
            add(t, piece, strlen(piece));
    }
}

static const char *const subjects[] = {"a", "b", "ab", "aaa", "(", ")",   "[",    "]",  "%", " ",
                                       "1", ".", "^",  "$",   "-", "\\0", "\xe9", "\n", "A", NULL};
static const char *const items[] = {
    "a",  "b",     "%a", "%A",  "%s",  "%d",  "%w",     "%p",     "%x",    "%g",   "%u",  "%c",
    ".",  "*",     "+",  "-",   "?",   "(",   ")",      "()",     "%1",    "%2",   "%0",  "%b()",
    "%b", "%bab",  "%f", "%f[", "[",   "]",   "[^",     "[a-b]",  "[%a]",  "[]]",  "[^]", "[a-]",
    "^",  "$",     "%",  "%%",  "%(",  "\\0", "\xe9",   "[%]]",   "[a%",   ".-",   ".*",  "(a*",
    "b)", "(.)%1", "%z", "%Z",  "a-b", "(a)", "%f[%a]", "%f[%z]", "[%w_]", "[-a]", "%l+", NULL};
static const char *const replacements[] = {"x",  "%0",   "%1",  "%2", "%%", "%",
                                           "%9", "<%1>", "\\0", "%a", NULL};

START_TEST(random_patterns_give_what_luas_give)
{
    struct pair k;
    struct text in[3];
    uint64_t rng = seed_given();
    open_pair(&k);
    for (int i = 0; i < CASES; i++) {
        make(&in[0], subjects, &rng);
        make(&in[1], items, &rng);
        make(&in[2], replacements, &rng);
        int init = (int)below(&rng, 9) - 4;
        sandbox_arm(&k.ours);
        const char *ours = probe(k.ours.L, in, init), *theirs = probe(k.theirs, in, init);
        ck_assert_msg(!strcmp(ours, theirs), "subject %.*s, pattern %.*s, from %d:\n%s\n%s",
                      (int)in[0].n, in[0].s, (int)in[1].n, in[1].s, init, ours, theirs);
    }
    close_pair(&k);
}
END_TEST

/* Checks that a program gives the same text in both states. */
static void same(const char *program)
{
    struct pair k;
    open_pair(&k);
    sandbox_arm(&k.ours);
    ck_assert_msg(!luaL_dostring(k.ours.L, program), "%s", lua_tostring(k.ours.L, -1));
    ck_assert_msg(!luaL_dostring(k.theirs, program), "%s", lua_tostring(k.theirs, -1));
    const char *ours = luaL_tolstring(k.ours.L, -1, NULL),
               *theirs = luaL_tolstring(k.theirs, -1, NULL);
    ck_assert_msg(!strcmp(ours, theirs), "%s: %s, not %s", program, ours, theirs);
    close_pair(&k);
}

#define ERROR_OF(CALL) "return tostring(select(2, pcall(function() return " CALL " end)))"

START_TEST(limits_and_wrong_arguments_are_luas)
{
    same(ERROR_OF("('a'):find(('a?'):rep(300))"));
    same(ERROR_OF("('a'):rep(300):find(('a?'):rep(300))"));
    same(ERROR_OF("('a'):rep(300):match(('(a)'):rep(33))"));
    same(ERROR_OF("('a'):rep(300):match(('()'):rep(32))"));
    same(ERROR_OF("('a'):gsub('a', true)"));
    same(ERROR_OF("('a'):gsub('a', function() return {} end)"));
    same(ERROR_OF("string.find('a')"));
    same(ERROR_OF("string.find({}, 'a')"));
    same(ERROR_OF("string.gmatch('a')"));
    same(ERROR_OF("('a'):find('a', 'x')"));
    same(ERROR_OF("(5):rep(3)"));
    same("return (5 .. ''):gsub(5, 6)");
    same("return tostring(('abc'):find('b', math.mininteger)) .. tostring(('abc'):find('', 10))");
    same("return ('hello world'):gsub('o', '0', 1)");
    same("return ('x = 1, y = 2'):gsub('(%w+) = (%w+)', '%2 = %1')");
}
END_TEST

START_TEST(tables_do_what_luas_do)
{
    same("local t = { 1, 2, 3 } table.insert(t, 2, 'x') table.insert(t, 'y') return "
         "table.concat(t, ',')");
    same("local t = { 1, 2, 3 } local r = table.remove(t, 1) .. table.remove(t) return r .. #t "
         ".. t[1]");
    same("local t = {} return tostring(table.remove(t)) .. tostring(table.remove(t, 0)) .. #t");
    same("local t = { 1, 2 } table.remove(t, 3) return #t");
    same("return table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), '-') .. table.concat({ 1, 2, 3 "
         "}, '', 2, 3)");
    same("return table.concat(setmetatable({}, { __len = function() return 2 end, __index = "
         "function(_, i) return i end }), '/')");
    same("local t = { 3, 1, 2 } table.sort(t) table.sort(t, function(a, b) return a > b end) "
         "return table.concat(t)");
    same(ERROR_OF("table.insert({ 1 }, 5, 2)"));
    same(ERROR_OF("table.insert({ 1 })"));
    same(ERROR_OF("table.insert(nil, 1)"));
    same(ERROR_OF("table.insert({}, 1, 2, 3)"));
    same(ERROR_OF("table.remove(5)"));
    same(ERROR_OF("table.concat({ {} })"));
    same(ERROR_OF("table.concat(5)"));
    same(ERROR_OF("table.sort({ 1, 'a' })"));
    same(ERROR_OF("table.sort(5)"));
    same(ERROR_OF("table.move({}, 'a', 1, 1)"));
    same(ERROR_OF("table.unpack({}, 1, 1e8)"));
    same(ERROR_OF("tonumber()"));
    same("return (''):rep(5) .. ('a'):rep(3, '-') .. tostring(tonumber('0x10')) .. select('#', "
         "1, 2)");
}
END_TEST

/* Programs that are one instruction to Lua and would take for ever. */
START_TEST(library_functions_are_bounded)
{
    static const char *const programs[] = {
        "('a'):rep(200):find('.-.-.-.-.-b')",
        "('('):rep(200000):find('%b()')",
        "('a'):rep(30000):find('.-.-.-b')",
        "('a'):rep(200):match(('.-'):rep(20) .. 'b')",
        "('a'):rep(200):gsub('.-.-.-.-.-b', '')",
        "for _ in ('a'):rep(200):gmatch('.-.-.-.-.-b') do end",
        "('a'):rep(1000):find(('a*'):rep(50) .. 'b')",
        "('a'):rep(30000):find('[' .. ('b'):rep(100000) .. ']')",
        "table.move({}, 1, 1 << 40, 2)",
        "table.move({}, 1, math.maxinteger - 1, 2, {})",
        "local t = setmetatable({}, { __len = function() return 1 << 40 end, __newindex = type "
        "}) table.insert(t, 1, 1)",
        "local t = setmetatable({}, { __len = function() return 1 << 40 end, __newindex = type "
        "}) table.remove(t, 1)",
        "table.concat(setmetatable({}, { __index = type }), '', 1, 1 << 40)",
        "table.concat(setmetatable({}, { __index = type, __len = function() return 1 << 40 end }))",
        "local t = {} for i = 1, 50000 do t[i] = i end while true do table.sort(t) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.unpack(t) end",
        "local s = ('x'):rep(4000000) while true do s = s:upper() end",
        "local s = ('x'):rep(4000000) while true do local _ = s .. 'y' end",
        "local s = (' '):rep(4000000) while true do tonumber(s) end",
        "local s = ('x'):rep(4000000) while true do utf8.len(s) end",
        "local s = ('x'):rep(4000000) while true do s:find('y', 1, true) end",
        "local s = ('!1'):rep(2000000) while true do string.packsize(s) end",
        "while true do pcall(string.find, ('a'):rep(200), '.-.-.-.-.-b') end",
        "while true do pcall(string.find, ('a'):rep(3000), 'a-b(') end",
    };
    struct sandbox box;
    char why[200];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ck_assert_int_eq(sandbox_init(&box, 64 << 20, 1000000, 1), LEAT_OK);
        ck_assert_int_eq(luaL_loadstring(box.L, programs[i]), LUA_OK);
        sandbox_arm(&box);
        int status = lua_pcall(box.L, 0, 0, 0);
        ck_assert_msg(status != LUA_OK, "%s: it ended", programs[i]);
        int reason = sandbox_error(&box, status, why, sizeof why);
        ck_assert_msg(reason == LEAT_R_LIMIT, "%s: %s", programs[i], why);
        sandbox_fini(&box);
    }
}
END_TEST

/* Reasonable work on a record of a megabyte stays within the limit. */
START_TEST(honest_work_fits)
{
    static const char *const programs[] = {
        "local s = ('word and '):rep(125000) s:gsub('%s+', ' ')",
        "local n = 0 for w in ('some,words,'):rep(20000):gmatch('[^,]+') do n = n + 1 end",
        "local t = {} for i = 1, 100000 do t[i] = i % 777 end table.sort(t)",
        "local t = {} for i = 1, 100000 do t[#t + 1] = 'x' .. i end table.concat(t, ',')",
        "return (''):rep(1 << 60)",
        "local t = {} for i = 1, 2000 do table.insert(t, 1, i) end",
    };
    struct sandbox box;
    char why[200] = "";
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ck_assert_int_eq(sandbox_init(&box, 256 << 20, 1000000, 1), LEAT_OK);
        ck_assert_int_eq(luaL_loadstring(box.L, programs[i]), LUA_OK);
        sandbox_arm(&box);
        int status = lua_pcall(box.L, 0, 0, 0);
        if (status != LUA_OK) sandbox_error(&box, status, why, sizeof why);
        ck_assert_msg(status == LUA_OK, "%s: %s", programs[i], why);
        sandbox_fini(&box);
    }
}
END_TEST

LEAT_TIERS("lua_pattern",
           (limits_and_wrong_arguments_are_luas, tables_do_what_luas_do, honest_work_fits),
           (random_patterns_give_what_luas_give, library_functions_are_bounded))
