/* test_fit.c -- fit.h: each value in each type, limits, and decimals against 128-bit integers. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/fit_values.h"
#include "support/random.h"
#include "support/suite.h"

static const struct fit_column plain = {.name = "c"};
static const struct fit_column german = {.name = "c", .form = {',', '.'}};

#define INTEGER(V, MIN, MAX) fit_integer(&plain, &(V), MIN, MAX, &x)

START_TEST(whole_numbers_fit_exactly_or_not_at_all)
{
    int64_t x = -7;
    ck_assert_int_eq(INTEGER(INT(INT64_MAX), INT64_MIN, INT64_MAX), FIT_OK);
    ck_assert_int_eq(x, INT64_MAX);
    ck_assert_int_eq(INTEGER(NUM(-3.0), -3, 3), FIT_OK);
    ck_assert_int_eq(x, -3);
    ck_assert_int_eq(INTEGER(TXT(" 12 "), 0, 12), FIT_OK);
    ck_assert_int_eq(x, 12);
    ck_assert_int_eq(INTEGER(TXT("2e3"), 0, 5000), FIT_OK);
    ck_assert_int_eq(x, 2000);
    ck_assert_int_eq(fit_integer(&german, &TXT("1.234"), 0, 5000, &x), FIT_OK);
    ck_assert_int_eq(x, 1234);
    ck_assert_int_eq(INTEGER(INT(13), 0, 12), FIT_RANGE);
    ck_assert_int_eq(INTEGER(TXT("-1"), 0, 12), FIT_RANGE);
    ck_assert_int_eq(INTEGER(TXT("99999999999999999999"), INT64_MIN, INT64_MAX), FIT_RANGE);
    ck_assert_int_eq(INTEGER(NUM(0x1p60), INT64_MIN, INT64_MAX), FIT_RANGE);
    ck_assert_int_eq(INTEGER(NUM(0.5), 0, 12), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(TXT("1.5"), 0, 12), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(TXT("9007199254740992.5"), 0, INT64_MAX), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(TXT("1.00000000000000000001"), 0, 12), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(TXT("1e-400"), 0, 12), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(TXT("x"), 0, 12), FIT_NO_INTEGER);
    ck_assert_int_eq(INTEGER(NUM(INFINITY), 0, 12), FIT_NOT_FINITE);
    ck_assert_int_eq(INTEGER(TXT(" "), 0, 12), FIT_NO_VALUE);
    ck_assert_int_eq(INTEGER(NIL, 0, 12), FIT_NO_VALUE);
    ck_assert_int_eq(x, 1234); /* a fault sets nothing */
}
END_TEST

START_TEST(numbers_are_not_rounded_but_for_floats)
{
    double x = -7;
    ck_assert_int_eq(fit_real(&plain, &INT(INT64_C(1) << 53), false, &x), FIT_OK);
    ck_assert_double_eq(x, 0x1p53);
    ck_assert_int_eq(fit_real(&plain, &INT((INT64_C(1) << 53) + 1), false, &x), FIT_INEXACT);
    ck_assert_int_eq(fit_real(&plain, &INT(INT64_MAX), false, &x), FIT_INEXACT);
    ck_assert_int_eq(fit_real(&plain, &INT(-INT64_MAX - 1), false, &x), FIT_OK);
    ck_assert_int_eq(fit_real(&plain, &INT((1 << 24) + 1), true, &x), FIT_INEXACT);
    ck_assert_int_eq(fit_real(&plain, &INT((1 << 24) + 2), true, &x), FIT_OK);
    ck_assert_int_eq(fit_real(&plain, &NUM(0.1), true, &x), FIT_OK);
    ck_assert_int_eq(fit_real(&plain, &NUM(FLT_MAX), true, &x), FIT_OK);
    ck_assert_int_eq(fit_real(&plain, &NUM(1e39), true, &x), FIT_RANGE);
    ck_assert_int_eq(fit_real(&plain, &NUM(-INFINITY), true, &x), FIT_OK);
    ck_assert(isinf(x));
    ck_assert_int_eq(fit_real(&german, &TXT("1.234,5"), false, &x), FIT_OK);
    ck_assert_double_eq(x, 1234.5);
    ck_assert_int_eq(fit_real(&plain, &TXT("9007199254740993"), false, &x), FIT_INEXACT);
    ck_assert_int_eq(fit_real(&plain, &TXT("1.2345678901234567e+17"), false, &x), FIT_OK);
    ck_assert_int_eq(fit_real(&plain, &TXT("nan"), false, &x), FIT_NO_NUMBER);
    ck_assert_int_eq(fit_real(&plain, &TXT("1e999"), false, &x), FIT_NO_NUMBER);
    ck_assert_int_eq(fit_real(&plain, &TXT(""), false, &x), FIT_NO_VALUE);
}
END_TEST

START_TEST(booleans_are_words_or_0_and_1)
{
    bool x = false;
    ck_assert(fit_boolean(&YES(1), &x) == FIT_OK && x);
    ck_assert(fit_boolean(&TXT("false"), &x) == FIT_OK && !x);
    ck_assert(fit_boolean(&TXT("true"), &x) == FIT_OK && x);
    ck_assert(fit_boolean(&INT(0), &x) == FIT_OK && !x);
    ck_assert(fit_boolean(&NUM(1), &x) == FIT_OK && x);
    ck_assert_int_eq(fit_boolean(&TXT("True"), &x), FIT_NO_BOOLEAN);
    ck_assert_int_eq(fit_boolean(&INT(2), &x), FIT_NO_BOOLEAN);
    ck_assert_int_eq(fit_boolean(&NIL, &x), FIT_NO_VALUE);
}
END_TEST

static const char *text_of(struct fit_value v)
{
    static char made[FIT_TEXT_BYTES], text[64];
    struct fit_slice s;
    ck_assert_int_eq(fit_text(&v, true, made, &s), FIT_OK);
    sprintf(text, "%.*s", (int)s.n, s.at);
    return text;
}

START_TEST(texts_are_what_sinks_write)
{
    struct fit_slice s;
    char made[FIT_TEXT_BYTES];
    ck_assert_str_eq(text_of(YES(0)), "false");
    ck_assert_str_eq(text_of(INT(INT64_MIN + 1)), "-9223372036854775807");
    ck_assert_str_eq(text_of(NUM(0.1)), "0.1");
    ck_assert_str_eq(text_of(AT(INT64_C(1709251199999000000))), "2024-02-29T23:59:59.999Z");
    ck_assert_str_eq(text_of(TXT("")), "");
    ck_assert_int_eq(fit_text(&RAW("\xff"), true, made, &s), FIT_NO_UTF8);
    ck_assert_int_eq(fit_text(&RAW("\xff"), false, made, &s), FIT_OK);
}
END_TEST

/* ---- times ---- */

static void time_is(const char *text, enum fit_clock clock, uint32_t digits, int64_t want)
{
    int64_t x = -1;
    struct fit_value v = {FIT_TEXT, (uint32_t)strlen(text), {.text = text}};
    enum fit_fault fault = fit_time(&plain, &v, clock, digits, INT64_MAX, &x);
    ck_assert_msg(fault == FIT_OK && x == want, "%s: fault %d, %" PRId64, text, fault, x);
}

START_TEST(times_are_units_since_1970)
{
    static const char *const wrong[] = {
        "2023-02-29",         "2024-13-01",           "24:00",
        "2024-01-01T24:00",   "2024-01-01T",          "2024-01-01T12:00:60",
        "2024-01-01T12:00+2", "2024-01-01T12:00:00.", "2024-1-1",
        "yesterday"};
    int64_t x;
    time_is("2024-02-29T23:59:59.999Z", FIT_INSTANT, 3, INT64_C(1709251199999));
    time_is("2024-02-29 23:59:59.999999999", FIT_INSTANT, 6, INT64_C(1709251199999999));
    time_is("2024-02-29T23:59+02:00", FIT_INSTANT, 3, INT64_C(1709243940000));
    time_is("1969-12-31T23:59:59.5Z", FIT_INSTANT, 3, -500);
    time_is("0001-01-01", FIT_INSTANT, 3, INT64_C(-62135596800000));
    time_is("9999-12-31T23:59:59.999Z", FIT_INSTANT, 6, INT64_C(253402300799999000));
    time_is("2024-02-29T23:59:59", FIT_LOCAL, 3, INT64_C(1709251199000));
    time_is("23:59:59.123456789", FIT_OF_DAY, 6, INT64_C(86399123456));
    ck_assert_int_eq(fit_time(&plain, &TXT("9999-01-01"), FIT_INSTANT, 9, INT64_MAX, &x),
                     FIT_NO_TIME);
    ck_assert_int_eq(fit_time(&plain, &TXT("2024-01-01T00:00Z"), FIT_LOCAL, 3, INT64_MAX, &x),
                     FIT_NO_TIME);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fit_value v = {FIT_TEXT, (uint32_t)strlen(wrong[i]), {.text = wrong[i]}};
        ck_assert_msg(fit_time(&plain, &v, FIT_INSTANT, 3, INT64_MAX, &x) == FIT_NO_TIME, "%s",
                      wrong[i]);
    }
    ck_assert_int_eq(fit_time(&plain, &AT(-1), FIT_INSTANT, 3, INT64_MAX, &x), FIT_OK);
    ck_assert_int_eq(x, -1); /* down, not to 0 */
    ck_assert_int_eq(fit_time(&plain, &INT(5), FIT_INSTANT, 3, INT64_MAX, &x), FIT_OK);
    ck_assert_int_eq(x, 5);
    for (uint32_t digits = 3; digits <= 9; digits += 3) { /* a time of day is within a day */
        int64_t day = 86400;
        for (uint32_t i = 0; i < digits; i++)
            day *= 10;
        ck_assert_int_eq(fit_time(&plain, &INT(day - 1), FIT_OF_DAY, digits, INT64_MAX, &x), 0);
        ck_assert_int_eq(fit_time(&plain, &INT(day), FIT_OF_DAY, digits, INT64_MAX, &x), FIT_RANGE);
        ck_assert_int_eq(fit_time(&plain, &INT(-1), FIT_OF_DAY, digits, INT64_MAX, &x), FIT_RANGE);
    }
}
END_TEST

/* Instants against the sum of days that a loop over the calendar makes. */
START_TEST(instants_are_exact_from_year_1_to_9999)
{
    int64_t days = -719162, second;
    int32_t ns;
    for (int year = 1; year <= 9999; year++) {
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        char text[64];
        snprintf(text, sizeof text, "%04d-01-01T00:00:00.000000001Z", year);
        struct fit_value v = {FIT_TEXT, (uint32_t)strlen(text), {.text = text}};
        ck_assert_int_eq(fit_instant(&plain, &v, &second, &ns), FIT_OK);
        ck_assert_msg(second == 86400 * days && ns == 1, "%s", text);
        days += leap ? 366 : 365;
    }
    ck_assert_int_eq(fit_instant(&plain, &TXT("9999-12-31T23:59:59.999999999Z"), &second, &ns), 0);
    ck_assert(second == 86400 * days - 1 && ns == 999999999);
    ck_assert_int_eq(fit_instant(&plain, &TXT("0000-12-31"), &second, &ns), FIT_NO_TIME);
    ck_assert_int_eq(fit_instant(&plain, &TXT("0001-01-01T00:00+01:00"), &second, &ns),
                     FIT_NO_TIME);
    ck_assert_int_eq(fit_instant(&plain, &TXT("9999-12-31T23:59-01:00"), &second, &ns),
                     FIT_NO_TIME);
    ck_assert_int_eq(fit_instant(&plain, &AT(-1), &second, &ns), FIT_OK);
    ck_assert(second == -1 && ns == 999999999);
    ck_assert_int_eq(fit_instant(&plain, &INT(-1), &second, &ns), FIT_OK);
    ck_assert(second == -1 && ns == 999999999);
}
END_TEST

START_TEST(a_uuid_has_the_form_of_its_standard)
{
    static const char *const wrong[] = {
        "f81d4fae7dec11d0a76500a0c91e6bf6",     "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "f81d4faea7dec-11d0-a765-00a0c91e6bf6", ""};
    ck_assert(fit_is_uuid("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", 36));
    ck_assert(fit_is_uuid("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", 36));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!fit_is_uuid(wrong[i], strlen(wrong[i])), "%s", wrong[i]);
}
END_TEST

START_TEST(dates_are_days_since_1970)
{
    int64_t x;
    ck_assert_int_eq(fit_date(&plain, &TXT("1969-12-31"), &x), FIT_OK);
    ck_assert_int_eq(x, -1);
    ck_assert_int_eq(fit_date(&plain, &AT(-1), &x), FIT_OK);
    ck_assert_int_eq(x, -1);
    ck_assert_int_eq(fit_date(&plain, &NUM(19782), &x), FIT_OK);
    ck_assert_int_eq(x, 19782);
    ck_assert_int_eq(fit_date(&plain, &TXT("2024-02-29T00:00"), &x), FIT_NO_TIME);
    ck_assert_int_eq(fit_date(&plain, &INT(INT64_C(1) << 40), &x), FIT_RANGE);
}
END_TEST

/* ---- decimals ---- */

__extension__ typedef __int128 wide;

static wide integer_of(const uint8_t bytes[FIT_DECIMAL_BYTES])
{
    wide x = (int8_t)bytes[0];
    for (int i = 1; i < FIT_DECIMAL_BYTES; i++)
        x = x * 256 + bytes[i];
    return x;
}

static void decimal_is(const struct fit_column *c, struct fit_value v, uint32_t precision,
                       uint32_t scale, long long want)
{
    uint8_t bytes[FIT_DECIMAL_BYTES];
    enum fit_fault fault = fit_decimal(c, &v, precision, scale, bytes);
    ck_assert_msg(fault == FIT_OK, "%lld: fault %d", want, fault);
    ck_assert_msg(integer_of(bytes) == want, "%lld: %lld", want, (long long)integer_of(bytes));
}

static enum fit_fault decimal_fault(struct fit_value v, uint32_t precision, uint32_t scale)
{
    uint8_t bytes[FIT_DECIMAL_BYTES];
    return fit_decimal(&plain, &v, precision, scale, bytes);
}

START_TEST(decimals_keep_all_digits)
{
    decimal_is(&plain, TXT("12.5"), 4, 2, 1250);
    decimal_is(&plain, TXT(" -0.05 "), 20, 2, -5);
    decimal_is(&plain, TXT("+7"), 1, 0, 7);
    decimal_is(&plain, TXT("7."), 2, 1, 70);
    decimal_is(&plain, TXT(".5"), 2, 1, 5);
    decimal_is(&plain, TXT("1.5000"), 2, 1, 15);
    decimal_is(&plain, TXT("0"), 1, 0, 0);
    decimal_is(&plain, TXT("-0.000"), 1, 0, 0);
    decimal_is(&plain, TXT("1.25e1"), 4, 1, 125);
    decimal_is(&plain, TXT("125e-1"), 4, 1, 125);
    decimal_is(&german, TXT("1.234,5"), 6, 2, 123450);
    decimal_is(&plain, INT(-42), 4, 2, -4200);
    decimal_is(&plain, NUM(0.1), 4, 2, 10);
    decimal_is(&plain, NUM(1e18), 38, 0, 1000000000000000000);
    ck_assert_int_eq(decimal_fault(TXT("12.505"), 9, 2), FIT_PLACES);
    ck_assert_int_eq(decimal_fault(TXT("1e-9"), 9, 2), FIT_PLACES);
    ck_assert_int_eq(decimal_fault(TXT("1000"), 5, 2), FIT_RANGE);
    ck_assert_int_eq(decimal_fault(TXT("100000000000000000000000000000000000000"), 38, 0),
                     FIT_RANGE);
    ck_assert_int_eq(decimal_fault(TXT("1e300"), 38, 0), FIT_RANGE);
    ck_assert_int_eq(decimal_fault(TXT("x"), 38, 0), FIT_NO_NUMBER);
    ck_assert_int_eq(decimal_fault(TXT("0x1"), 38, 0), FIT_NO_NUMBER);
    ck_assert_int_eq(decimal_fault(TXT("1 2"), 38, 0), FIT_NO_NUMBER);
    ck_assert_int_eq(decimal_fault(TXT(""), 38, 0), FIT_NO_VALUE);
    ck_assert_int_eq(decimal_fault(NUM(INFINITY), 38, 0), FIT_NOT_FINITE);
}
END_TEST

/* Writes the digits of x with `scale` of them after a point. */
static void write_scaled(char *to, wide x, uint32_t scale)
{
    char digits[64];
    uint32_t n = 0;
    bool negative = x < 0;
    for (wide rest = negative ? -x : x; rest || n <= scale; rest /= 10)
        digits[n++] = (char)('0' + (int)(rest % 10));
    if (negative) *to++ = '-';
    while (n) {
        *to++ = digits[--n];
        if (n == scale && n) *to++ = '.';
    }
    *to = 0;
}

START_TEST(random_decimals_are_their_integers)
{
    uint64_t seed = seed_given();
    for (int round = 0; round < 20000; round++) {
        char text[80];
        uint8_t bytes[FIT_DECIMAL_BYTES];
        uint32_t digits = 1 + below(&seed, FIT_DECIMAL_DIGITS), scale = below(&seed, digits + 1);
        wide x = 0;
        for (uint32_t i = 0; i < digits; i++)
            x = x * 10 + below(&seed, 10);
        if (below(&seed, 2)) x = -x;
        write_scaled(text, x, scale);
        struct fit_value v = {FIT_TEXT, (uint32_t)strlen(text), {.text = text}};
        enum fit_fault fault = fit_decimal(&plain, &v, digits, scale, bytes);
        ck_assert_msg(fault == FIT_OK && integer_of(bytes) == x, "SEED=%" PRIu64 ": %s, %u digits",
                      seed_given(), text, digits);
    }
}
END_TEST

/* ---- messages ---- */

START_TEST(a_message_names_field_column_and_value)
{
    char text[600];
    const struct fit_column c = {.name = "amount"};
    const struct fit_place place = {"pay.amount", "int", 0};
    fit_describe(FIT_NO_INTEGER, &c, &TXT("1.5"), &place, text, sizeof text);
    ck_assert_str_eq(text, "field 'pay.amount' (int): column 'amount' has '1.5', which is not a "
                           "whole number");
    fit_describe(FIT_NO_VALUE, &c, &NIL, &place, text, sizeof text);
    ck_assert_str_eq(text, "field 'pay.amount' (int) needs a value, and column 'amount' has none");
    fit_describe(FIT_NO_SYMBOL, &c, &TXT("123456789012345678901234567890123456789\xc3\xbc"), &place,
                 text, sizeof text);
    ck_assert_str_eq(text, "field 'pay.amount' (int): column 'amount' has "
                           "'123456789012345678901234567890123456789…', which is not one of its "
                           "values");
}
END_TEST

LEAT_SUITE("fit", whole_numbers_fit_exactly_or_not_at_all, numbers_are_not_rounded_but_for_floats,
           booleans_are_words_or_0_and_1, texts_are_what_sinks_write, times_are_units_since_1970,
           instants_are_exact_from_year_1_to_9999, a_uuid_has_the_form_of_its_standard,
           dates_are_days_since_1970, decimals_keep_all_digits, random_decimals_are_their_integers,
           a_message_names_field_column_and_value)
