/* test_recode.c -- recoded text equals iconv(3)'s, in pieces of any size. */
#include "support/suite.h"
#include "core/mix64.h"

#include <iconv.h>
#include <string.h>

#include "kernels/text/encoding.h"

enum { BYTES = 4096, ROOM = 4 * BYTES };

static uint64_t state;
static uint64_t draw(uint64_t below) { return mix64_next(&state) % below; }

/* Recodes pieces of random sizes, each into random room. */
static size_t recoded(enum recode_from from, const uint8_t *in, size_t n, char *out, uint64_t *bad)
{
    struct recode r = {.from = from};
    size_t at = 0, end = 0, used;
    while (at < n) {
        size_t piece = 1 + draw(40);
        piece = piece < n - at ? piece : n - at;
        end += recode_some(&r, in + at, piece, &used, out + end, 8 + draw(60));
        at += used;
    }
    end += recode_end(&r, out + end);
    *bad = r.bad;
    return end;
}

static size_t by_iconv(const char *from, const uint8_t *in, size_t n, char *out)
{
    iconv_t cd = iconv_open("UTF-8", from);
    char *p = (char *)(uintptr_t)in, *to = out;
    size_t room = ROOM;
    ck_assert(cd != (iconv_t)-1);
    ck_assert_uint_eq(iconv(cd, &p, &n, &to, &room), 0);
    iconv_close(cd);
    return (size_t)(to - out);
}

static void same_as_iconv(enum recode_from from, const char *name, const uint8_t *in, size_t n)
{
    static char ours[ROOM], theirs[ROOM];
    uint64_t bad;
    size_t a = recoded(from, in, n, ours, &bad), b = by_iconv(name, in, n, theirs);
    ck_assert_uint_eq(a, b);
    ck_assert(!memcmp(ours, theirs, a));
    ck_assert_uint_eq(bad, 0);
}

START_TEST(bytes_become_what_iconv_makes_of_them)
{
    static const char unused[] = "\x81\x8d\x8f\x90\x9d"; /* iconv refuses them */
    uint8_t text[BYTES];
    state = 5;
    for (int round = 0; round < 200; round++) {
        size_t n = draw(BYTES);
        bool ascii = round % 2;
        for (size_t i = 0; i < n; i++)
            text[i] = (uint8_t)draw(ascii && draw(9) ? 128 : 256);
        same_as_iconv(RECODE_LATIN_1, "ISO-8859-1", text, n);
        for (size_t i = 0; i < n; i++)
            if (text[i] && strchr(unused, text[i])) text[i] = 0x80;
        same_as_iconv(RECODE_WINDOWS_1252, "CP1252", text, n);
    }
}
END_TEST

static size_t random_units(uint8_t *text, bool big)
{
    size_t n = 0;
    while (n < BYTES - 8) {
        uint32_t c = (uint32_t)draw(draw(3) ? 0x300 : 0x110000);
        if (c >= 0xd800 && c < 0xe000) continue;
        uint32_t unit[2] = {c, 0};
        int units = 1;
        if (c >= 0x10000) {
            unit[0] = 0xd800 + ((c - 0x10000) >> 10), unit[1] = 0xdc00 + ((c - 0x10000) & 0x3ff);
            units = 2;
        }
        for (int i = 0; i < units; i++) {
            text[n++] = (uint8_t)(big ? unit[i] >> 8 : unit[i]);
            text[n++] = (uint8_t)(big ? unit[i] : unit[i] >> 8);
        }
    }
    return n;
}

START_TEST(units_of_two_bytes_too)
{
    uint8_t text[BYTES];
    state = 6;
    for (int round = 0; round < 100; round++) {
        size_t n = random_units(text, false);
        same_as_iconv(RECODE_UTF_16LE, "UTF-16LE", text, n);
        n = random_units(text, true);
        same_as_iconv(RECODE_UTF_16BE, "UTF-16BE", text, n);
    }
}
END_TEST

static const char *shown(enum recode_from from, const char *bytes, size_t n, uint64_t *bad)
{
    static char out[ROOM];
    out[recoded(from, (const uint8_t *)bytes, n, out, bad)] = '\0';
    return out;
}

START_TEST(a_mark_says_the_order_and_becomes_that_of_utf_8)
{
    uint64_t bad;
    ck_assert_str_eq(shown(RECODE_UTF_16,
                           "\xff\xfe"
                           "a\0\xe9\0",
                           6, &bad),
                     "\xef\xbb\xbf"
                     "a\xc3\xa9");
    ck_assert_str_eq(shown(RECODE_UTF_16, "\xfe\xff\0a", 4, &bad), "\xef\xbb\xbf"
                                                                   "a");
    ck_assert_str_eq(shown(RECODE_UTF_16, "a\0b\0", 4, &bad), "ab");
    ck_assert_str_eq(shown(RECODE_UTF_16, "", 0, &bad), "");
    ck_assert_uint_eq(bad, 0);
}
END_TEST

START_TEST(what_is_no_character_is_replaced_and_counted)
{
    uint64_t bad;
    ck_assert_str_eq(shown(RECODE_UTF_16LE,
                           "a\0\x00\xd8"
                           "b\0",
                           6, &bad),
                     "a\xef\xbf\xbd"
                     "b");
    ck_assert_uint_eq(bad, 1);
    ck_assert_str_eq(shown(RECODE_UTF_16LE, "\x00\xdc\x00\xd8\x00\xd8", 6, &bad),
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    ck_assert_uint_eq(bad, 3);
    ck_assert_str_eq(shown(RECODE_UTF_16LE, "a\0b", 3, &bad), "a\xef\xbf\xbd");
    ck_assert_uint_eq(bad, 1);
    ck_assert_str_eq(shown(RECODE_WINDOWS_1252, "\x80\x81", 2, &bad), "\xe2\x82\xac\xc2\x81");
    ck_assert_uint_eq(bad, 0);
}
END_TEST

LEAT_SUITE("recode", bytes_become_what_iconv_makes_of_them, units_of_two_bytes_too,
           a_mark_says_the_order_and_becomes_that_of_utf_8,
           what_is_no_character_is_replaced_and_counted)
