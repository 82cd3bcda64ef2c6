/* test_grouped.c -- numbers with thousands marks, against a printer of such numbers. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "core/text/grouped.h"
#include "kernels/text/decimal.h"

static const struct grouped german = {',', '.'}, french = {',', ' '}, swiss = {'.', '\''},
                            english = {'.', ','}, comma = {',', '\0'};

/* Returns the number as text; "-" if the text is not a number. */
static const char *read_as(struct grouped g, const char *text)
{
    static char out[64];
    char plain[GROUPED_MAX];
    double v;
    size_t n = grouped_plain(&g, text, strlen(text), plain);
    if (!n || decimal_whole(plain, plain + n, &v) != DECIMAL_OK) return "-";
    snprintf(out, sizeof out, "%.10g", v);
    return out;
}

START_TEST(numbers_of_each_country_are_read)
{
    ck_assert_str_eq(read_as(german, "1.188,02"), "1188.02");
    ck_assert_str_eq(read_as(german, "-1.234.567,5"), "-1234567.5");
    ck_assert_str_eq(read_as(german, "1188,02"), "1188.02");
    ck_assert_str_eq(read_as(german, "12"), "12");
    ck_assert_str_eq(read_as(german, ",5"), "0.5");
    ck_assert_str_eq(read_as(german, "1,5e3"), "1500");
    ck_assert_str_eq(read_as(french, "1 188,02"), "1188.02");
    ck_assert_str_eq(read_as(french, "1\xc2\xa0"
                                     "188,02"),
                     "1188.02");
    ck_assert_str_eq(read_as(french, "1\xe2\x80\xaf"
                                     "188"),
                     "1188");
    ck_assert_str_eq(read_as(swiss, "1'188.02"), "1188.02");
    ck_assert_str_eq(read_as(swiss, "1\xe2\x80\x99"
                                    "188"),
                     "1188");
    ck_assert_str_eq(read_as(english, "1,188.02"), "1188.02");
    ck_assert_str_eq(read_as(comma, "+0,25"), "0.25");
}
END_TEST

START_TEST(a_separator_elsewhere_makes_it_no_number)
{
    static const char *const wrong[] = {
        "1.5",    "1.18",    "1188.020", ".123",   "1.188.02", "1..188", "1.188.",
        "1,5,5",  "1,188.0", ",",        ".",      "",         "-",      "0.001",
        "00.123", "1.000e3", "1,5e",     "1,5e.5", "e5",       "12 345", "1,5 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!strcmp(read_as(german, wrong[i]), "-"), "%s is %s", wrong[i],
                      read_as(german, wrong[i]));
    ck_assert_str_eq(read_as(comma, "1.188"), "-");
}
END_TEST

static void print_grouped(struct grouped g, uint64_t whole, unsigned cents, char *out)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)whole);
    for (int i = 0; i < n; i++) {
        *out++ = digits[i];
        if ((n - i) % 3 == 1 && i + 1 < n) *out++ = g.thousands;
    }
    sprintf(out, "%c%02u", g.decimal, cents);
}

START_TEST(what_is_printed_is_read_back)
{
    static const struct grouped all[] = {{',', '.'}, {',', ' '}, {'.', '\''}, {'.', ','}};
    uint64_t state = 9;
    for (int i = 0; i < 20000; i++) {
        struct grouped g = all[i % 4];
        uint64_t whole = mix64_next(&state) >> (20 + mix64_next(&state) % 44);
        unsigned cents = (unsigned)(mix64_next(&state) % 100);
        char text[64], plain[64], got[GROUPED_MAX];
        print_grouped(g, whole, cents, text);
        snprintf(plain, sizeof plain, "%llu.%02u", (unsigned long long)whole, cents);
        size_t n = grouped_plain(&g, text, strlen(text), got);
        ck_assert_uint_eq(n, strlen(plain));
        ck_assert(!memcmp(got, plain, n));
    }
}
END_TEST

LEAT_SUITE("grouped", numbers_of_each_country_are_read, a_separator_elsewhere_makes_it_no_number,
           what_is_printed_is_read_back)
