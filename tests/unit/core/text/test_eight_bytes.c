/* test_eight_bytes.c -- ends of words by eight bytes at a time, against a loop over bytes. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "core/text/eight_bytes.h"

/* Returns where the first of these bytes is, or a byte up to `low`; n if there is none. */
static size_t first(const char *text, size_t at, size_t n, int low, const char *bytes)
{
    while (at < n && (unsigned char)text[at] > low && !(text[at] && strchr(bytes, text[at])))
        at++;
    return at;
}

static void fill(uint64_t *random, char *text, size_t n)
{
    static const char some[] = "ab=\"\\ \t\x7f\x80\xa0\xff!#<>";
    for (size_t i = 0; i < n; i++) {
        uint64_t draw = mix64_next(random);
        text[i] = draw % 3   ? 'x'
                  : draw % 5 ? some[draw / 32 % (sizeof some - 1)]
                             : (char)(draw >> 8);
    }
}

START_TEST(a_word_ends_where_a_loop_over_its_bytes_ends)
{
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        size_t n = mix64_next(&random) % 40, from = n ? mix64_next(&random) % n : 0;
        char *text = malloc(n + !n); /* a sanitizer sees reads beyond it */
        fill(&random, text, n);
        ck_assert_uint_eq(eight_bytes_word_end(text, from, n, ' ', ' '),
                          first(text, from, n, ' ', ""));
        ck_assert_uint_eq(eight_bytes_word_end(text, from, n, '"', ' '),
                          first(text, from, n, ' ', "\""));
        ck_assert_uint_eq(eight_bytes_word_end(text, from, n, '"', '='),
                          first(text, from, n, ' ', "\"="));
        free(text);
    }
}
END_TEST

START_TEST(the_lowest_hit_of_a_mask_is_the_first_byte)
{
    uint64_t random = 2;
    char text[EIGHT_BYTES];
    for (int round = 0; round < 20000; round++) {
        fill(&random, text, sizeof text);
        uint64_t w = eight_bytes(text), equal = eight_bytes_equal(w, '\xff');
        size_t blank = first(text, 0, sizeof text, ' ', ""), same = first(text, 0, 8, -1, "\xff");
        ck_assert_uint_eq(eight_bytes_blank(w) ? eight_bytes_first(eight_bytes_blank(w)) : 8,
                          blank);
        ck_assert_uint_eq(equal ? eight_bytes_first(equal) : 8, same);
    }
}
END_TEST

LEAT_SUITE("eight_bytes", a_word_ends_where_a_loop_over_its_bytes_ends,
           the_lowest_hit_of_a_mask_is_the_first_byte)
