/* test_quantity.c -- numbers with units: their values, refusals, and no overflow. */
#include "support/suite.h"

#include <math.h>
#include <string.h>

#include "host/params/quantity.h"

START_TEST(counts_have_decimal_and_binary_suffixes)
{
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {{"64K", 64000},    {"64k", 64000},    {"64Ki", 65536},
                {"2M", 2000000},   {"1Mi", 1048576},  {"3G", 3000000000},
                {"1Gi", 1 << 30},  {"2.3M", 2300000}, {"-5", -5},
                {"+5", 5},         {" 5 ", 5},        {"5 K", 5000},
                {"5.0", 5},        {"1.1K", 1100},    {"9007199254740993", 9007199254740993},
                {"0", 0},          {".5K", 500},      {"9223372036854775807", INT64_MAX},
                {"1e3K", 1000000}, {"007", 7},        {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t got = 0;
        ck_assert_msg(quantity_count(good[i].text, &got) == QUANTITY_OK, "%s", good[i].text);
        ck_assert_msg(got == good[i].want, "%s became %lld", good[i].text, (long long)got);
    }
}
END_TEST

START_TEST(sizes_count_in_1024s_and_times_in_seconds)
{
    int64_t x;
    static const char *const kilo[] = {"1K",   "1KB",   "1kb",   "1KiB", "1Ki",
                                       "1024", "1024B", "0.5KB", "1 KB"};
    for (size_t i = 0; i < sizeof kilo / sizeof *kilo; i++) {
        ck_assert_int_eq(quantity_bytes(kilo[i], &x), QUANTITY_OK);
        ck_assert_int_eq(x, strcmp(kilo[i], "0.5KB") ? 1024 : 512);
    }
    ck_assert(quantity_bytes("3MB", &x) == QUANTITY_OK && x == 3 << 20);
    ck_assert(quantity_bytes("2gib", &x) == QUANTITY_OK && x == INT64_C(2) << 30);
    ck_assert(quantity_bytes("0.3MB", &x) == QUANTITY_OK && x == 314573); /* nearest byte */
    ck_assert(quantity_bytes("1.5TB", &x) == QUANTITY_OK && x == INT64_C(3) << 39);
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {{"1", 1000000000},
                 {"0.1s", 100000000},
                 {"1us", 1000},
                 {"1µs", 1000},
                 {"7ns", 7},
                 {"250ms", 250000000},
                 {"5min", 300000000000},
                 {"2h", 7200000000000},
                 {"1d", 86400000000000},
                 {"1.5 h", 5400000000000},
                 {"1e-3", 1000000}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ck_assert_msg(quantity_ns(times[i].text, &x) == QUANTITY_OK, "%s", times[i].text);
        ck_assert_msg(x == times[i].ns, "%s became %lld", times[i].text, (long long)x);
    }
}
END_TEST

START_TEST(what_is_no_quantity_is_refused_whatever_it_resembles)
{
    static const char *const none[] = {"",      " ",   "-",        "+",    ".",       "e5",
                                       "0x10",  "inf", "nan",      "1e",   "1 2",     "--1",
                                       "1.2.3", "1,5", "KB",       "1KBB", "1e+",     "1_000",
                                       "١",     "1\n", "infinity", "-.",   "5 apples"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        int64_t x;
        double y;
        ck_assert_msg(quantity_count(none[i], &x) == QUANTITY_WRONG, "count %s", none[i]);
        ck_assert_msg(quantity_bytes(none[i], &x) == QUANTITY_WRONG, "bytes %s", none[i]);
        ck_assert_msg(quantity_ns(none[i], &x) == QUANTITY_WRONG, "ns %s", none[i]);
        ck_assert_msg(quantity_float(none[i], &y) == QUANTITY_WRONG, "float %s", none[i]);
    }
    int64_t x;
    ck_assert_int_eq(quantity_count("2.5", &x), QUANTITY_WRONG);
    ck_assert_int_eq(quantity_count("5m", &x), QUANTITY_WRONG); /* minutes? millions? */
    ck_assert_int_eq(quantity_ns("5m", &x), QUANTITY_WRONG);
    ck_assert_int_eq(quantity_bytes("-1", &x), QUANTITY_WRONG);
    ck_assert_int_eq(quantity_ns("-1s", &x), QUANTITY_WRONG);
}
END_TEST

START_TEST(numbers_beyond_64_bits_are_too_large_and_never_wrap)
{
    static const char *const large[] = {"9223372036854775808",
                                        "-9223372036854775809",
                                        "9300000000000000K",
                                        "9300000T",
                                        "9.3e6T",
                                        "1e19",
                                        "99999999999999999999999999",
                                        "1e400"};
    int64_t x;
    double y;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        ck_assert_msg(quantity_count(large[i], &x) == QUANTITY_LARGE, "count %s", large[i]);
        ck_assert_msg(quantity_bytes(large[i], &x) == QUANTITY_LARGE, "bytes %s", large[i]);
    }
    ck_assert_int_eq(quantity_bytes("8388608TB", &x), QUANTITY_LARGE); /* 2^63 */
    ck_assert_int_eq(quantity_bytes("8388607TB", &x), QUANTITY_OK);
    ck_assert_int_eq(quantity_ns("1000000d", &x), QUANTITY_LARGE);
    ck_assert_int_eq(quantity_float("1e400", &y), QUANTITY_LARGE);
    ck_assert_int_eq(quantity_float("1e-400", &y), QUANTITY_OK);
    ck_assert_int_eq(quantity_whole(INFINITY, &x), QUANTITY_LARGE);
    ck_assert_int_eq(quantity_whole(NAN, &x), QUANTITY_WRONG);
    ck_assert_int_eq(quantity_seconds(NAN, &x), QUANTITY_WRONG);
    ck_assert_int_eq(quantity_seconds(1e30, &x), QUANTITY_LARGE);
}
END_TEST

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

START_TEST(shown_quantities_read_back_as_the_same_value)
{
    uint64_t seed = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        char text[QUANTITY_TEXT];
        int64_t x = (int64_t)(next(&seed) >> (1 + next(&seed) % 63)), back = -1;
        if (i % 3 == 0) x = (x >> 12) << (next(&seed) % 12); /* multiples of units as well */
        quantity_show_bytes(x, text);
        ck_assert_msg(quantity_bytes(text, &back) == QUANTITY_OK && back == x, "%s", text);
        quantity_show_ns(x, text);
        ck_assert_msg(quantity_ns(text, &back) == QUANTITY_OK && back == x, "%s", text);
        union {
            uint64_t bits;
            double x;
        } f = {next(&seed)}, g;
        if (!isfinite(f.x)) continue;
        quantity_show_float(f.x, text);
        ck_assert_msg(quantity_float(text, &g.x) == QUANTITY_OK && g.bits == f.bits, "%s", text);
    }
}
END_TEST

LEAT_SUITE("quantity", counts_have_decimal_and_binary_suffixes,
           sizes_count_in_1024s_and_times_in_seconds,
           what_is_no_quantity_is_refused_whatever_it_resembles,
           numbers_beyond_64_bits_are_too_large_and_never_wrap,
           shown_quantities_read_back_as_the_same_value)
