/* test_stages.c -- the Lua stages: declarations and checks; lua.filter and lua.map.
 *
 * tests/support/lua_rig.h has the batch. */
#include <stdio.h>

#include <lauxlib.h>

#include "support/lua_rig.h"

static void filters(const char *source, const char *columns, const char *expected)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", source, columns);
    rig_run(&g);
    ck_assert_msg(!strcmp(rig_kept(&g), expected), "%s: kept %s, not %s (%s)", source, rig_kept(&g),
                  expected, g.why[0]);
    rig_fini(&g);
}

/* ---- lua.filter ---- */

START_TEST(filter_keeps_what_is_true)
{
    filters("return function(d) return d and d > 10 end", "delay", "1 4");
    filters("return function(c, d) return c == 'AA' or d == -3 end", "carrier,delay", "1 3 4");
    filters("return function() return 1 end", "", "0 1 2 3 4");
    filters("return function(c) return c and c:find('A') end", "carrier", "1 4");
    filters("return function() return nil end", "", "");
    filters("return function() end", "", "");
    filters("return function(x) return x == nil end", "carrier", "2");
    filters("return function(x) return x == nil end", "delay", "2");
}
END_TEST

START_TEST(filter_refuses_what_is_true_and_not_meant_so)
{
    filters("return function() return 0 end", "", "!0 !1 !2 !3 !4");
    filters("return function(d) return d == 5 and 'false' end", "delay", "!0");
    filters("return function() return {} end", "", "!0 !1 !2 !3 !4");
    filters("return function() return print end", "", "!0 !1 !2 !3 !4");
}
END_TEST

START_TEST(columns_are_read_as_asked)
{
    filters("return function(a) return math.type(a) == 'float' or a == nil end", "amount:number",
            "0 !1 2 3 4");
    filters("return function(a) return a == 100 end", "amount:number", "!1 4");
    filters("return function(d) return d == '5' or d == '-3' end", "delay:text", "0 3");
    filters("return function(a) return a == '' end", "amount", "3");
    filters("return function(r) return r == 'r2' end", "@raw", "2");
    filters("return function(l) return l == nil or l < 0 end", "@label", "1 2 4");
}
END_TEST

START_TEST(text_that_is_no_number_rejects_its_record_by_name)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "return function(a) return true end", "amount:number");
    rig_run(&g);
    ck_assert_int_eq(g.reason[1], LEAT_R_NUMBER);
    ck_assert_str_eq(g.why[1], "column 'amount': 'x' is not a number");
    rig_fini(&g);
}
END_TEST

START_TEST(an_error_rejects_its_record_and_only_that)
{
    struct rig g;
    rig_prepare(&g, "lua.filter",
                "return function(c, d)\n  if c == 'AA' then error('no ' .. c) end\n"
                "  return d > 0\nend",
                "carrier,delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "0 !1 !2 !4");
    ck_assert_int_eq(g.reason[1], LEAT_R_LUA);
    ck_assert_str_eq(g.why[1], "script.lua:2: no AA");
    SAYS(g.why[2], "script.lua:3: attempt to compare");
    SAYS(g.why[2], "(column 'carrier' has no value here, and 'c' is nil: begin with if c == nil "
                   "then return nil end)");
    rig_go(&g);
    ck_assert_str_eq(rig_kept(&g), "0 !1 !2 !4");
    rig_fini(&g);
}
END_TEST

START_TEST(a_text_compared_with_a_number_is_explained)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "return function(c, a) return a > 3 end", "carrier,amount");
    rig_run(&g);
    SAYS(g.why[0], "attempt to compare number with string");
    SAYS(g.why[0], "column 'amount' is text here: write \"amount:number\"");
    rig_fini(&g);
    rig_prepare(&g, "lua.filter", "help = 1 return function() return help() end", "");
    rig_run(&g);
    SAYS(g.why[0], "global 'help'");
    SAYS(g.why[0], "no globals of the script");
    rig_fini(&g);
}
END_TEST

START_TEST(errors_that_are_no_text_are_told)
{
    struct rig g;
    rig_prepare(&g, "lua.filter",
                "local n = 0 local all = { {}, 3.5, true }\n"
                "return function() n = n + 1 error(all[n], 0) end",
                "");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "!0 !1 !2 !3 !4");
    ck_assert_str_eq(g.why[0], "the function raised a table as an error");
    ck_assert_str_eq(g.why[1], "3.5");
    ck_assert_str_eq(g.why[2], "the function raised a boolean as an error");
    ck_assert_str_eq(g.why[3], "the function raised nil as an error");
    rig_fini(&g);
}
END_TEST

START_TEST(limits_reject_a_record_and_leave_the_rest)
{
    struct rig g;
    rig_prepare(&g, "lua.filter",
                "return function(d)\n  while d == 5 do end\n"
                "  if d == 20 then return string.rep('x', 1 << 30) end\n"
                "  for i = 1, 1000 do end return true end",
                "delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "!0 !1 2 3 4");
    ck_assert_int_eq(g.reason[0], LEAT_R_LIMIT);
    ck_assert_str_eq(g.why[0], "script.lua:2: the function used up its 10000 instructions");
    ck_assert_int_eq(g.reason[1], LEAT_R_LIMIT);
    ck_assert_str_eq(g.why[1], "the function used up its 1024 KiB of memory");
    rig_fini(&g);
}
END_TEST

static int process_again(struct rig *g)
{
    rig_fill(g);
    return g->stage->process(&g->ctx, g->self, &g->b);
}

START_TEST(a_function_that_never_ends_fails_the_run)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "return function(d) while true do end end", "delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "!0 !1 !2 !3 !4");
    ck_assert_int_eq(process_again(&g), LEAT_EDATA);
    SAYS(g.problems, "used up its 10000 instructions 10 times in a row");
    rig_fini(&g);
}
END_TEST

START_TEST(a_record_that_ends_well_between_them_keeps_it_going)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "return function(d) while d ~= 16 do end end", "delay");
    rig_run(&g);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(process_again(&g), LEAT_OK);
    rig_fini(&g);
}
END_TEST

START_TEST(a_function_that_keeps_too_much_fails_the_run_with_the_cure)
{
    struct rig g;
    rig_prepare(&g, "lua.filter",
                "local all = {} return function(d)\n"
                "for i = 1, 500 do all[#all + 1] = ('x'):rep(100) .. #all end return true end",
                "delay");
    int status = LEAT_OK, batches = 0;
    g.cfg.instructions = 1000000;
    rig_run(&g);
    for (; status == LEAT_OK && batches < 100; batches++)
        status = process_again(&g);
    ck_assert_int_eq(status, LEAT_ENOMEM);
    SAYS(g.problems,
         "the function used up its 1024 KiB of memory: keep less in it, or give the stage "
         "more, such as memory = \"4MB\"");
    rig_fini(&g);
}
END_TEST

START_TEST(only_selected_records_are_given)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "local n = 0 return function(d) n = n + 1 return n == 2 end",
                "delay");
    ck_assert_int_eq(rig_check(&g), LEAT_OK);
    ck_assert_int_eq(rig_open(&g), LEAT_OK);
    g.sel[0] = 1;
    g.sel[1] = 4;
    g.b.n_sel = 2;
    g.stage->process(&g.ctx, g.self, &g.b);
    ck_assert_str_eq(rig_kept(&g), "0 2 3 4");
    rig_fini(&g);
}
END_TEST

/* ---- checking ---- */

START_TEST(names_are_checked_before_the_run)
{
    struct rig g;
    rig_prepare(&g, "lua.filter", "return function() end",
                "carrier,delai,amonut:number,@raw,@label");
    ck_assert_int_eq(rig_check(&g), LEAT_EARG);
    ck_assert_str_eq(g.problems, "columns: no column 'delai'\ncolumns: no column 'amonut'\n");
    g.problems[0] = '\0';
    g.in.open = 1;
    ck_assert_int_eq(rig_check(&g), LEAT_LATER);
    ck_assert_str_eq(g.problems, "");
    g.in.open = 0;
    g.in.has = LEAT_HAS_RECORDS;
    ck_assert_int_eq(rig_check(&g), LEAT_EARG);
    SAYS(g.problems, "column 'carrier' does not exist, because no columns arrive here");
    SAYS(g.problems, "@label: no earlier stage makes labels");
    ck_assert_ptr_null(strstr(g.problems, "@raw"));
    rig_fini(&g);
}
END_TEST

START_TEST(map_needs_somewhere_to_write)
{
    struct rig g;
    rig_prepare(&g, "lua.map", "return function() end", "");
    rig_check(&g);
    SAYS(g.problems, "into: the results have no column");
    g.problems[0] = '\0';
    g.cfg.columns = rig_strings(&g, "@raw");
    rig_check(&g);
    SAYS(g.problems, "columns: @raw is read-only");
    g.problems[0] = '\0';
    g.cfg.into = rig_strings(&g, "fresh,carrier:number");
    ck_assert_int_eq(rig_check(&g), LEAT_EARG);
    SAYS(g.problems, "two columns 'carrier'");
    rig_fini(&g);
}
END_TEST

START_TEST(labels_are_not_set_behind_the_examples)
{
    struct rig g;
    rig_prepare(&g, "lua.map", "return function() end", "");
    g.cfg.into = rig_strings(&g, "@label");
    g.in.has = LEAT_HAS_RECORDS;
    ck_assert_int_eq(rig_check(&g), LEAT_OK);
    ck_assert_uint_eq(g.out.has, LEAT_HAS_RECORDS | LEAT_HAS_LABEL);
    g.in.has |= LEAT_HAS_EXAMPLES;
    ck_assert_int_eq(rig_check(&g), LEAT_EARG);
    SAYS(g.problems, "into: labels must be set before examples are made");
    rig_fini(&g);
}
END_TEST

START_TEST(a_function_larger_than_its_memory_fails_at_open)
{
    struct rig g;
    rig_prepare(
        &g, "lua.filter",
        "local t = {} for i = 1, 50000 do t[i] = i .. 'x' end return function() return t end",
        "delay");
    rig_check(&g);
    ck_assert_int_eq(rig_open(&g), LEAT_ENOMEM);
    SAYS(g.problems, "the function used up its 1024 KiB of memory");
    rig_fini(&g);
}
END_TEST

/* ---- lua.map ---- */

START_TEST(map_rewrites_columns)
{
    struct rig g;
    rig_prepare(&g, "lua.map",
                "return function(c, d) return c and c:lower() or 'nobody', d and d * 2 end",
                "carrier,delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "0 1 2 3 4");
    ck_assert_str_eq(rig_cell(&g, 0, 0), "wn");
    ck_assert_str_eq(rig_cell(&g, 0, 2), "nobody");
    ck_assert_double_eq(g.number[1][1], 40);
    ck_assert_double_nan(g.number[1][2]);
    rig_fini(&g);
}
END_TEST

START_TEST(map_makes_columns)
{
    struct rig g;
    rig_prepare(&g, "lua.map",
                "return function(a, d) return a and a > 50, (a or 0) / 8, d, d and d > 10 end",
                "amount:number,delay");
    g.cfg.into = rig_strings(&g, "big,eighth:number,text,@label");
    rig_run(&g);
    ck_assert_uint_eq(g.out.n_columns, 6);
    ck_assert_uint_eq(g.out.column[4].type, LEAT_NUMBER);
    ck_assert_uint_eq(g.out.added_bytes_per_record, 64);
    ck_assert_str_eq(rig_kept(&g), "0 !1 2 3 4");
    ck_assert_str_eq(rig_cell(&g, 3, 0), "false");
    ck_assert_str_eq(rig_cell(&g, 3, 2), "none");
    ck_assert_str_eq(rig_cell(&g, 3, 4), "true");
    ck_assert_double_eq(g.number[4][0], 1.25);
    ck_assert_str_eq(rig_cell(&g, 5, 0), "5");
    ck_assert_str_eq(rig_cell(&g, 5, 3), "-3");
    ck_assert_float_eq(g.label[0], -1);
    ck_assert_float_nan(g.label[2]);
    ck_assert_float_eq(g.label[4], 1);
    ck_assert_str_eq(rig_cell(&g, 2, 0), "10"); /* the read values stay */
    rig_fini(&g);
}
END_TEST

START_TEST(what_does_not_fit_a_column_rejects_the_record)
{
    struct rig g;
    rig_prepare(&g, "lua.map",
                "local n = 0 local all = { 'abc', 1 / 0, {}, '7', true }\n"
                "return function() n = n + 1 return all[n] end",
                "delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "!0 !1 !2 3 4");
    ck_assert_int_eq(g.reason[0], LEAT_R_NUMBER);
    ck_assert_str_eq(g.why[0], "column 'delay' holds numbers, but the function returned 'abc'");
    ck_assert_int_eq(g.reason[1], LEAT_R_NONFINITE);
    ck_assert_int_eq(g.reason[2], LEAT_R_LUA);
    SAYS(g.why[2], "a table cannot be stored in column 'delay'");
    ck_assert_double_eq(g.number[1][3], 7);
    ck_assert_double_eq(g.number[1][4], 1);
    rig_fini(&g);
}
END_TEST

START_TEST(map_must_return_as_many_values_as_columns)
{
    struct rig g;
    rig_prepare(&g, "lua.map",
                "return function(c, d) if d == 5 then return c end\n"
                "if d == 20 then return c, d, 1 end return c, d end",
                "carrier,delay");
    rig_run(&g);
    ck_assert_str_eq(rig_kept(&g), "!0 !1 2 3 4");
    ck_assert_str_eq(g.why[0],
                     "script.lua:1: the function returned 1 value for 2 columns: return one for "
                     "each, or name the columns in 'into'");
    SAYS(g.why[1], "returned 3 values");
    rig_fini(&g);
}
END_TEST

START_TEST(a_full_batch_rejects_and_names_the_remedy)
{
    struct rig g;
    rig_prepare(&g, "lua.map", "return function(c, d) return ('y'):rep(d == 20 and 4090 or 3) end",
                "carrier,delay");
    g.cfg.into = rig_strings(&g, "long");
    rig_check(&g);
    rig_open(&g);
    rig_go(&g);
    ck_assert_str_eq(rig_kept(&g), "0 !1 2 3 4");
    ck_assert_int_eq(g.reason[1], LEAT_R_TOO_LARGE);
    SAYS(g.why[1], "the batch has no room for 4090 more bytes of text: raise 'text_bytes'");
    ck_assert_str_eq(rig_cell(&g, 3, 4), "yyy");
    ck_assert_uint_le(g.b.n_bytes, g.b.cap_bytes);
    rig_fini(&g);
}
END_TEST

START_TEST(text_that_did_not_change_takes_no_room)
{
    struct rig g;
    rig_prepare(&g, "lua.map", "return function(c) return c end", "carrier");
    rig_run(&g);
    uint32_t used = g.b.n_bytes;
    rig_fill(&g);
    ck_assert_uint_eq(g.b.n_bytes, used);
    rig_fini(&g);
}
END_TEST

START_TEST(every_parameter_and_stage_is_documented)
{
    ck_assert_uint_eq(lua_plugin.magic, LEAT_MAGIC);
    ck_assert_uint_eq(lua_plugin.n_stages, 6);
    for (uint32_t i = 0; i < lua_plugin.n_stages; i++) {
        const struct leat_stage *s = lua_plugin.stages[i];
        ck_assert(s->summary && s->doc && s->example && s->open && s->close);
        ck_assert(!s->process != !s->expand);
        for (uint32_t k = 0; k < s->n_params; k++) {
            ck_assert_ptr_nonnull(s->params[k].doc);
            ck_assert_uint_lt(s->params[k].offset, s->cfg_size);
        }
        lua_State *L = luaL_newstate();
        char chunk[400];
        snprintf(chunk, sizeof chunk, "return %s", s->example);
        ck_assert_msg(luaL_loadstring(L, chunk) == LUA_OK, "%s", lua_tostring(L, -1));
        lua_close(L);
    }
}
END_TEST

LEAT_SUITE("lua_stages", filter_keeps_what_is_true, filter_refuses_what_is_true_and_not_meant_so,
           columns_are_read_as_asked, text_that_is_no_number_rejects_its_record_by_name,
           an_error_rejects_its_record_and_only_that, a_text_compared_with_a_number_is_explained,
           errors_that_are_no_text_are_told, limits_reject_a_record_and_leave_the_rest,
           a_function_that_never_ends_fails_the_run,
           a_record_that_ends_well_between_them_keeps_it_going,
           a_function_that_keeps_too_much_fails_the_run_with_the_cure,
           only_selected_records_are_given, names_are_checked_before_the_run,
           map_needs_somewhere_to_write, labels_are_not_set_behind_the_examples,
           a_function_larger_than_its_memory_fails_at_open, map_rewrites_columns, map_makes_columns,
           what_does_not_fit_a_column_rejects_the_record, map_must_return_as_many_values_as_columns,
           a_full_batch_rejects_and_names_the_remedy, text_that_did_not_change_takes_no_room,
           every_parameter_and_stage_is_documented)
