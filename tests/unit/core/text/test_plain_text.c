/* test_plain_text.c -- foreign text on a terminal. */
#include <string.h>

#include "core/text/plain_text.h"
#include "support/suite.h"

static void shows(const char *text, const char *expected)
{
    char out[100];
    ck_assert_uint_eq(plain_text(out, sizeof out, text), strlen(expected));
    ck_assert_str_eq(out, expected);
}

START_TEST(what_acts_on_a_terminal_is_shown)
{
    shows("\x1b[31m\a\x7f", "\\x1b[31m\\x07\\x7f");
    shows("a\nb\tc\rd\be", "a\\nb\\tc\\rd\\x08e");
    shows("\xc2\x9b"
          "2J\xc2\x85",
          "\\xc2\\x9b2J\\xc2\\x85");
    shows("\xe2\x80\xae \xe2\x80\xa8 \xe2\x81\xa6",
          "\\xe2\\x80\\xae \\xe2\\x80\\xa8 \\xe2\\x81\\xa6");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_shown)
{
    shows("\xff\xc0\x80\xe2\x82", "\\xff\\xc0\\x80\\xe2\\x82");
    shows("\xed\xa0\x80", "\\xed\\xa0\\x80");
}
END_TEST

START_TEST(all_else_stays)
{
    shows("", "");
    shows("C:\\new \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xa0",
          "C:\\new \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xa0");
}
END_TEST

START_TEST(no_character_and_no_escape_is_cut)
{
    char out[8];
    ck_assert_uint_eq(plain_text(out, 4, "ab\xe2\x82\xac"), 2);
    ck_assert_str_eq(out, "ab");
    ck_assert_uint_eq(plain_text(out, 6, "ab\x1b"), 2);
    ck_assert_uint_eq(plain_text(out, 7, "ab\x1b"), 6);
    ck_assert_uint_eq(plain_text(out, 1, "a"), 0);
    ck_assert_str_eq(out, "");
}
END_TEST

LEAT_SUITE("plain_text", what_acts_on_a_terminal_is_shown, bytes_that_are_no_utf8_are_shown,
           all_else_stays, no_character_and_no_escape_is_cut)
