/* test_primitives.c -- bits, mixing, little-endian numbers, heaps, exp, log and erfc.
 *
 * They are compared with libm, sorting and published numbers. */
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "core/erfc.h"
#include "core/exp.h"
#include "core/pow10.h"
#include "core/heap.h"
#include "core/le.h"
#include "core/mix64.h"
#include "core/text/utf8.h"
#include "core/time/utc.h"
#include "support/random.h"

START_TEST(bits_are_those_of_ieee_754)
{
    ck_assert_uint_eq(bits_of_float(-1.5f), 0xbfc00000u);
    ck_assert_uint_eq(bits_of_double(1.0), UINT64_C(0x3ff0000000000000));
    ck_assert(float_of_bits(0x7f800000u) == INFINITY);
    ck_assert(double_of_bits(UINT64_C(0x4000000000000000)) == 2.0);
}
END_TEST

/* The first numbers of splitmix64 from the seed 1234567, as published with the algorithm. */
START_TEST(each_half_is_its_float)
{
    for (uint32_t half = 0; half < 65536; half++) {
        int exponent = half >> 10 & 31, fraction = half & 1023;
        double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);
        float got = float_of_half(half);
        ck_assert_int_eq(!!signbit(got), half >> 15);
        if (isnan(value))
            ck_assert(isnan(got));
        else
            ck_assert((double)fabsf(got) == value);
    }
}
END_TEST

START_TEST(a_prefix_of_utf8_ends_at_the_first_bad_character)
{
    static const char *const part[] = {"a", "abcdefgh", "\u00e9", "\u6c34", "\U0001f600"};
    uint64_t seed = 3;
    for (int i = 0; i < 2000; i++) {
        char text[200] = "";
        for (uint32_t n = below(&seed, 12); n; n--)
            strcat(text, part[below(&seed, 5)]);
        const size_t n = strlen(text), cut = below(&seed, (uint32_t)n + 1);
        const unsigned char *s = (const unsigned char *)text;
        ck_assert_uint_eq(utf8_prefix(s, n), n);
        size_t whole = cut;
        while (whole < n && (s[whole] & 0xc0) == 0x80)
            whole--;
        ck_assert_uint_eq(utf8_prefix(s, cut), whole);
        text[whole] = (char)0xff;
        ck_assert_uint_eq(utf8_prefix(s, n > whole ? n : whole + 1), whole);
    }
}
END_TEST

START_TEST(mixing_is_splitmix64)
{
    static const uint64_t want[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                    UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                    UINT64_C(16408922859458223821)};
    uint64_t counter = 1234567;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ck_assert_uint_eq(mix64_next(&counter), want[i]);
    ck_assert_uint_eq(mix64(0), 0);
}
END_TEST

START_TEST(numbers_lie_lowest_byte_first)
{
    unsigned char bytes[9] = {0};
    le_put(bytes + 1, UINT64_C(0x1122334455667788), 8);
    ck_assert_uint_eq(bytes[1], 0x88);
    ck_assert_uint_eq(bytes[8], 0x11);
    ck_assert_uint_eq(le_get(bytes + 1, 8), UINT64_C(0x1122334455667788));
    ck_assert_uint_eq(le_get32(bytes + 1), 0x55667788u);
    ck_assert_uint_eq(le_get(bytes + 1, 3), 0x667788u);
    le_put(bytes, 0xabcdef, 2); /* only the lowest two */
    ck_assert_uint_eq(bytes[0], 0xef);
    ck_assert_uint_eq(bytes[1], 0xcd);
    ck_assert_uint_eq(bytes[2], 0x77);
}
END_TEST

START_TEST(members_become_little_endian_and_come_back)
{
    struct {
        uint64_t a;
        uint32_t b;
        uint16_t c[2];
    } m = {UINT64_C(0x1122334455667788), 0xaabbccdd, {0x1234, 0x5678}}, own = m;
    const unsigned char saved[16] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
                                     0xdd, 0xcc, 0xbb, 0xaa, 0x34, 0x12, 0x78, 0x56};
    le_turn_members(&m, "8422");
    ck_assert_mem_eq(&m, saved, sizeof saved);
    le_turn_members(&m, "84");
    le_turn(m.c, sizeof *m.c, 2);
    ck_assert_mem_eq(&m, &own, sizeof own);
    uint64_t wide = le_turned64(own.a);
    ck_assert_mem_eq(&wide, saved, sizeof wide);
    uint32_t narrow = le_turned32(own.b);
    ck_assert_mem_eq(&narrow, saved + 8, sizeof narrow);
}
END_TEST

#define SMALLER(none, a, b) ((a) < (b))
HEAP(least, uint32_t, const void *, SMALLER)

static int by_size(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

START_TEST(a_heap_gives_its_elements_in_order)
{
    enum { N = 257 };
    uint64_t seed = 7;
    for (uint32_t n = 1; n <= N; n += n < 9 ? 1 : 31) {
        uint32_t heap[N], sorted[N];
        for (uint32_t i = 0; i < n; i++) {
            heap[i] = sorted[i] = (uint32_t)(mix64_next(&seed) % 100); /* equal ones, too */
            least_sift_up(NULL, heap, i);
        }
        qsort(sorted, n, sizeof *sorted, by_size);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_uint_eq(heap[0], sorted[i]);
            heap[0] = heap[n - 1 - i];
            if (n - 1 - i) least_sift_down(NULL, heap, n - 1 - i, 0);
        }
    }
}
END_TEST

static double relative(double got, long double want)
{
    return want == 0 ? fabs(got) : (double)fabsl((got - want) / want);
}

START_TEST(exp_and_log_are_within_1e15_of_libm)
{
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        double x = i % 2 ? uniform(&seed, -EXP_LIMIT, EXP_LIMIT) : uniform(&seed, -1, 1);
        ck_assert_double_lt(relative(exp_within(x), expl((long double)x)), 1e-15);
        double t = i % 2 ? uniform(&seed, 0, 1) : exp2(uniform(&seed, -300, 0));
        ck_assert_double_lt(relative(exp_log1p(t), log1pl((long double)t)), 1e-15);
        double y = exp2(uniform(&seed, -1000, 1000));
        ck_assert_double_lt(relative(exp_log(y), logl((long double)y)), 1e-15);
    }
    ck_assert(exp_within(0) == 1 && exp_log1p(0) == 0 && exp_log(1) == 0);
    ck_assert_double_lt(relative(exp_within(EXP_LIMIT), expl(708.0L)), 1e-15);
    ck_assert_double_lt(relative(exp_within(-EXP_LIMIT), expl(-708.0L)), 1e-15);
    ck_assert_double_lt(relative(exp_log1p(1), logl(2.0L)), 1e-15);
}
END_TEST

START_TEST(exp_and_log_of_all_numbers_are_those_of_libm)
{
    uint64_t seed = 4;
    for (int i = 0; i < 200000; i++) {
        double y = exp2(uniform(&seed, -1074, 1024));
        ck_assert_double_lt(relative(exp_log_all(y), logl((long double)y)), 1e-15);
    }
    ck_assert(exp_log_all(0) == -INFINITY && exp_log_all(INFINITY) == INFINITY);
    ck_assert(isnan(exp_log_all(-1)) && isnan(exp_log_all(NAN)) && isnan(exp_all(NAN)));
    ck_assert(exp_all(1000) == INFINITY && exp_all(-1000) == 0 && exp_all(0) == 1);
}
END_TEST

START_TEST(erfc_is_within_1e12_of_libm)
{
    for (int i = 0; i <= 26000; i++)
        ck_assert_double_lt(relative(erfc_of(i / 1000.0), erfcl(i / 1000.0L)), 1e-12);
    ck_assert(erfc_of(0) == 1 && erfc_of(40) == 0 && erfc_of(INFINITY) == 0);
}
END_TEST

START_TEST(powers_of_ten_are_those_of_decimal_text)
{
    uint64_t seed = 5;
    char text[64];
    for (int e = -300; e <= 308; e++) {
        snprintf(text, sizeof text, "1e%d", e);
        double power = strtod(text, NULL);
        ck_assert_double_le(relative(pow10_of(e), (long double)power),
                            e < -22 || e > 22 ? 1e-14 : 0);
        if (e < -22 || e > 22) continue;
        ck_assert_int_eq(pow10_exponent(power), e);
        ck_assert_int_eq(pow10_exponent(nextafter(power, 0)), e - 1);
    }
    for (int i = 0; i < 100000; i++) {
        double x = exp2(uniform(&seed, -900, 900));
        snprintf(text, sizeof text, "%.17e", x);
        ck_assert_int_eq(pow10_exponent(x), atoi(strchr(text, 'e') + 1));
    }
}
END_TEST

/* A long double holds any time in ns exactly, and a double its seconds and milliseconds as text. */
START_TEST(seconds_of_a_time_are_those_of_its_text)
{
    char text[64];
    for (int64_t i = 0; i < 100000; i++) {
        int64_t ms = i * 20599387, sign = i % 2 ? 1 : -1, ns = sign * ms * 1000000;
        snprintf(text, sizeof text, "%s%lld.%03lld", sign < 0 ? "-" : "", (long long)(ms / 1000),
                 (long long)(ms % 1000));
        ck_assert_msg(utc_seconds(ns) == strtod(text, NULL), "%s", text);
        ns += i;
        ck_assert(fabsl((long double)utc_seconds(ns) - (long double)ns / 1e9L) <= 1.3e-7L);
    }
}
END_TEST

LEAT_SUITE("primitives", bits_are_those_of_ieee_754, each_half_is_its_float,
           a_prefix_of_utf8_ends_at_the_first_bad_character, mixing_is_splitmix64,
           numbers_lie_lowest_byte_first, members_become_little_endian_and_come_back,
           a_heap_gives_its_elements_in_order, exp_and_log_are_within_1e15_of_libm,
           exp_and_log_of_all_numbers_are_those_of_libm, erfc_is_within_1e12_of_libm,
           powers_of_ten_are_those_of_decimal_text, seconds_of_a_time_are_those_of_its_text)
