/* test_convert.c -- columns converted to other types, against printf and strtod. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/flow/convert.h"
#include "support/random.h"
#include "support/suite.h"

enum { ROWS = 4, TEXT_CAP = 1024 };

struct rig {
    struct leat_batch b;
    union leat_cells column[2];
    uint64_t cell[2][ROWS];
    uint32_t sel[ROWS];
    uint8_t status[ROWS];
    char bytes[TEXT_CAP];
    char why[200];
};

static struct rig g;

static void on_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(g.why, sizeof g.why, format, args);
    va_end(args);
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[0] = (uint16_t)reason;
}

/* Fills the cells with rubbish, so that no value is there by chance. */
static void begin(uint32_t rows)
{
    static uint16_t reason[ROWS];
    g = (struct rig){.b = {.cap_bytes = TEXT_CAP, .n = ROWS, .n_sel = rows}};
    g.b.bytes = g.bytes;
    g.b.sel = g.sel;
    g.b.status = g.status;
    g.b.reason = reason;
    g.b.column = g.column;
    memset(g.cell, 0xa5, sizeof g.cell);
    for (uint32_t i = 0; i < ROWS; i++)
        g.sel[i] = i;
    for (int c = 0; c < 2; c++)
        g.column[c].int64 = (int64_t *)(void *)g.cell[c];
}

static void convert(uint32_t from, uint32_t to)
{
    static const struct leat_host host = {.size = sizeof host, .reject = on_reject};
    struct leat_ctx ctx = {.size = sizeof ctx, .host = &host};
    struct conversion c = {.from = 0, .to = 1, .from_type = from, .to_type = to, .name = "x"};
    convert_column(&ctx, &c, &g.b);
}

static void put(const char *text)
{
    uint32_t n = (uint32_t)strlen(text);
    g.column[0].text[0] = (struct leat_str){leat_add_bytes(&g.b, n), n};
    memcpy(g.bytes + g.column[0].text[0].off, text, n);
}

static const char *text_out(void)
{
    static char text[CONVERT_TEXT + 1];
    struct leat_str s = g.column[1].text[0];
    if (s.len == LEAT_NULL) return NULL;
    snprintf(text, sizeof text, "%.*s", (int)s.len, g.bytes + s.off);
    return text;
}

static const char *text_of_int64(uint32_t type, int64_t x)
{
    begin(1);
    g.column[0].int64[0] = x;
    convert(type, LEAT_TEXT);
    return text_out();
}

START_TEST(integers_are_written_in_all_their_digits)
{
    uint64_t random = 3;
    char expected[32];
    for (int i = 0; i < 100000; i++) {
        int64_t x = (int64_t)(mix64_next(&random) >> (i % 63));
        if (x == LEAT_NO_INT64) continue;
        snprintf(expected, sizeof expected, "%" PRId64, x);
        if (strcmp(text_of_int64(LEAT_INT64, x), expected)) ck_abort_msg("%s", expected);
        put(expected);
        convert(LEAT_TEXT, LEAT_INT64);
        if (g.column[1].int64[0] != x) ck_abort_msg("%s is not read back", expected);
    }
}
END_TEST

START_TEST(numbers_are_written_as_they_read_back)
{
    uint64_t random = 5;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = mix64_next(&random);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        begin(1);
        g.column[0].number[0] = x;
        convert(LEAT_NUMBER, LEAT_TEXT);
        if (strtod(text_out(), NULL) != x) ck_abort_msg("%s is not %.17g", text_out(), x);
        put(text_out());
        convert(LEAT_TEXT, LEAT_NUMBER);
        if (g.column[1].number[0] != x) ck_abort_msg("%.17g is not read back", x);
    }
}
END_TEST

START_TEST(booleans_are_words_or_0_and_1)
{
    for (uint8_t x = 0; x < 2; x++) {
        begin(1);
        g.column[0].boolean[0] = x;
        convert(LEAT_BOOLEAN, LEAT_TEXT);
        ck_assert_str_eq(text_out(), x ? "true" : "false");
        convert(LEAT_BOOLEAN, LEAT_NUMBER);
        ck_assert_double_eq(g.column[1].number[0], x);
        convert(LEAT_BOOLEAN, LEAT_INT64);
        ck_assert_int_eq(g.column[1].int64[0], x);
    }
}
END_TEST

START_TEST(times_are_iso_8601_or_ns_or_seconds)
{
    ck_assert_str_eq(text_of_int64(LEAT_TIME, 0), "1970-01-01T00:00:00Z");
    ck_assert_str_eq(text_of_int64(LEAT_TIME, INT64_C(1709210096789000000)),
                     "2024-02-29T12:34:56.789Z");
    ck_assert_str_eq(text_of_int64(LEAT_TIME, -1000000000), "1969-12-31T23:59:59Z");
    begin(1);
    g.column[0].int64[0] = INT64_C(1500000000);
    convert(LEAT_TIME, LEAT_NUMBER);
    ck_assert_double_eq(g.column[1].number[0], 1.5);
    convert(LEAT_TIME, LEAT_INT64);
    ck_assert_int_eq(g.column[1].int64[0], INT64_C(1500000000));
}
END_TEST

START_TEST(integers_beyond_2_53_are_the_nearest_number)
{
    begin(1);
    g.column[0].int64[0] = INT64_C(9007199254740993);
    convert(LEAT_INT64, LEAT_NUMBER);
    ck_assert_double_eq(g.column[1].number[0], 9007199254740992.0);
}
END_TEST

START_TEST(missing_stays_missing)
{
    static const uint32_t to[] = {LEAT_TEXT, LEAT_NUMBER, LEAT_INT64};
    for (uint32_t from = LEAT_TEXT; column_type_is_known(from); from++)
        for (size_t k = 0; k < 3; k++) {
            if (to[k] == from || column_type_choose(from, 1u << to[k]) != to[k]) continue;
            begin(1);
            g.column[0].int64[0] = LEAT_NO_INT64;
            if (from == LEAT_NUMBER) g.column[0].number[0] = NAN;
            if (from == LEAT_BOOLEAN) g.column[0].boolean[0] = LEAT_NO_BOOLEAN;
            if (from == LEAT_TEXT) g.column[0].text[0] = (struct leat_str){0, LEAT_NULL};
            convert(from, to[k]);
            ck_assert_msg(to[k] == LEAT_TEXT     ? !text_out()
                          : to[k] == LEAT_NUMBER ? isnan(g.column[1].number[0])
                                                 : g.column[1].int64[0] == LEAT_NO_INT64,
                          "%u to %u", from, to[k]);
            ck_assert_int_eq(g.status[0], LEAT_ROW_OK);
        }
}
END_TEST

static void refused(uint32_t to, const char *text, const char *why)
{
    begin(1);
    put(text);
    convert(LEAT_TEXT, to);
    ck_assert_int_eq(g.status[0], LEAT_ROW_REJECTED);
    ck_assert_int_eq(g.b.reason[0], LEAT_R_NUMBER);
    ck_assert_str_eq(g.why, why);
}

START_TEST(what_cannot_be_converted_rejects_its_record)
{
    refused(LEAT_NUMBER, "n/a", "column 'x': 'n/a' is not a number");
    refused(LEAT_INT64, "1.5", "column 'x': '1.5' is not a whole number of 64 bits");
    static const double wrong[] = {1.5, 9007199254740994.0, INFINITY, -1e300};
    for (int i = 0; i < 4; i++) {
        begin(1);
        g.column[0].number[0] = wrong[i];
        convert(LEAT_NUMBER, LEAT_INT64);
        ck_assert_int_eq(g.status[0], LEAT_ROW_REJECTED);
        ck_assert_int_eq(g.column[1].int64[0], LEAT_NO_INT64);
    }
}
END_TEST

START_TEST(blank_text_is_no_number)
{
    begin(1);
    put(" ");
    convert(LEAT_TEXT, LEAT_NUMBER);
    ck_assert(isnan(g.column[1].number[0]));
    ck_assert_int_eq(g.status[0], LEAT_ROW_OK);
}
END_TEST

START_TEST(records_that_are_not_selected_are_left_alone)
{
    begin(1);
    g.column[0].number[0] = g.column[0].number[1] = 1;
    convert(LEAT_NUMBER, LEAT_INT64);
    ck_assert_int_eq(g.column[1].int64[0], 1);
    ck_assert_uint_eq(g.cell[1][1], UINT64_C(0xa5a5a5a5a5a5a5a5));
}
END_TEST

START_TEST(the_text_of_a_conversion_is_within_what_is_reserved)
{
    static const double number[] = {-2.2250738585072014e-308, -1.7976931348623157e308, 1e-4};
    for (int i = 0; i < 3; i++) {
        begin(1);
        g.column[0].number[0] = number[i];
        convert(LEAT_NUMBER, LEAT_TEXT);
        ck_assert_uint_le(strlen(text_out()), column_type_text_bytes(LEAT_NUMBER, LEAT_TEXT));
    }
    ck_assert_uint_le(strlen(text_of_int64(LEAT_INT64, -INT64_MAX)),
                      column_type_text_bytes(LEAT_INT64, LEAT_TEXT));
    ck_assert_uint_le(strlen(text_of_int64(LEAT_TIME, INT64_MAX)),
                      column_type_text_bytes(LEAT_TIME, LEAT_TEXT));
}
END_TEST

static void becomes(uint32_t type, uint32_t types, uint32_t expected)
{
    ck_assert_msg(column_type_choose(type, types) == expected, "%u of %x", type, types);
}

START_TEST(a_type_that_is_taken_stays_and_of_others_the_best_is_chosen)
{
    const uint32_t both = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER;
    for (uint32_t type = LEAT_TEXT; column_type_is_known(type); type++)
        becomes(type, LEAT_TAKES_ANY, type);
    becomes(LEAT_INT64, both, LEAT_NUMBER);
    becomes(LEAT_INT64, LEAT_TAKES_TEXT, LEAT_TEXT);
    becomes(LEAT_BOOLEAN, both | LEAT_TAKES_INT64, LEAT_TEXT);
    becomes(LEAT_TIME, both, LEAT_TEXT);
    becomes(LEAT_TIME, LEAT_TAKES_NUMBER | LEAT_TAKES_INT64, LEAT_INT64);
    becomes(LEAT_NUMBER, LEAT_TAKES_INT64, LEAT_INT64);
    becomes(LEAT_BYTES, LEAT_TAKES_ANY & ~LEAT_TAKES_BYTES, 0);
    becomes(LEAT_TEXT, LEAT_TAKES_BYTES | LEAT_TAKES_BOOLEAN | LEAT_TAKES_TIME, 0);
    becomes(LEAT_TIME + 1, UINT32_MAX, 0);
    becomes(LEAT_TEXT, 0, 0);
}
END_TEST

LEAT_SUITE("convert", integers_are_written_in_all_their_digits,
           numbers_are_written_as_they_read_back, booleans_are_words_or_0_and_1,
           times_are_iso_8601_or_ns_or_seconds, integers_beyond_2_53_are_the_nearest_number,
           missing_stays_missing, what_cannot_be_converted_rejects_its_record,
           blank_text_is_no_number, records_that_are_not_selected_are_left_alone,
           the_text_of_a_conversion_is_within_what_is_reserved,
           a_type_that_is_taken_stays_and_of_others_the_best_is_chosen)
