/* test_decimal.c -- decimal.h against strtod: the number to the bit, and the place where it stops.
 *
 * Tests run in the C locale, where strtod is right by definition. strtod accepts more (blanks,
 * hexadecimal, "inf"); a list has these. SEED=… replays other random numbers; a failure shows the
 * text. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/text/decimal.h"
#include "support/suite.h"
#include "support/random.h"

static uint64_t state;

static uint64_t bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* Calls decimal_parse on `text` at the end of a heap block, to catch reads past it. */
static enum decimal_status parse(const char *text, double *value, size_t *stop)
{
    size_t n = strlen(text);
    char *block = malloc(n ? n : 1);
    const char *end;
    memcpy(block, text, n);
    enum decimal_status s = decimal_parse(block, block + n, value, &end);
    *stop = (size_t)(end - block);
    free(block);
    return s;
}

static void agree(const char *text)
{
    double value = -7;
    size_t stop;
    char *end;
    enum decimal_status s = parse(text, &value, &stop);
    double expect = strtod(text, &end);
    ck_assert_msg(stop == (size_t)(end - text), "'%.60s': stops at %zu, strtod at %td", text, stop,
                  end - text);
    if (end == text)
        ck_assert_msg(s == DECIMAL_NONE, "'%.60s' is no number", text);
    else if (isinf(expect))
        ck_assert_msg(s == DECIMAL_NONFINITE, "'%.60s' overflows", text);
    else
        ck_assert_msg(s == DECIMAL_OK && bits(value) == bits(expect), "'%.60s': %a, strtod %a",
                      text, value, expect);
}

static size_t put_digits(char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = (char)('0' + below(&state, 10));
    return n;
}

/* Writes a number of a random shape, with lengths near those at which code paths change. */
static void random_text(char *out)
{
    static const unsigned lengths[] = {0, 1,  2,  3,  4,  5,  6,  7,  8,
                                       9, 12, 15, 16, 17, 18, 19, 20, 25};
    unsigned kinds = sizeof lengths / sizeof *lengths;
    if (below(&state, 3) == 0) *out++ = "+-"[below(&state, 2)];
    out += put_digits(out, lengths[below(&state, kinds)]);
    if (below(&state, 4)) {
        *out++ = '.';
        out += put_digits(out, lengths[below(&state, kinds)]);
    }
    if (below(&state, 3) == 0) {
        *out++ = "eE"[below(&state, 2)];
        if (below(&state, 2)) *out++ = "+-"[below(&state, 2)];
        out += put_digits(out, below(&state, 4));
    }
    static const char *const tails[] = {"", "", " ", "x", ".", ",5", "e", "-", "#", ":1", "1.5"};
    strcpy(out, tails[below(&state, sizeof tails / sizeof *tails)]);
}

START_TEST(random_decimals_equal_strtod_to_the_bit)
{
    char text[128];
    state = seed_given();
    for (int i = 0; i < 200000; i++) {
        random_text(text);
        agree(text);
    }
}
END_TEST

START_TEST(printed_doubles_of_any_magnitude_and_precision_read_back)
{
    char text[1200];
    state = seed_given();
    for (int i = 0; i < 100000; i++) {
        uint64_t b = mix64_next(&state);
        double v;
        memcpy(&v, &b, sizeof v);
        if (!isfinite(v)) continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)below(&state, i % 100 ? 19 : 800), v);
        agree(text);
        double value;
        size_t stop;
        snprintf(text, sizeof text, "%.17g", v);
        ck_assert_int_eq(parse(text, &value, &stop), DECIMAL_OK);
        ck_assert_msg(bits(value) == b, "%s", text);
    }
}
END_TEST

/* The exact middle between two doubles, and the nearest texts on both sides. */
static void agree_around_middle(double v)
{
    static char text[2400];
    long double middle = ((long double)v + nextafter(v, INFINITY)) / 2;
    snprintf(text, sizeof text, "%.1100Lf", middle);
    agree(text);
    size_t n = strlen(text);
    strcpy(text + n, "1");
    agree(text);
    for (n--; text[n] == '0' || text[n] == '.'; n--)
        ;
    text[n]--; /* the last digit that is not 0 */
    memset(text + n + 1, '9', 1);
    agree(text);
}

START_TEST(ties_go_to_even_and_their_neighbours_to_their_own_side)
{
#if LDBL_MANT_DIG >= 64
    state = seed_given();
    for (int i = 0; i < 400; i++) {
        double v = ldexp((double)(mix64_next(&state) >> 11 | UINT64_C(1) << 52),
                         (int)below(&state, 400) - 252);
        agree_around_middle(v);
    }
    for (int i = 0; i < 50; i++)
        agree_around_middle(ldexp((double)(1 + below(&state, 1000)), -1074));
    agree_around_middle(0x1p-1022);
    agree_around_middle(0x1.fffffffffffffp-1023 * 0.5);
    agree_around_middle(1);
    agree_around_middle(0x1p53);
#endif
    agree("9007199254740993"); /* 2^53 + 1: a tie, below it */
    agree("9007199254740995");
    agree("9007199254740993.00000000000000000000000000000000000001");
    agree("2.2250738585072012e-308");
    agree("1.7976931348623158079372897140530341507993e308"); /* last to round down */
    agree("1.7976931348623158079372897140530341507994e308");
    agree("2.4703282292062327208e-324"); /* half the smallest */
    agree("2.4703282292062328e-324");
}
END_TEST

START_TEST(adversarial_texts_equal_strtod)
{
    static const char *const texts[] = {"",
                                        "+",
                                        "-",
                                        ".",
                                        "+.",
                                        "-.",
                                        "e",
                                        "e5",
                                        ".e5",
                                        "+e1",
                                        "--1",
                                        "+-1",
                                        "1",
                                        "-0",
                                        "+0",
                                        "0",
                                        "-0.0",
                                        "0e0",
                                        "0e999999999999999999999",
                                        "-0e-99999999999999999999",
                                        ".5",
                                        "+.5",
                                        "-.5",
                                        "5.",
                                        "5.e",
                                        "5.e1",
                                        "1e",
                                        "1e+",
                                        "1e-",
                                        "1e+x",
                                        "1e5",
                                        "1E5",
                                        "1e+05",
                                        "1.e-5",
                                        "1e308",
                                        "1.8e308",
                                        "1e309",
                                        "-1e309",
                                        "1e400",
                                        "1e-308",
                                        "4.9e-324",
                                        "5e-324",
                                        "2e-324",
                                        "1e-324",
                                        "1e-400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "00000000000000000000000000000000000001",
                                        "0.00000000000000000000000000000000000000000001",
                                        "100000000000000000000000000000000000000000",
                                        "1.0000000000000000000000000000000000000000000",
                                        "12345678",
                                        "123456789",
                                        "1234567.8",
                                        "12345678.12345678",
                                        "1234567890123456789",
                                        "9999999999999999999",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "0.1",
                                        "0.3",
                                        "1.5",
                                        "3.14159265358979",
                                        "0.1234567890123456789",
                                        ".1234567890123456789",
                                        "123456789012345678.9",
                                        "9007199254740992e22",
                                        "9007199254740991e22",
                                        "9007199254740991e-22",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "8.5e-19",
                                        "1.2.3",
                                        "1,5",
                                        "1_000",
                                        "12:3",
                                        "1e5.5",
                                        "0000000000000000000000000.5",
                                        "1e0000000000000000000000000000000000001",
                                        "/",
                                        ":",
                                        "1/2",
                                        "1:2",
                                        "123456789/",
                                        "\x80",
                                        "1\x80",
                                        "12345678\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        agree(texts[i]);
}
END_TEST

START_TEST(numbers_of_thousands_of_digits_are_exact)
{
    static char text[250000];
    for (unsigned n = 1; n <= 3000; n = n * 2 + 1) {
        memset(text, '9', n);
        text[n] = 0;
        agree(text);
        memcpy(text + n, "e-400", 6);
        agree(text);
        memcpy(text, "0.", 2);
        memset(text + 2, '0', n);
        memcpy(text + 2 + n, "123e330", 8);
        agree(text);
    }
    /* A tie that is broken only by its last digit, far behind the 800th. */
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', 5000);
    strcpy(text + 5017, "1");
    agree(text);
    strcpy(text + 5017, "0");
    agree(text);
    /* Two hundred thousand zeros, and the exponent that cancels them. */
    strcpy(text, "0.");
    memset(text + 2, '0', 200000);
    strcpy(text + 200002, "15e200001");
    agree(text);
    text[0] = '7';
    memset(text + 1, '0', 200000);
    strcpy(text + 200001, "e-200000");
    agree(text);
}
END_TEST

START_TEST(scaling_any_64_bit_integer_is_correctly_rounded)
{
    char text[64];
    state = seed_given();
    for (int i = 0; i < 60000; i++) {
        uint64_t m = mix64_next(&state) >> below(&state, 64);
        int e = (int)below(&state, 39) - 19;
        snprintf(text, sizeof text, "%" PRIu64 "e%d", m, e);
        ck_assert_msg(bits(decimal_scale(m, e)) == bits(strtod(text, NULL)), "%s", text);
    }
    ck_assert(bits(decimal_scale(0, -19)) == 0);
    ck_assert(decimal_scale(UINT64_MAX, 19) == 18446744073709551615e19);
    ck_assert(decimal_scale(UINT64_MAX, -19) == 18446744073709551615e-19);
}
END_TEST

START_TEST(spelled_infinities_and_nans_are_told_from_what_is_no_number)
{
    static const char *const words[] = {"inf", "-inf", "+INF", "Infinity", "-infinity",
                                        "nan", "NaN",  "-nan", "NAN"};
    double value = 5;
    size_t stop;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert_int_eq(parse(words[i], &value, &stop), DECIMAL_NONFINITE);
        ck_assert_uint_eq(stop, strlen(words[i]));
        ck_assert(value == 5);
        ck_assert_int_eq(decimal_whole(words[i], words[i] + stop, &value), DECIMAL_NONFINITE);
    }
    ck_assert_int_eq(parse("info", &value, &stop), DECIMAL_NONFINITE);
    ck_assert_uint_eq(stop, 3);
    static const char *const none[] = {"in", "na", "x", "i", "-", "+n", " 1", "\t1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ck_assert_int_eq(parse(none[i], &value, &stop), DECIMAL_NONE);
        ck_assert_uint_eq(stop, 0);
    }
}
END_TEST

START_TEST(hexadecimal_is_a_zero_and_an_x)
{
    double value;
    size_t stop;
    ck_assert_int_eq(parse("0x1p4", &value, &stop), DECIMAL_OK);
    ck_assert(value == 0 && stop == 1);
    static const char hex[] = "0x10";
    ck_assert_int_eq(decimal_whole(hex, hex + 4, &value), DECIMAL_NONE);
}
END_TEST

START_TEST(whole_refuses_what_stands_around_a_number)
{
    static const struct {
        const char *text;
        enum decimal_status expect;
    } cases[] = {{"1.5", DECIMAL_OK},      {"", DECIMAL_NONE},     {"1.5 ", DECIMAL_NONE},
                 {" 1.5", DECIMAL_NONE},   {"1e", DECIMAL_NONE},   {"1e999", DECIMAL_NONFINITE},
                 {"1e999x", DECIMAL_NONE}, {"nano", DECIMAL_NONE}, {"-.5e-3", DECIMAL_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 7;
        const char *t = cases[i].text;
        ck_assert_msg(decimal_whole(t, t + strlen(t), &value) == cases[i].expect, "'%s'", t);
        ck_assert_msg(value == (cases[i].expect == DECIMAL_OK ? strtod(t, NULL) : 7), "'%s'", t);
    }
}
END_TEST

static enum decimal_status as_float(const char *text, float *value)
{
    const char *stop;
    return decimal_parse_float(text, text + strlen(text), value, &stop);
}

START_TEST(floats_are_the_rounded_double_and_never_infinite)
{
    float value;
    char text[64];
    state = seed_given();
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "%.*ge%d", 1 + (int)below(&state, 17),
                 (double)mix64_next(&state) / 1e19, (int)below(&state, 76) - 38);
        float expect = (float)strtod(text, NULL);
        if (as_float(text, &value) == DECIMAL_OK)
            ck_assert_msg(value == expect, "%s", text);
        else
            ck_assert_msg(isinf(expect), "%s", text);
    }
    ck_assert(as_float("3.4028234663852886e38", &value) == DECIMAL_OK && value == FLT_MAX);
    ck_assert(as_float("3.4028235677973361e38", &value) == DECIMAL_OK && value == FLT_MAX);
    ck_assert_int_eq(as_float("3.4028235677973367e38", &value),
                     DECIMAL_NONFINITE); /* rounds to 2^128 */
    ck_assert_int_eq(as_float("-3.5e38", &value), DECIMAL_NONFINITE);
    ck_assert(as_float("1e-60", &value) == DECIMAL_OK && value == 0);
}
END_TEST

START_TEST(integers_are_taken_up_to_64_bits_and_no_further)
{
    static const struct {
        const char *text;
        uint64_t value;
        int stop; /* -1: refused */
    } cases[] = {{"0", 0, 1},
                 {"7:1", 7, 1},
                 {"12345678", 12345678, 8},
                 {"123456789 ", 123456789, 9},
                 {"18446744073709551615", UINT64_MAX, 20},
                 {"18446744073709551616", 0, -1},
                 {"28446744073709551615", 0, -1},
                 {"99999999999999999999999", 0, -1},
                 {"000000000000000000000000000000042", 42, 33},
                 {"", 0, -1},
                 {"-1", 0, -1},
                 {"+1", 0, -1},
                 {"x", 0, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 0;
        const char *t = cases[i].text, *stop = decimal_u64(t, t + strlen(t), &value);
        ck_assert_msg(stop == (cases[i].stop < 0 ? NULL : t + cases[i].stop), "'%s'", t);
        ck_assert_msg(!stop || value == cases[i].value, "'%s'", t);
    }
}
END_TEST

START_TEST(runs_of_digits_end_at_every_byte_that_is_none)
{
    char eight[9] = "00000000";
    for (unsigned at = 0; at < 8; at++)
        for (unsigned byte = 0; byte < 256; byte++)
            for (unsigned rest = 0; rest < 256; rest += 51) {
                memset(eight, (int)rest, 8); /* later bytes must not matter */
                put_digits(eight, at);
                eight[at] = (char)byte;
                unsigned expect = 0;
                while (expect < 8 && eight[expect] >= '0' && eight[expect] <= '9')
                    expect++;
                ck_assert_uint_eq(decimal_run8(eight_bytes(eight)), expect);
            }
}
END_TEST

START_TEST(a_short_number_is_the_same_number)
{
    static const char alphabet[] = "0123456789012345678901234567890123456789.-+e \0";
    uint64_t seed = 7, taken = 0, points = 0;
    for (int round = 0; round < 200000; round++) {
        char text[20];
        const size_t n = 1 + mix64_next(&seed) % 10;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = alphabet[mix64_next(&seed) % (i ? 41 : sizeof alphabet)];
        double x = 0, y = 0;
        const bool whole = decimal_whole(text, text + n, &x) == DECIMAL_OK;
        if (!decimal_short(text, n, &y)) continue;
        taken++;
        points += memchr(text, '.', n) != NULL;
        ck_assert(whole);
        ck_assert_uint_eq(bits_of_double(x), bits_of_double(y));
    }
    ck_assert_uint_gt(taken, 100000);
    ck_assert_uint_gt(points, 10000);
}
END_TEST

LEAT_SUITE("decimal", a_short_number_is_the_same_number, random_decimals_equal_strtod_to_the_bit,
           printed_doubles_of_any_magnitude_and_precision_read_back,
           ties_go_to_even_and_their_neighbours_to_their_own_side, adversarial_texts_equal_strtod,
           numbers_of_thousands_of_digits_are_exact,
           scaling_any_64_bit_integer_is_correctly_rounded,
           spelled_infinities_and_nans_are_told_from_what_is_no_number,
           hexadecimal_is_a_zero_and_an_x, whole_refuses_what_stands_around_a_number,
           floats_are_the_rounded_double_and_never_infinite,
           integers_are_taken_up_to_64_bits_and_no_further,
           runs_of_digits_end_at_every_byte_that_is_none)
