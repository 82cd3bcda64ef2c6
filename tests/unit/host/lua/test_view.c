/* test_view.c -- lua.batch: the view of a batch.
 *
 * tests/support/lua_rig.h has the batch. */
#include <stdio.h>

#include "support/lua_rig.h"

static void batch_keeps(const char *body, const char *expected)
{
    struct rig g;
    char source[600];
    snprintf(source, sizeof source, "return function(b) %s end", body);
    rig_prepare(&g, "lua.batch", source, "");
    g.cfg.labels = 1;
    rig_run(&g);
    ck_assert_msg(!strcmp(rig_kept(&g), expected), "%s: kept %s, not %s (%s)", body, rig_kept(&g),
                  expected, g.why[0]);
    rig_fini(&g);
}

START_TEST(a_view_reads_writes_and_drops)
{
    batch_keeps("for i = 1, #b do if b:get(i, 'delay') == nil then b:drop(i) end end", "0 1 3 4");
    batch_keeps("assert(b:n() == 5 and #b == 5) b:drop(2) assert(#b == 5 and b:count() == 4)\n"
                "for i in b:rows() do assert(i ~= 2) b:drop(i) end assert(b:count() == 0)",
                "");
    batch_keeps("assert(b:get(5, 'amount:number') == 100 and b:get(5, 'amount') == '1e2')\n"
                "assert(b:get(1, 'delay:text') == '5' and b:get(1, '@raw') == 'r0')\n"
                "assert(b:get(4, 'amount:number') == nil and b:label(1) == 1)\n"
                "assert(b:get(1, '@label') == 1 and b:label(3) == nil and b:examples() == 0)",
                "0 1 2 3 4");
    batch_keeps("b:get(2, 'amount:number')", "0 !1 2 3 4");
    batch_keeps("b:set(1, 'carrier', 'ZZ') assert(b:get(1, 'carrier') == 'ZZ')\n"
                "b:set(1, 'delay', nil) assert(b:get(1, 'delay') == nil)\n"
                "b:set(1, 'delay', '2.5') assert(b:get(1, 'delay') == 2.5)\n"
                "b:set(2, 'delay', 'two') b:set(3, 'delay', 1 / 0)\n"
                "b:set_label(3, true) assert(b:label(3) == 1)\n"
                "b:set(3, '@label', -1) assert(b:label(3) == -1)",
                "0 !1 !2 3 4");
    batch_keeps("b:reject(4, 'bad one')", "0 1 2 !3 4");
    batch_keeps("assert(tostring(b) == 'batch of 5 records' and getmetatable(b) == 'a batch')",
                "0 1 2 3 4");
}
END_TEST

START_TEST(where_keeps_what_holds)
{
    batch_keeps("assert(b:where('delay', '>', 10) == 2)", "1 4");
    batch_keeps("b:where('delay', '<', 5)", "3");
    batch_keeps("b:where('delay', '<=', 5)", "0 3");
    batch_keeps("b:where('delay', '>=', 16)", "1 4");
    batch_keeps("b:where('delay', '==', 16)", "4");
    batch_keeps("b:where('delay', '~=', 16)", "0 1 3");
    batch_keeps("b:where('carrier', '==', 'AA')", "1 4");
    batch_keeps("b:where('carrier', '~=', 'AA')", "0 3");
    batch_keeps("b:where('carrier', '~=', 'AA') b:where('delay', '>', 0)", "0");
    batch_keeps("b:where('carrier', '==', nil)", "2");
    batch_keeps("b:where('delay', '~=', nil)", "0 1 3 4");
    batch_keeps("b:where('amount:number', '>=', 10)", "0 !1 4");
    batch_keeps("b:where('amount', '>=', 10)", "0 !1 4");
    batch_keeps("b:where('carrier', '~=', 'AA') b:where('amount', '>=', 10)", "0");
    batch_keeps("b:where('@label', '<', 0)", "1 4");
    batch_keeps("b:where('@label', '~=', 1)", "1 4");
    batch_keeps("b:where('@raw', '==', 'r3')", "3");
    batch_keeps("b:where('amount', '==', '')", "3");
    batch_keeps("b:where('amount:number', '==', nil)", "2 3");
}
END_TEST

/* Each call has another fault. Each rejects the whole batch and gives the reason. */
START_TEST(wrong_use_of_a_view_rejects_the_batch_and_says_why)
{
    static const struct {
        const char *body, *why;
    } wrong[] = {
        {"b:get(1, 'carier')", "no column 'carier': did you mean 'carrier'?"},
        {"b:get(1, 'zzzzzzzzzz:number')", "no column 'zzzzzzzzzz'"},
        {"b:get(0, 'delay')", "row 0 is not among the 5 of this batch"},
        {"b:get(6, 'delay')", "row 6 is not among"},
        {"b:get(math.mininteger, 'delay')", "is not among"},
        {"b:get(1.5, 'delay')", "no integer representation"},
        {"b:get(1)", "string expected"},
        {"b.get(nil, 1, 'delay')", "leat.batch expected"},
        {"b.get({}, 1, 'delay')", "leat.batch expected"},
        {"b:set(1, 'delay')", "value expected"},
        {"b:set(1, 'delay', {})", "a table cannot be stored in column 'delay'"},
        {"b:set(1, '@raw', 'x')", "@raw is read only"},
        {"b:set_label(1, 1)", "labels = true"},
        {"b:set(1, '@label', 1)", "labels = true"},
        {"b:where('delay', '=', 3)", "invalid option '='"},
        {"b:where('carrier', '<', 'B')", "'<' compares numbers only, not a string"},
        {"b:where('delay', '==', 'x')",
         "'delay' holds numbers and cannot be compared with a string"},
        {"b:where('delay', '==', {})", "cannot be compared with a table"},
        {"b:where('delay', '>', nil)", "compares numbers only"},
        {"if b:get(1, 'amount') > 3 then end", "write \"name:number\""},
        {"b.x = 1", "attempt to index"},
        {"while true do end", "used up its 10000 instructions"},
        {"local s = 'x' while true do s = s .. s end", "used up its 1024 KiB of memory"},
    };
    char source[200];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rig g;
        snprintf(source, sizeof source,
                 "local n = 0 return function(b) n = n + 1 if n == 1 then %s end end",
                 wrong[i].body);
        rig_prepare(&g, "lua.batch", source, "");
        rig_run(&g);
        ck_assert_msg(!strcmp(rig_kept(&g), "!0 !1 !2 !3 !4"), "%s: %s", wrong[i].body,
                      rig_kept(&g));
        SAYS(g.why[4], wrong[i].why);
        SAYS(g.why[4], "(all 5 records of the batch)");
        rig_go(&g); /* the state is usable */
        ck_assert_str_eq(rig_kept(&g), "0 1 2 3 4");
        rig_fini(&g);
    }
}
END_TEST

START_TEST(nothing_half_done_goes_on)
{
    batch_keeps("b:drop(1) b:where('delay', '>', 10) b:set(1, 'delay', 9) error('late')",
                "!0 !1 !2 !3 !4");
    batch_keeps("b:reject(1, 'mine') error('late')", "!0 !1 !2 !3 !4");
}
END_TEST

START_TEST(a_view_that_was_kept_is_dead)
{
    struct rig g;
    rig_prepare(&g, "lua.batch",
                "local old, iterator, n = nil, nil, 0\n"
                "return function(b)\n  n = n + 1\n"
                "  if n == 1 then old, iterator = b, b:rows() end\n"
                "  if n == 2 then return old:get(1, 'delay') end\n"
                "  if n == 3 then return iterator(old, 0) end\n"
                "  if n == 4 then return #old end\n"
                "  if n == 5 then assert(tostring(old) == 'batch (gone)') end\n"
                "  if n == 6 then old = b error('x') end\n"
                "  if n == 7 then return old:count() end\nend",
                "");
    rig_run(&g);
    for (int n = 1; n <= 7; n++, rig_go(&g)) {
        int bad = n == 2 || n == 3 || n == 4 || n == 6 || n == 7;
        ck_assert_msg(!strcmp(rig_kept(&g), bad ? "!0 !1 !2 !3 !4" : "0 1 2 3 4"), "call %d: %s", n,
                      g.why[0]);
        if (bad && n != 6)
            SAYS(g.why[0], "this batch is no longer valid: use it only during the call");
    }
    rig_fini(&g);
}
END_TEST

/* Memory from nothing to enough: open refuses or works, and a call that runs out rejects the record
 * or ends the run. */
START_TEST(tight_memory_never_ends_in_a_crash)
{
    int refused = 0, limited = 0, fine = 0;
    for (int64_t memory = 0; memory < 60000; memory += 211) {
        struct rig g;
        rig_prepare(&g, "lua.batch",
                    "local t = { 'some', 'data' } return function(b) for i in b:rows() do\n"
                    "t[#t + 1] = b:get(i, 'carrier') b:set(i, 'amount', 'x' .. #t) end end",
                    "");
        g.cfg.memory = memory;
        rig_check(&g);
        if (rig_open(&g) != LEAT_OK)
            refused++;
        else
            for (int i = 0; i < 3; i++) {
                rig_fill(&g);
                int status = g.stage->process(&g.ctx, g.self, &g.b);
                ck_assert(status == LEAT_OK || status == LEAT_ENOMEM);
                limited += g.reason[0] == LEAT_R_LIMIT;
                fine += g.status[0] == LEAT_ROW_OK;
                ck_assert(g.status[0] == LEAT_ROW_OK || g.reason[0] == LEAT_R_LIMIT);
            }
        rig_fini(&g);
    }
    ck_assert(refused > 0 && limited > 0 && fine > 0);
}
END_TEST

START_TEST(an_empty_batch_calls_nobody)
{
    struct rig g;
    rig_prepare(&g, "lua.batch", "return function(b) error('called') end", "");
    rig_check(&g);
    rig_open(&g);
    g.b.n_sel = 0;
    ck_assert_int_eq(g.stage->process(&g.ctx, g.self, &g.b), LEAT_OK);
    ck_assert_str_eq(rig_kept(&g), "0 1 2 3 4");
    rig_fini(&g);
}
END_TEST

LEAT_SUITE("lua_view", a_view_reads_writes_and_drops, where_keeps_what_holds,
           wrong_use_of_a_view_rejects_the_batch_and_says_why, nothing_half_done_goes_on,
           a_view_that_was_kept_is_dead, tight_memory_never_ends_in_a_crash,
           an_empty_batch_calls_nobody)
