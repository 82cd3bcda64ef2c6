/* test_json_text.c -- any bytes become a JSON string, the same as text_json's. */
#include "support/suite.h"

#include <stdint.h>
#include <string.h>

#include "host/log/json_text.h"
#include "core/report/text_out.h"

static char written[512];
static size_t written_len;

static int keep(void *to, const char *bytes, size_t n)
{
    memcpy(written + written_len, bytes, n);
    written_len += n;
    return 0;
}

static void check_same(const char *s, size_t n)
{
    char buf[64];
    struct text_out o = {.buf = buf, .cap = sizeof buf, .drain = keep};
    written_len = 0;
    text_json(&o, s, n);
    text_flush(&o);
    json_t *want = json_loadb(written, written_len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_t *got = json_text_n(s, n);
    ck_assert_ptr_nonnull(got);
    ck_assert_ptr_nonnull(want);
    ck_assert(json_equal(want, got));
    json_decref(got);
    json_decref(want);
}

START_TEST(bytes_of_no_character_are_replaced_one_by_one)
{
    static const char *const texts[] = {"plain",
                                        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82",
                                        "\xc3",
                                        "\xc0\xaf",
                                        "\xed\xa0\x80",
                                        "\xf4\x90\x80\x80",
                                        "a\xff\xfe b\xe2\x82",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_same(texts[i], strlen(texts[i]));
    json_t *j = json_text("a\xff\xe2\x82z");
    ck_assert_str_eq(json_string_value(j), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
    json_decref(j);
}
END_TEST

START_TEST(any_bytes_are_the_string_that_text_json_writes)
{
    static const unsigned char likely[] = {0,    'a',  0x7f, 0x80, 0xbf, 0xc2, 0xe0,
                                           0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0xff};
    uint64_t state = 7;
    for (int round = 0; round < 20000; round++) {
        char s[24];
        size_t n = 0;
        for (; n < sizeof s; n++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            unsigned r = (unsigned)(state >> 40);
            if (r % 25 == 0) break;
            s[n] = (char)(r & 1 ? likely[(r >> 8) % sizeof likely] : r >> 8);
        }
        check_same(s, n);
    }
}
END_TEST

START_TEST(numbers_are_read_back_as_they_are_printed)
{
    json_t *o = json_as_printed(json_pack("{s:f, s:s%, s:I}", "almost", 37.9999999999999999, "text",
                                          "a\0b", (size_t)3, "whole", (json_int_t)7));
    ck_assert_double_eq(json_number_value(json_object_get(o, "almost")), 38);
    ck_assert_uint_eq(json_string_length(json_object_get(o, "text")), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(o, "whole")), 7);
    json_decref(o);
    o = json_as_printed(json_pack("[f]", 1.0 / 3));
    ck_assert_double_eq(json_number_value(json_array_get(o, 0)), 0.333333333333333);
    json_decref(o);
}
END_TEST

LEAT_SUITE("json_text", bytes_of_no_character_are_replaced_one_by_one,
           any_bytes_are_the_string_that_text_json_writes,
           numbers_are_read_back_as_they_are_printed)
