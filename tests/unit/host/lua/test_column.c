/* test_column.c -- names of columns; numbers in text, and numbers as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "host/lua/column.h"
#include "support/suite.h"

/* One record with one text column. */
struct one {
    struct leat_batch b;
    union leat_cells cells;
    struct leat_str cell;
    struct column c;
    char bytes[1024];
};

static void one_init(struct one *o, const char *text)
{
    memset(o, 0, sizeof *o);
    o->b =
        (struct leat_batch){.bytes = o->bytes, .cap_bytes = sizeof o->bytes, .column = &o->cells};
    o->cells.text = &o->cell;
    o->cell = (struct leat_str){0, (uint32_t)strlen(text)};
    o->b.n_bytes = o->cell.len;
    memcpy(o->bytes, text, o->cell.len);
    column_parse(&o->c, "x:number");
    o->c.from = FROM_TEXT;
}

static int number_of(const char *text, double *v)
{
    struct one o;
    one_init(&o, text);
    *v = NAN;
    return column_number(&o.b, 0, &o.c, v);
}

static void named(const char *spec, const char *name, enum column_from from, enum column_as as)
{
    struct column c;
    column_parse(&c, spec);
    ck_assert_uint_eq(c.n_name, strlen(name));
    ck_assert(!memcmp(c.name, name, c.n_name));
    ck_assert_int_eq(c.from, from);
    ck_assert_int_eq(c.as, as);
}

START_TEST(a_name_may_carry_a_type)
{
    named("a", "a", FROM_COLUMN, AS_IT_IS);
    named("a:number", "a", FROM_COLUMN, AS_NUMBER);
    named("a:text", "a", FROM_COLUMN, AS_TEXT);
    named("a:b", "a:b", FROM_COLUMN, AS_IT_IS);
    named("a:b:text", "a:b", FROM_COLUMN, AS_TEXT);
    named("a:Number", "a:Number", FROM_COLUMN, AS_IT_IS);
    named(":number", "", FROM_COLUMN, AS_NUMBER);
    named("", "", FROM_COLUMN, AS_IT_IS);
    named("@raw", "@raw", FROM_RAW, AS_IT_IS);
    named("@raw:number", "@raw", FROM_RAW, AS_NUMBER);
    named("@label", "@label", FROM_LABEL, AS_IT_IS);
    named("@route", "@route", FROM_COLUMN, AS_IT_IS);
}
END_TEST

START_TEST(a_column_is_found_by_its_whole_name)
{
    const struct leat_column columns[] = {{.name = "ab", .type = LEAT_TEXT},
                                          {.name = "a", .type = LEAT_NUMBER},
                                          {.name = "abc", .type = LEAT_TEXT}};
    const struct leat_schema schema = {.n_columns = 3, .column = columns};
    struct column c;
    column_parse(&c, "a:text");
    ck_assert(column_find(&c, &schema));
    ck_assert_uint_eq(c.index, 1);
    ck_assert_int_eq(c.from, FROM_NUMBER);
    column_parse(&c, "abc");
    ck_assert(column_find(&c, &schema));
    ck_assert_uint_eq(c.index, 2);
    column_parse(&c, "abcd");
    ck_assert(!column_find(&c, &schema));
    column_parse(&c, "");
    ck_assert(!column_find(&c, &schema));
}
END_TEST

/* strtod is the oracle. Forms that it takes beyond plain decimals must be refused. */
START_TEST(text_becomes_the_number_that_strtod_reads)
{
    // clang-format off
    static const char *const good[] = {
        "0", "-0", "+7", ".5", "5.", "1e22", "1e23", "1E-22", "0.1", "123456789012345", "-12.5e+3",
        "1234567890123456789", "0.000000000000000000000000123", "9007199254740993", "00012.50",
        "1.7976931348623157e308", "4.9e-324", " 12 ", "\t3", "1e-400", "2.2250738585072011e-308",
        "0.30000000000000004", "123456.789e-3", "0e99999999999", "0.0000000000000000000000000000"};
    static const char *const bad[] = {
        "x", "1x", "1 2", "0x10", "inf", "nan", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+",
        "--1", "1e999", "-1e999", "1,5", "1_000", "0b1", "1.2.3", "1e5.0", "1\n", "\xc2\xa0" "1"};
    // clang-format on
    double v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(number_of(good[i], &v) == 1, "'%s' was refused", good[i]);
        ck_assert_msg(v == strtod(good[i], NULL), "'%s' became %.17g", good[i], v);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(number_of(bad[i], &v) == -1, "'%s' was taken", bad[i]);
    ck_assert_int_eq(number_of("", &v), 0);
    ck_assert_int_eq(number_of(" \t ", &v), 0);
}
END_TEST

START_TEST(random_decimals_agree_with_strtod)
{
    uint64_t x = 88172645463325252;
    char text[80];
    double v;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        int places = (int)(x >> 8 & 15), exponent = (int)(x >> 20 & 63) - 32;
        uint64_t digits = x >> (x >> 40 & 63);
        snprintf(text, sizeof text, "%s%.*f", x & 1 ? "-" : "", places, (double)digits / 997);
        if (x & 2) snprintf(text + strlen(text), 8, "e%d", exponent);
        ck_assert_int_eq(number_of(text, &v), 1);
        ck_assert_msg(v == strtod(text, NULL), "'%s' became %.17g", text, v);
    }
}
END_TEST

START_TEST(every_prefix_of_a_long_text_is_read_within_its_bounds)
{
    struct one o;
    double v;
    char text[400];
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[100] = '.';
    one_init(&o, text);
    for (uint32_t n = 0; n < sizeof text - 1; n++) {
        o.cell.len = n;
        int found = column_number(&o.b, 0, &o.c, &v);
        ck_assert_int_eq(found, n == 0 ? 0 : n > 200 ? -1 : 1);
    }
}
END_TEST

static const char *text_of(struct one *o, lua_State *L, double v)
{
    static char out[64];
    char why[200];
    lua_pushnumber(L, v);
    one_init(o, "");
    ck_assert_int_eq(column_store(L, -1, &o->b, 0, &o->c, why, sizeof why), LEAT_R_NONE);
    lua_pop(L, 1);
    snprintf(out, sizeof out, "%.*s", (int)o->cell.len, o->bytes + o->cell.off);
    return out;
}

START_TEST(numbers_become_text_that_reads_back)
{
    struct one o;
    lua_State *L = luaL_newstate();
    uint64_t x = 1234567;
    ck_assert_str_eq(text_of(&o, L, 3), "3");
    ck_assert_str_eq(text_of(&o, L, -0.0), "0");
    ck_assert_str_eq(text_of(&o, L, 0.1), "0.1");
    ck_assert_str_eq(text_of(&o, L, 123456789012345.0), "123456789012345");
    ck_assert_str_eq(text_of(&o, L, 1e15), "1e+15");
    for (int i = 0; i < 100000; i++) {
        double v;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        memcpy(&v, &x, sizeof v);
        if (isfinite(v)) ck_assert_double_eq(strtod(text_of(&o, L, v), NULL), v);
    }
    lua_close(L);
}
END_TEST

LEAT_SUITE("lua_column", a_name_may_carry_a_type, a_column_is_found_by_its_whole_name,
           text_becomes_the_number_that_strtod_reads, random_decimals_agree_with_strtod,
           every_prefix_of_a_long_text_is_read_within_its_bounds,
           numbers_become_text_that_reads_back)
