/* test_utf8_scan.c -- the place where text stops being UTF-8, against a walk by character. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/utf8.h"
#include "kernels/text/encoding.h"
#include "support/random.h"
#include "support/suite.h"

enum { TEXT = 700, TEXTS = 20000 };

/* The definition. Unlike utf8_scan, it checks values, too, and not only lengths. */
static size_t slow(const char *text, size_t n)
{
    size_t i = 0, len;
    while (i < n && (len = utf8_length((const unsigned char *)text + i, n - i)) != 0)
        i += len;
    return i;
}

static size_t scan(const char *text, size_t n, bool *beyond)
{
    char *exactly = malloc(n + !n); /* a sanitizer sees a read past the end */
    memcpy(exactly, text, n);
    size_t at = utf8_scan(exactly, n, beyond);
    free(exactly);
    return at;
}

static const char *const CHARACTERS[] = {"a", "\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                         "b", "c",  "d"};

static size_t fill(char *text, size_t n, uint64_t *random, uint32_t kinds)
{
    size_t at = 0;
    while (at + 4 < n) {
        const char *c = CHARACTERS[below(random, kinds) ? below(random, 2) : below(random, 8)];
        memcpy(text + at, c, strlen(c));
        at += strlen(c);
    }
    return at;
}

START_TEST(text_in_utf8_is_right_wherever_it_is_cut_into_blocks)
{
    uint64_t random = 1;
    char text[TEXT];
    for (int k = 0; k < TEXTS; k++) {
        size_t n = fill(text, below(&random, TEXT - 5) + 5, &random, 1 + below(&random, 9));
        bool beyond = false;
        ck_assert_uint_eq(scan(text, n, &beyond), n);
        size_t high = 0;
        for (size_t i = 0; i < n; i++)
            high += (unsigned char)text[i] >= 0x80;
        ck_assert_int_eq(beyond, high > 0);
    }
}
END_TEST

START_TEST(a_byte_of_latin_1_is_found_at_its_place)
{
    static const unsigned char bytes[] = {0xe9, 0xfc, 0xdf, 0xa0, 0x93, 0xff, 0xc4};
    uint64_t random = 2;
    char text[TEXT];
    for (int k = 0; k < TEXTS; k++) {
        size_t n = fill(text, below(&random, TEXT - 5) + 5, &random, 1 + below(&random, 9));
        for (uint32_t i = below(&random, 3); n && i < 3; i++)
            text[below(&random, (uint32_t)n)] = (char)bytes[below(&random, sizeof bytes)];
        bool beyond = false;
        size_t at = scan(text, n, &beyond), want = slow(text, n);
        ck_assert_msg(at == want || want < n, "found %zu, is %zu of %zu", at, want, n);
        /* The bytes may by chance make an overlong form or a surrogate, as documented. */
        if (at != want) ck_assert_uint_ge((unsigned char)text[want], 0xe0);
        if (at != want) ck_assert_uint_eq((unsigned char)text[want + 1] & 0xc0, 0x80);
    }
}
END_TEST

START_TEST(a_character_that_is_cut_at_the_end_is_none)
{
    bool beyond = false;
    ck_assert_uint_eq(scan("abc\xe2\x82", 5, &beyond), 3);
    ck_assert(!beyond);
    ck_assert_uint_eq(scan("", 0, &beyond), 0);
}
END_TEST

LEAT_SUITE("utf8_scan", text_in_utf8_is_right_wherever_it_is_cut_into_blocks,
           a_byte_of_latin_1_is_found_at_its_place, a_character_that_is_cut_at_the_end_is_none)
