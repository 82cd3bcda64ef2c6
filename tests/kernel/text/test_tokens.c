/* test_tokens.c -- texts cut into tokens by both rules, in any script, and from invalid bytes. */
#include "kernels/text/tokens.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the tokens of a text in normal form, each in brackets. */
static const char *cut(enum tokens_rule rule, bool lower, uint32_t max_bytes, const char *text,
                       size_t len)
{
    static char out[8192];
    struct tokens_options o = {.rule = rule, .lower = lower, .max_bytes = max_bytes};
    struct token t;
    size_t at = 0, n = 0;
    while (tokens_next(&o, text, len, &at, &t)) {
        char *form = malloc(t.len * 3 / 2 + 1); /* exactly the promised room, for sanitizers */
        size_t m = tokens_form(&o, text + t.off, t.len, form);
        ck_assert_uint_le(m, t.len * 3 / 2);
        ck_assert_uint_le(m, max_bytes);
        ck_assert_int_eq(t.as_is, m == t.len && !memcmp(form, text + t.off, m));
        n += (size_t)sprintf(out + n, "[%.*s]", (int)m, form);
        free(form);
    }
    out[n] = 0;
    return out;
}

#define BLANKS(TEXT) cut(TOKENS_WHITESPACE, false, 64, TEXT, strlen(TEXT))
#define WORDS(TEXT)  cut(TOKENS_WORDS, false, 64, TEXT, strlen(TEXT))
#define LOWER(TEXT)  cut(TOKENS_WORDS, true, 64, TEXT, strlen(TEXT))

START_TEST(blanks_part_tokens_and_nothing_else_does)
{
    ck_assert_str_eq(BLANKS("a bc  d,e\t<f>\r\n\v\fg"), "[a][bc][d,e][<f>][g]");
    ck_assert_str_eq(BLANKS(""), "");
    ck_assert_str_eq(BLANKS(" \t "), "");
    ck_assert_str_eq(BLANKS("x"), "[x]");
    ck_assert_str_eq(BLANKS(" x "), "[x]");
    ck_assert_str_eq(BLANKS("U.S. 155,221 -- it's"), "[U.S.][155,221][--][it's]");
}
END_TEST

START_TEST(a_separator_parts_tokens_with_blanks_in_them)
{
    static const char text[] = "||x y|| | z|";
    static const char *const want[] = {"x y", " ", " z"};
    struct tokens_options o = {.separator = "||", .n_separator = 2, .max_bytes = 64};
    struct token t;
    size_t at = 0, i = 0;
    ck_assert(tokens_next(&o, text, strlen(text), &at, &t) && t.len == 3 && t.as_is);
    ck_assert(tokens_next(&o, text, strlen(text), &at, &t) && t.len == 5 && at == strlen(text));
    ck_assert(!tokens_next(&o, text, strlen(text), &at, &t));
    o.separator = "|", o.n_separator = 1, at = 0;
    for (; tokens_next(&o, text, strlen(text), &at, &t); i++)
        ck_assert(t.len == strlen(want[i]) && !memcmp(text + t.off, want[i], t.len));
    ck_assert_uint_eq(i, 3);
}
END_TEST

START_TEST(unicode_spaces_are_blanks)
{
    /* no-break space, ideographic space, line separator, next line */
    ck_assert_str_eq(BLANKS("a\u00a0b\u3000c\u2028d\xc2\x85"
                            "e"),
                     "[a][b][c][d][e]");
    ck_assert_str_eq(BLANKS("a\u200bb"), "[a\u200bb]"); /* the zero-width space (Cf) is not blank */
}
END_TEST

START_TEST(words_are_letters_digits_and_marks_of_any_script)
{
    ck_assert_str_eq(WORDS("Hello, world! x2 a_b c-d"), "[Hello][world][x2][a][b][c][d]");
    ck_assert_str_eq(WORDS("Grüße aus Århus"), "[Grüße][aus][Århus]");
    ck_assert_str_eq(WORDS("«Привет», мир — да"), "[Привет][мир][да]");
    ck_assert_str_eq(WORDS("東京、大阪。"), "[東京][大阪]");
    ck_assert_str_eq(WORDS("e\u0301te\u0301 \u0663\u0664"), "[e\u0301te\u0301][\u0663\u0664]");
    ck_assert_str_eq(WORDS("हिन्दी"), "[हिन्दी]");
    ck_assert_str_eq(WORDS("a\U0001F600b €5"), "[a][b][5]");
    ck_assert_str_eq(WORDS("!?.,"), "");
}
END_TEST

START_TEST(lower_case_knows_all_scripts_and_may_change_the_length)
{
    ck_assert_str_eq(LOWER("ABC ÄÖÜ ΑΒΓ МОСКВА"), "[abc][äöü][αβγ][москва]");
    ck_assert_str_eq(LOWER("\u023a"), "[\u2c65]"); /* two bytes become three */
    ck_assert_str_eq(LOWER("\u212a"), "[k]");      /* three become one: the Kelvin sign */
    ck_assert_str_eq(cut(TOKENS_WHITESPACE, true, 64, "A,B", 3), "[a,b]");
    ck_assert_str_eq(WORDS("ABC"), "[ABC]");
}
END_TEST

START_TEST(long_tokens_are_cut_before_a_code_point)
{
    ck_assert_str_eq(cut(TOKENS_WORDS, false, 4, "abcdef gh", 9), "[abcd][gh]");
    ck_assert_str_eq(cut(TOKENS_WORDS, false, 4, "abcäf", 6), "[abc]");
    ck_assert_str_eq(cut(TOKENS_WORDS, true, 4, "ABCÄF", 6), "[abc]");
    ck_assert_str_eq(cut(TOKENS_WORDS, true, 4, "\u023a\u023a", 4), "[\u2c65]");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_letters)
{
    ck_assert_str_eq(WORDS("caf\xe9 na\xefve"), "[caf\xe9][na\xefve]"); /* Latin-1 */
    ck_assert_str_eq(WORDS("\xff\xfe"), "[\xff\xfe]");
    ck_assert_str_eq(LOWER("A\xc3"), "[a\xc3]");               /* cut off in a sequence */
    ck_assert_str_eq(WORDS("\xed\xa0\x80"), "[\xed\xa0\x80]"); /* a lone surrogate */
    ck_assert_str_eq(WORDS("\xc0\xaf"), "[\xc0\xaf]");         /* an overlong form of / */
}
END_TEST

START_TEST(a_nul_is_a_byte_like_others)
{
    struct tokens_options o = {.rule = TOKENS_WHITESPACE, .max_bytes = 64};
    struct token t;
    size_t at = 0;
    ck_assert(tokens_next(&o, "a\0b c", 5, &at, &t));
    ck_assert_uint_eq(t.len, 3);
    ck_assert(tokens_next(&o, "a\0b c", 5, &at, &t));
    ck_assert_uint_eq(t.off, 4);
}
END_TEST

/* On any bytes, tokens do not overlap, are not empty, and number at most (n + 1) / 2. The bytes
 * between them contain no token. */
START_TEST(random_bytes_keep_the_promises)
{
    static const char alphabet[] = "aB \t.-\xc3\xa4\xe2\x80\xa8\xff\xf0\x9f\x98\x80\xc2\xa0";
    srand(5);
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)(rand() % 24), at = 0, end = 0, tokens = 0;
        char *text = malloc(n + !n);
        for (size_t i = 0; i < n; i++)
            text[i] = round % 2 ? alphabet[rand() % (int)(sizeof alphabet - 1)] : (char)rand();
        struct tokens_options o = {.rule = round / 2 % 2, .lower = round / 4 % 2, .max_bytes = 64};
        cut(o.rule, o.lower, 64, text, n);
        for (struct token t; tokens_next(&o, text, n, &at, &t); tokens++) {
            size_t between = 0;
            struct token none;
            ck_assert_uint_gt(t.len, 0);
            ck_assert_uint_ge(t.off, end);
            ck_assert(!tokens_next(&o, text + end, t.off - end, &between, &none));
            end = t.off + t.len;
            ck_assert_uint_le(end, n);
        }
        ck_assert_uint_le(tokens, (n + 1) / 2);
        free(text);
    }
}
END_TEST

LEAT_SUITE("tokens", blanks_part_tokens_and_nothing_else_does, unicode_spaces_are_blanks,
           a_separator_parts_tokens_with_blanks_in_them,
           words_are_letters_digits_and_marks_of_any_script,
           lower_case_knows_all_scripts_and_may_change_the_length,
           long_tokens_are_cut_before_a_code_point, bytes_that_are_no_utf8_are_letters,
           a_nul_is_a_byte_like_others, random_bytes_keep_the_promises)
