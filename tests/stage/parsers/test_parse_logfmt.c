/* test_parse_logfmt.c -- parse.logfmt in the harness: keys, quotes, flags, rejections.
 *
 * Random pairs are compared with the written ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

static struct harness *parser(const char *columns)
{
    struct harness *h = parser_new("parse.logfmt");
    if (columns) harness_set(h, "columns", columns);
    return h;
}

START_TEST(values_are_what_follows_their_keys)
{
    struct harness *h = parser("level,message=msg,http.status,x=\"a[0]\"");
    PARSE(h, "level=info msg=\"two words\" http.status=200 a[0]=z",
          "\tmsg=\"\"  level= ", "other=1", "msg=a=b,c=d \xc3\xa9=1 level=\xc3\xa9",
          "level=a level=b");
    const char *const want[][4] = {{"info", "two words", "200", "z"},
                                   {"", "", "NULL", "NULL"},
                                   {"NULL", "NULL", "NULL", "NULL"},
                                   {"\xc3\xa9", "a=b,c=d", "NULL", "NULL"},
                                   {"a", "NULL", "NULL", "NULL"}};
    ck_assert_str_eq(h->out.column[1].name, "message");
    for (uint32_t r = 0; r < 5; r++)
        for (uint32_t c = 0; c < 4; c++)
            ck_assert_msg(!strcmp(cell(h, c, r), want[r][c]), "%u %u: %s", r, c, cell(h, c, r));
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
}
END_TEST

START_TEST(escapes_become_the_characters_they_stand_for)
{
    struct harness *h = parser("v,w=v");
    PARSE(h, "v=\"a\\\"b\\\\c\\nd\\te\\rf\\/\"", "v=\"\\u00e9\\u20ac\\u0041\"",
          "v=\"\\ud800 \\u12 \\q\"", "v=a\\nb", "v=\"plain\"",
          "v=\"\\a\\b\\f\\v\\x1b\\xe9\\u00ff\\U0001f600\\ud83d\\ude00\"",
          "v=\"\\x1 \\U00110000 \\U0000d800 \\ud83d\\u0041 \\ude00 \\x\"");
    ck_assert_str_eq(cell(h, 0, 0), "a\"b\\c\nd\te\rf/");
    ck_assert_str_eq(cell(h, 0, 1), "\xc3\xa9\xe2\x82\xac"
                                    "A");
    ck_assert_str_eq(cell(h, 0, 2), "\\ud800 \\u12 \\q");
    ck_assert_str_eq(cell(h, 0, 3), "a\\nb");
    ck_assert_str_eq(cell(h, 0, 5), "\a\b\f\v\x1b\xe9\xc3\xbf\xf0\x9f\x98\x80\xf0\x9f\x98\x80");
    ck_assert_str_eq(cell(h, 0, 6), "\\x1 \\U00110000 \\U0000d800 \\ud83dA \\ude00 \\x");
    for (uint32_t r = 0; r < 7; r++) /* one text for both */
        ck_assert_uint_eq(h->b.column[0].text[r].off, h->b.column[1].text[r].off);
    struct leat_str raw = h->b.raw[4], text = h->b.column[0].text[4];
    ck_assert(text.off > raw.off && text.off + text.len < raw.off + raw.len);
    harness_free(h);
}
END_TEST

START_TEST(each_of_many_pairs_is_found)
{
    enum { PAIRS = 200, SIZE = 4096 };
    static char line[SIZE];
    for (int found = 0; found < PAIRS; found++) {
        size_t n = 0;
        for (int i = 0; i < PAIRS; i++)
            n += (size_t)snprintf(line + n, SIZE - n,
                                  i == found ? "found=%d again=%d found=x "
                                  : i % 3    ? "k%d=\"v %d\" "
                                             : "k%d ",
                                  i, i);
        struct harness *h = parser("found,again,k199");
        PARSE(h, line);
        ck_assert_uint_eq(h->n_rejections, 0);
        char want[16];
        snprintf(want, sizeof want, "%d", found);
        ck_assert_str_eq(cell(h, 0, 0), want);
        ck_assert_str_eq(cell(h, 1, 0), want);
        ck_assert_str_eq(cell(h, 2, 0), found == PAIRS - 1 ? "NULL" : "v 199");
        harness_free(h);
    }
}
END_TEST

#define OTHER ": set other = \"empty\" to leave such cells empty"

START_TEST(a_key_alone_is_true)
{
    struct harness *h = parser("retry,n");
    harness_set(h, "numbers", "n");
    PARSE(h, "retry n=1.5", "n=2", "n=x", "n=1e999", "retry=false n=");
    ck_assert_str_eq(cell(h, 0, 0), "true");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    ck_assert(h->b.column[1].number[0] == 1.5);
    expect_rejected(h, 2, LEAT_R_NUMBER, "column 'n': 'x' is not a number" OTHER);
    expect_rejected(h, 3, LEAT_R_NONFINITE,
                    "column 'n': '1e999' is too large: the largest number is 1.8e308");
    ck_assert(isnan(h->b.column[1].number[4]));
    harness_free(h);
    h = parser("n");
    harness_set(h, "numbers", "n");
    harness_set(h, "other", "empty");
    PARSE(h, "n=x", "n=2", "n=1e999");
    expect_rejected(h, 2, LEAT_R_NONFINITE,
                    "column 'n': '1e999' is too large: the largest number is 1.8e308");
    ck_assert(isnan(h->b.column[0].number[0]) && h->b.column[0].number[1] == 2);
    harness_free(h);
}
END_TEST

START_TEST(keys_may_stand_in_quotes)
{
    struct harness *h = parser("sp ace,x=\"a=\"\"b\"\"[0]\",plain,n=\"\n\"");
    PARSE(h, "a=1 \"sp ace\"=v \"a=\\\"b\\\"[0]\"=\"w \\x41\" \"plain\"= \"\\n\"=2");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(cell(h, 0, 0), "v");
    ck_assert_str_eq(cell(h, 1, 0), "w A");
    ck_assert_str_eq(cell(h, 2, 0), "");
    ck_assert_str_eq(cell(h, 3, 0), "2");
    harness_free(h);
}
END_TEST

START_TEST(long_keys_with_escapes_are_told)
{
    char line[1200];
    for (uint32_t n = 510; n <= 514; n += 4) {
        struct harness *h = parser("a");
        snprintf(line, sizeof line, "\"%*s\\n\"=1 a=2", (int)n - 2, "k");
        PARSE(h, line);
        if (n > 512)
            expect_rejected(h, 0, LEAT_R_SYNTAX,
                            "byte 1 is wrong: the key has escapes and more than 512 bytes");
        else
            ck_assert_str_eq(cell(h, 0, 0), "2");
        harness_free(h);
    }
}
END_TEST

START_TEST(values_may_stand_in_single_quotes)
{
    struct harness *h = parser("a,b,c");
    PARSE(h, "a='x \"y\" \\n z' b='' c='it's'", "a='tis b=don't c='bob'", "a='b c=1",
          "a=x'y b=' c='",
          "a='x'\x1d"
          "b=1");
    ck_assert_uint_eq(h->n_rejections, 0);
    static const char *const want[][3] = {{"x \"y\" \\n z", "", "it's"},
                                          {"'tis", "don't", "bob"},
                                          {"'b", "NULL", "1"},
                                          {"x'y", "'", "'"},
                                          {"x", "1", "NULL"}};
    for (uint32_t r = 0; r < 5; r++)
        for (uint32_t i = 0; i < 3; i++)
            ck_assert_str_eq(cell(h, i, r), want[r][i]);
    harness_free(h);
}
END_TEST

START_TEST(pairs_of_auditd_between_single_quotes_are_pairs_of_the_line)
{
    struct harness *h = parser("op,acct,res,UID,msg");
    PARSE(h,
          "type=USER_LOGIN msg=audit(1.2:3): pid=1 msg='op=login acct=\"a b\" res=ok'\x1dUID=\"r\"",
          "msg=x y='op=login res=ok'", "msg=audit(1.2:3): x='op=' res='r UID=u");
    ck_assert_uint_eq(h->n_rejections, 0);
    static const char *const want[][5] = {{"login", "a b", "ok", "r", "audit(1.2:3):"},
                                          {"NULL", "NULL", "NULL", "NULL", "x"},
                                          {"NULL", "NULL", "'r", "u", "audit(1.2:3):"}};
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t i = 0; i < 5; i++)
            ck_assert_str_eq(cell(h, i, r), want[r][i]);
    harness_free(h);
}
END_TEST

START_TEST(what_is_no_pair_is_rejected_with_the_byte)
{
    static const char *const wrong[][2] = {
        {"a=\"b", "byte 3 is wrong: the quote is never closed"},
        {"a=\"b\\\"", "byte 3 is wrong: the quote is never closed"},
        {"a=\"b\\", "byte 3 is wrong: the quote is never closed"},
        {"a=1 =2", "byte 5 is wrong: a key is expected"},
        {"a=1 \"b\"", "byte 5 is wrong: a key is expected, and = after a text in quotes"},
        {"\"b=1", "byte 1 is wrong: the quote is never closed"},
        {"\"\" a=1", "byte 1 is wrong: a key is expected, and = after a text in quotes"},
        {"a=\"b\"c", "byte 6 is wrong: a blank is expected"},
        {"a=b\"c\"", "byte 4 is wrong: a blank is expected"},
        {"a\"b=1", "byte 2 is wrong: a blank is expected"},
        {"just some words", "the record has no key=value"},
    };
    struct harness *h = parser("a");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        harness_record(h, wrong[i][0]);
    harness_record(h, "");
    harness_record(h, " \t");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_rejected(h, i, LEAT_R_SYNTAX, wrong[i][1]);
    ck_assert_uint_eq(h->n_rejections, sizeof wrong / sizeof *wrong); /* blank lines are left out */
    ck_assert_uint_eq(h->b.n_sel, 0);
    harness_free(h);
}
END_TEST

START_TEST(a_missing_key_is_rejected_on_demand)
{
    struct harness *h = parser("a,b");
    harness_set(h, "missing", "reject");
    PARSE(h, "a=1 b=2", "a=1");
    expect_rejected(h, 1, LEAT_R_FIELDS, "column 'b': the record has no b");
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
}
END_TEST

START_TEST(wrong_parameters_are_reported)
{
    expect_refused_and_free(parser("a[0]"), "logfmt has no arrays");
    expect_refused_and_free(parser("a..b"), "is expected at byte 3");
}
END_TEST

static struct harness *of_two(void) { return parser("a,b"); }

START_TEST(every_failed_allocation_is_told_and_leaves_nothing)
{
    expect_failed_allocations_told(of_two);
}
END_TEST

/* Any bytes are rejected, left out, or become cells in the batch. */
START_TEST(random_bytes_are_rejected_or_have_cells)
{
    static const char bytes[] = "ab==\"\\' u0n\t\x01\xc3";
    struct harness *h = parser("a,b,ab");
    uint64_t random = seed_given();
    uint32_t right = 0;
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    for (int i = 0; i < 50000; i++) {
        char text[24];
        size_t n = 1 + below(&random, sizeof text - 1);
        for (size_t k = 0; k < n; k++)
            text[k] = bytes[below(&random, sizeof bytes - 1)];
        harness_clear(h);
        harness_bytes(h, text, n);
        if (harness_process(h) != LEAT_OK) ck_abort_msg("process failed");
        for (uint32_t c = 0; c < 3 && h->b.n_sel; c++) {
            struct leat_str s = h->b.column[c].text[0];
            right += s.len != LEAT_NULL;
            if (s.len != LEAT_NULL && s.off + s.len > h->b.n_bytes) ck_abort_msg("outside");
        }
    }
    ck_assert_uint_gt(right, 1000);
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_logfmt", values_are_what_follows_their_keys, each_of_many_pairs_is_found,
           escapes_become_the_characters_they_stand_for, a_key_alone_is_true,
           keys_may_stand_in_quotes, long_keys_with_escapes_are_told,
           values_may_stand_in_single_quotes,
           pairs_of_auditd_between_single_quotes_are_pairs_of_the_line,
           what_is_no_pair_is_rejected_with_the_byte, a_missing_key_is_rejected_on_demand,
           wrong_parameters_are_reported, every_failed_allocation_is_told_and_leaves_nothing,
           random_bytes_are_rejected_or_have_cells)
