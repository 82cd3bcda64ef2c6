/* test_number_text.c -- numbers in text, against strtod and strtoll. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/number_text.h"
#include "support/random.h"
#include "support/suite.h"

static int read_int64(const char *text, int64_t *x)
{
    return number_text_int64(text, text + strlen(text), x);
}

static void reads(const char *text, int64_t expected)
{
    int64_t x = 0;
    ck_assert_msg(read_int64(text, &x) == 1, "'%s'", text);
    ck_assert_int_eq(x, expected);
}

static void refuses(const char *text)
{
    int64_t x = 0;
    ck_assert_msg(read_int64(text, &x) == -1, "'%s'", text);
}

START_TEST(whole_numbers_of_64_bits_are_exact)
{
    reads("0", 0);
    reads(" +12\t", 12);
    reads("-0007", -7);
    reads("9223372036854775807", INT64_MAX);
    reads("-9223372036854775807", -INT64_MAX);
    reads("9007199254740993", INT64_C(9007199254740993));
}
END_TEST

START_TEST(other_writings_are_read_exactly)
{
    reads("1e3", 1000);
    reads("2.0", 2);
    reads("-1.5e1", -15);
    reads("9007199254740992.0", INT64_C(9007199254740992));
    reads("9007199254740993.0", INT64_C(9007199254740993));
    reads("922337203685477580.7e1", INT64_MAX);
    reads("1e18", INT64_C(1000000000000000000));
    reads("100e-2", 1);
    reads("12.50e1", 125);
    reads("0.000e-400", 0);
    reads("0e99999", 0);
    refuses("1e19");
    refuses("9223372036854775808.0");
    refuses("9007199254740992.5");
    refuses("1.00000000000000000001");
    refuses("2147483647.0000000001");
    refuses("1e-400");
    refuses("1.2.");
    refuses(".e1");
    refuses("1e");
}
END_TEST

START_TEST(what_is_no_whole_number_is_refused)
{
    static const char *const wrong[] = {"1.5",
                                        "x",
                                        "1x",
                                        "0x10",
                                        "-",
                                        "+",
                                        "nan",
                                        "inf",
                                        "1 2",
                                        "1e-1",
                                        "--1",
                                        "9223372036854775808",
                                        "-9223372036854775808"};
    int64_t x;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses(wrong[i]);
    ck_assert_int_eq(read_int64(" \t", &x), 0);
    ck_assert_int_eq(read_int64("", &x), 0);
}
END_TEST

START_TEST(what_printf_writes_is_read_back)
{
    uint64_t random = 7;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = mix64_next(&random) >> (i % 64);
        int64_t x, expected = (int64_t)bits == INT64_MIN ? 0 : (int64_t)bits;
        double d, number;
        snprintf(text, sizeof text, "%" PRId64, expected);
        if (read_int64(text, &x) != 1 || x != expected) ck_abort_msg("%s", text);
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number)) continue;
        snprintf(text, sizeof text, "%.17g", number);
        if (number_text_double(text, text + strlen(text), &d) != 1 || d != strtod(text, NULL))
            ck_abort_msg("%s", text);
    }
}
END_TEST

START_TEST(numbers_are_read_as_they_are_written)
{
    static const struct {
        struct grouped form;
        const char *text;
        int double_got, int64_got;
        double x;
    } each[] = {
        {{',', '.'}, " 1.234,5\t", 1, -1, 1234.5},
        {{',', '.'}, "1.234", 1, 1, 1234},
        {{',', '.'}, "1.5", -1, -1, 0},
        {{',', '\0'}, "1,5", 1, -1, 1.5},
        {{',', '\0'}, "1.234", -1, -1, 0},
        {{',', ' '}, "1 234", 1, 1, 1234},
        {{',', '.'}, "nan", -1, -1, 0},
        {{',', '.'}, " ", 0, 0, 0},
        {{'\0', '\0'}, "1.5", 1, -1, 1.5},
        {{'.', '\0'}, "1.5", 1, -1, 1.5},
        {{GROUPED_UNSURE, '\0'}, "1.5", -1, -1, 0},
        {{GROUPED_UNSURE, '\0'}, "1,5", -1, -1, 0},
        {{GROUPED_UNSURE, '\0'}, "-17", 1, 1, -17},
        {{GROUPED_UNSURE, '\0'},
         "1\x7f"
         "5",
         -1,
         -1,
         0},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        const char *p = each[i].text, *end = p + strlen(p);
        double x;
        int64_t whole;
        ck_assert_int_eq(number_text_double_as(&each[i].form, p, end, &x), each[i].double_got);
        ck_assert_int_eq(number_text_int64_as(&each[i].form, p, end, &whole), each[i].int64_got);
        if (each[i].double_got > 0) ck_assert_double_eq(x, each[i].x);
        if (each[i].int64_got > 0) ck_assert_int_eq(whole, (int64_t)each[i].x);
    }
}
END_TEST

LEAT_SUITE("number_text", numbers_are_read_as_they_are_written, whole_numbers_of_64_bits_are_exact,
           other_writings_are_read_exactly, what_is_no_whole_number_is_refused,
           what_printf_writes_is_read_back)
