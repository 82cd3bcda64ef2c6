/* test_count_sketch.c -- the Count-Sketch against exact sums. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/summaries/count_sketch.h"
#include "support/random.h"
#include "support/suite.h"

enum { IDS = 3000, WIDTH = 257 };

static struct count_sketch made(uint32_t width, uint32_t depth, uint64_t seed)
{
    struct count_sketch s = {.width = width, .depth = depth};
    count_sketch_draw(&s, seed);
    s.cell = calloc((size_t)width * depth, sizeof *s.cell);
    return s;
}

static float add(struct count_sketch *s, uint32_t id, float d)
{
    return count_sketch_add(s, count_sketch_mix(s, id), d, 1e30f);
}

static float estimate(const struct count_sketch *s, uint32_t id)
{
    return count_sketch_estimate(s, count_sketch_mix(s, id));
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

START_TEST(an_estimate_is_the_median_of_the_signed_sums_of_all_that_share_a_cell)
{
    for (uint32_t depth = 1; depth <= 6; depth++) {
        struct count_sketch s = made(WIDTH, depth, depth);
        static float exact[IDS];
        uint64_t r = seed_given();
        memset(exact, 0, sizeof exact);
        for (int t = 0; t < 9000; t++) {
            uint32_t id = below(&r, IDS);
            float d = (float)below(&r, 64) - 32; /* whole numbers: sums are exact */
            exact[id] += d;
            ck_assert(add(&s, id, d) == estimate(&s, id));
        }
        for (uint32_t id = 0; id < IDS; id += 17) {
            float v[8];
            for (uint32_t j = 0; j < depth; j++) {
                uint32_t own, sign;
                size_t at = count_sketch_at(&s, j, count_sketch_mix(&s, id), &own);
                v[j] = 0;
                for (uint32_t other = 0; other < IDS; other++)
                    if (count_sketch_at(&s, j, count_sketch_mix(&s, other), &sign) == at)
                        v[j] += sign == own ? exact[other] : -exact[other];
            }
            qsort(v, depth, sizeof *v, ascending);
            float want = depth % 2 ? v[depth / 2] : (v[depth / 2 - 1] + v[depth / 2]) / 2;
            ck_assert_msg(estimate(&s, id) == want, "%u: %g, not %g", id, (double)estimate(&s, id),
                          (double)want);
        }
        free(s.cell);
    }
}
END_TEST

START_TEST(cells_lie_in_their_rows_and_are_used_evenly)
{
    struct count_sketch s = made(WIDTH, 3, 5);
    uint32_t used[3 * WIDTH] = {0}, negative[3] = {0};
    for (uint32_t id = 0; id < 100 * WIDTH; id++)
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t sign;
            size_t at = count_sketch_at(&s, j, count_sketch_mix(&s, id), &sign);
            ck_assert(at >= (size_t)j * WIDTH && at < (size_t)(j + 1) * WIDTH);
            used[at]++;
            negative[j] += sign != 0;
        }
    for (uint32_t c = 0; c < 3 * WIDTH; c++)
        ck_assert_msg(used[c] > 50 && used[c] < 160, "cell %u: %u of 100", c, used[c]);
    for (int j = 0; j < 3; j++)
        ck_assert(negative[j] > 49 * WIDTH && negative[j] < 51 * WIDTH);
    free(s.cell);
}
END_TEST

START_TEST(what_is_drawn_are_the_rows_that_there_are)
{
    struct count_sketch s, before;
    memset(&s, 0x5a, sizeof s);
    before = s;
    s.width = WIDTH;
    s.depth = 3;
    count_sketch_draw(&s, 1);
    for (int j = 0; j < COUNT_SKETCH_MAX_DEPTH; j++) {
        ck_assert((s.multiplier[j] != before.multiplier[j]) == (j < 3));
        ck_assert((s.addend[j] != before.addend[j]) == (j < 3));
    }
}
END_TEST

/* An odd multiplier permutes the words: no two mixes have the same hash. */
START_TEST(multipliers_are_odd)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct count_sketch s = {.width = WIDTH, .depth = 3};
        count_sketch_draw(&s, seed);
        for (int j = 0; j < 3; j++)
            ck_assert_uint_eq(s.multiplier[j] % 2, 1);
    }
}
END_TEST

/* |estimate - w| <= 3 |w| / sqrt(width) with few exceptions. */
START_TEST(errors_are_within_the_theorems_bound)
{
    uint32_t beyond = 0, looked_at = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct count_sketch s = made(WIDTH, 5, seed);
        static float w[IDS];
        double square = 0;
        uint64_t r = seed;
        for (uint32_t id = 0; id < IDS; id++) {
            w[id] = (float)normal(&r);
            square += (double)w[id] * (double)w[id];
            add(&s, id, w[id]);
        }
        for (uint32_t id = 0; id < IDS; id++, looked_at++)
            beyond += fabs((double)estimate(&s, id) - (double)w[id]) > 3 * sqrt(square / WIDTH);
        free(s.cell);
    }
    ck_assert_msg(beyond < looked_at / 1000, "%u of %u", beyond, looked_at);
}
END_TEST

START_TEST(cells_stay_within_the_limit_whatever_is_added)
{
    struct count_sketch s = made(4, 3, 1);
    for (uint32_t id = 0; id < 50; id++) {
        add(&s, id, id % 3 ? INFINITY : -INFINITY);
        add(&s, id, 3e38f);
    }
    for (int c = 0; c < 12; c++)
        ck_assert(fabsf(s.cell[c]) <= 1e30f);
    free(s.cell);
}
END_TEST

/* Finds ids a and b that share a cell only in row 2, with different signs there. */
static uint32_t partner_of(const struct count_sketch *s, uint32_t a)
{
    for (uint32_t b = a + 1;; b++) {
        uint32_t sign_a, sign_b, x = count_sketch_mix(s, a), y = count_sketch_mix(s, b);
        bool apart = count_sketch_at(s, 0, x, &sign_a) != count_sketch_at(s, 0, y, &sign_b) &&
                     count_sketch_at(s, 1, x, &sign_a) != count_sketch_at(s, 1, y, &sign_b);
        if (apart && count_sketch_at(s, 2, x, &sign_a) == count_sketch_at(s, 2, y, &sign_b) &&
            sign_a != sign_b)
            return b;
    }
}

START_TEST(the_example_of_the_header_is_what_happens)
{
    float cell[3 * 9] = {0};
    struct count_sketch s = {.width = 9, .depth = 3, .cell = cell};
    uint32_t sign;
    count_sketch_draw(&s, 1);
    uint32_t a = count_sketch_mix(&s, 1), b = count_sketch_mix(&s, partner_of(&s, 1));
    count_sketch_add(&s, a, 5, 1e30f);
    count_sketch_add(&s, b, 2, 1e30f);
    float in_row_2 = cell[count_sketch_at(&s, 2, a, &sign)];
    ck_assert(count_sketch_signed(in_row_2, sign) == 3);
    ck_assert(count_sketch_estimate(&s, a) == 5);
}
END_TEST

LEAT_SUITE("count_sketch", an_estimate_is_the_median_of_the_signed_sums_of_all_that_share_a_cell,
           cells_lie_in_their_rows_and_are_used_evenly, what_is_drawn_are_the_rows_that_there_are,
           multipliers_are_odd, errors_are_within_the_theorems_bound,
           cells_stay_within_the_limit_whatever_is_added, the_example_of_the_header_is_what_happens)
