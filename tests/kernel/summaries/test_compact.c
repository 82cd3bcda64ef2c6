/* test_compact.c -- weights of two bytes and accumulators of one.
 *
 * It tests every weight, every code, and the rounding over all random bits. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "kernels/summaries/compact.h"
#include "support/random.h"

enum { WEIGHTS = 65536, TOP = 255, RANDOMS = 1 << 24 };

/* ---- weights ---- */

START_TEST(every_weight_is_itself_again_whatever_the_random_bits)
{
    for (uint32_t w = 0; w < WEIGHTS; w++)
        for (uint32_t random = 0; random < WEIGHTS; random += 0x3fff)
            ck_assert_uint_eq(compact_weight_of(compact_weight((uint16_t)w), random), w);
}
END_TEST

/* Checks over all random bits that v becomes only its neighbours, with exactly v as their mean. */
static void rounds_rightly(float v)
{
    double sum = 0;
    float below_v = 0, above_v = 0;
    uint32_t others = 0;
    for (uint32_t random = 0; random < WEIGHTS; random++) {
        float w = compact_weight(compact_weight_of(v, random));
        if (fabsf(w) <= fabsf(v)) below_v = w;
        if (fabsf(w) >= fabsf(v)) above_v = w;
        others += w != below_v && w != above_v;
        sum += (double)w;
    }
    ck_assert_msg(!others, "%a becomes something else %u times", v, others);
    uint32_t apart = bits_of_float(above_v) - bits_of_float(below_v);
    ck_assert_msg(!above_v || apart == 0 || apart == 0x10000, "%a: %a, %a", v, below_v, above_v);
    ck_assert_msg(sum / WEIGHTS == (double)v, "%a has the mean %a", v, sum / WEIGHTS);
}

START_TEST(a_weight_is_rounded_to_its_neighbours_and_its_mean_is_exact)
{
    static const float v[] = {
        0,     -0.0f,  1,      -1,      1.0f / 3, 0x1.fffffep0f, -0x1.00ff02p-7f,
        1e30f, -1e30f, 1e-30f, FLT_MIN, 1e-45f,   -1e-40f,       0x1.fffffep-127f};
    uint64_t s = 1;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        rounds_rightly(v[i]);
    for (int k = 0; k < 200; k++)
        rounds_rightly((float)(normal(&s) * exp2(uniform(&s, -60, 60))));
}
END_TEST

/* ---- codes ---- */

static double value_of(int code) { return code ? exp2((code - 1) / 3.0 - 30) : 0; }

/* By trying all of them. */
static int largest_below(float v)
{
    int code = 0;
    while (code < TOP && compact_sum((uint8_t)(code + 1)) <= v)
        code++;
    return code;
}

START_TEST(every_code_stands_for_its_power_of_two)
{
    ck_assert(compact_sum(0) == 0);
    for (int c = 1; c <= TOP; c++)
        ck_assert_msg(fabs((double)compact_sum((uint8_t)c) / value_of(c) - 1) <= 0x1p-24,
                      "code %d: %a", c, compact_sum((uint8_t)c));
}
END_TEST

START_TEST(the_floor_of_a_sum_is_the_largest_code_that_is_not_above_it)
{
    uint64_t s = 2;
    for (int c = 1; c <= TOP; c++) {
        float v = compact_sum((uint8_t)c);
        ck_assert_uint_eq(compact_floor(v), c);
        ck_assert_uint_eq(compact_floor(nextafterf(v, 0)), c - 1);
        ck_assert_uint_eq(compact_floor(nextafterf(v, FLT_MAX)), c);
    }
    for (int k = 0; k < 100000; k++) {
        float v = (float)exp2(uniform(&s, -40, 40));
        ck_assert_uint_eq(compact_floor(v), largest_below(v));
    }
    ck_assert_uint_eq(compact_floor(0), 0);
    ck_assert_uint_eq(compact_floor(1e-45f), 0);
    ck_assert_uint_eq(compact_floor(FLT_MAX), TOP);
}
END_TEST

/* ---- sums ---- */

typedef uint8_t rounded(uint8_t code, float more, uint32_t random);

static uint8_t added(uint8_t code, float more, uint32_t random)
{
    return compact_add(code, more, random);
}
static uint8_t put(uint8_t code, float more, uint32_t random)
{
    return compact_sum_of(compact_sum(code) + more, random);
}

/* Returns how many of all random bits round up to the upper of two codes. Tries them one by one, or
 * bisects, because larger bits never give a larger code. */
static uint32_t ups(rounded *f, uint8_t code, float more, bool one_by_one)
{
    uint8_t low = f(code, more, RANDOMS - 1);
    uint32_t n = 0, others = 0, end = RANDOMS;
    for (uint32_t random = 0; one_by_one && random < RANDOMS; random++) {
        uint8_t c = f(code, more, random);
        others += c != low && c != low + 1;
        n += c > low;
    }
    ck_assert_uint_eq(others, 0);
    if (one_by_one) return n;
    ck_assert_uint_le(f(code, more, 0), low + 1);
    while (n < end) {
        uint32_t half = n + (end - n) / 2;
        if (f(code, more, half) > low)
            n = half + 1;
        else
            end = half;
    }
    return n;
}

static void mean_is_right(rounded *f, uint8_t code, float more, bool one_by_one)
{
    double want = (double)compact_sum(code) + (double)more;
    uint8_t low = f(code, more, RANDOMS - 1);
    if (want >= (double)compact_sum(TOP)) {
        ck_assert_uint_ge(f(code, more, 0), low);
        ck_assert_uint_ge(low, TOP - 1); /* the sum of floats may be a little less */
        return;
    }
    double apart = (double)compact_sum((uint8_t)(low + 1)) - (double)compact_sum(low);
    double mean = (double)compact_sum(low) + ups(f, code, more, one_by_one) * apart / RANDOMS;
    ck_assert_msg(fabs(mean - want) <= apart * 0x1p-23 + want * 0x1p-22,
                  "%d and %a: mean %.9g, not %.9g", code, more, mean, want);
}

START_TEST(the_mean_of_a_sum_is_right_over_all_random_bits)
{
    static const struct {
        uint8_t code;
        float more;
    } c[] = {{0, 1e-12f}, {0, 0.3f}, {1, 1e-10f}, {150, 0.25f}, {254, 1e4f}, {200, 1e-5f}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        mean_is_right(added, c[i].code, c[i].more, true);
        mean_is_right(put, c[i].code, c[i].more, true);
    }
}
END_TEST

START_TEST(the_mean_of_a_sum_is_right_from_every_code)
{
    uint64_t s = 3;
    for (int code = 0; code <= TOP; code++)
        for (int k = 0; k < 40; k++) {
            float more = (float)(exp2(uniform(&s, -26, 5)) * fmax(value_of(code), 1e-9));
            mean_is_right(added, (uint8_t)code, more, false);
            mean_is_right(put, (uint8_t)code, more, false);
        }
}
END_TEST

START_TEST(nothing_moves_a_sum_to_which_nothing_is_added)
{
    for (int code = 0; code <= TOP; code++)
        for (uint32_t random = 0; random < RANDOMS; random += random < 64 ? 1 : 99991) {
            ck_assert_uint_eq(compact_add((uint8_t)code, 0, random), code);
            ck_assert_uint_eq(compact_sum_of(compact_sum((uint8_t)code), random), code);
        }
}
END_TEST

START_TEST(sums_end_at_the_last_code)
{
    static const float more[] = {1e-45f, 1, 1e6f, 0x1p21f, 1e30f, FLT_MAX};
    for (int k = 0; k < 6; k++)
        for (uint32_t random = 0; random < RANDOMS; random += RANDOMS / 16 - 1) {
            ck_assert_uint_eq(compact_add(TOP, more[k], random), TOP);
            ck_assert_uint_eq(compact_sum_of(compact_sum(TOP) + more[k], random), TOP);
            for (int code = 0; more[k] > 1e30f && code <= TOP; code++)
                ck_assert_uint_eq(compact_add((uint8_t)code, more[k], random), TOP);
        }
}
END_TEST

START_TEST(more_never_gives_less)
{
    uint64_t s = 4;
    for (int code = 0; code <= TOP; code++) {
        uint32_t random = below(&s, RANDOMS), last = 0, last_put = 0;
        for (float more = 1e-12f; more < 1e8f; more *= 1.003f) {
            uint32_t c = compact_add((uint8_t)code, more, random), p = compact_sum_of(more, random);
            ck_assert_uint_ge(c, code);
            ck_assert_msg(c >= last && p >= last_put, "%d and %a", code, more);
            last = c, last_put = p;
        }
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    uint32_t up = 0;
    for (uint32_t random = 0; random < 0x10000; random++) {
        uint16_t w = compact_weight_of(0.1f, random);
        ck_assert(w == 0x3dcc || w == 0x3dcd);
        up += w == 0x3dcd;
    }
    ck_assert_uint_eq(up, 0xcccd);
    ck_assert(fabsf(compact_weight(0x3dcc) - 0.0996f) < 5e-5f);
    ck_assert(fabsf(compact_weight(0x3dcd) - 0.1001f) < 5e-5f);
    ck_assert(compact_sum(91) == 1);
}
END_TEST

LEAT_SUITE("compact", every_weight_is_itself_again_whatever_the_random_bits,
           a_weight_is_rounded_to_its_neighbours_and_its_mean_is_exact,
           every_code_stands_for_its_power_of_two,
           the_floor_of_a_sum_is_the_largest_code_that_is_not_above_it,
           the_mean_of_a_sum_is_right_over_all_random_bits,
           the_mean_of_a_sum_is_right_from_every_code,
           nothing_moves_a_sum_to_which_nothing_is_added, sums_end_at_the_last_code,
           more_never_gives_less, the_example_of_the_header_is_what_happens)
