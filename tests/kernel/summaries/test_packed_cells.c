/* test_packed_cells.c -- packed cells hold the largest count of all that share one, at any
 * width. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/summaries/packed_cells.h"

enum { ROWS = 3, WIDTH = 37, RAISES = 600 };

struct raised {
    uint32_t row, hash, count;
};

/* Computes it in another way: the place is a quotient of 64 bits, the cell its largest count. */
static uint32_t largest_there(const struct raised *r, int n, uint32_t bits, uint32_t row,
                              uint32_t hash)
{
    uint64_t cells = (uint64_t)WIDTH * 32 / bits, place = (uint64_t)hash * cells / (1ull << 32);
    uint32_t largest = 0;
    for (int i = 0; i < n; i++)
        if (r[i].row == row && (uint64_t)r[i].hash * cells / (1ull << 32) == place)
            largest = r[i].count > largest ? r[i].count : largest;
    return largest;
}

static void expect_cells(const struct packed_cells *c, const struct raised *r, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_uint_eq(packed_cells_get(c, r[i].row, r[i].hash),
                          largest_there(r, n, c->bits, r[i].row, r[i].hash));
}

START_TEST(a_cell_has_the_largest_count_of_its_features_as_bits_grow)
{
    static uint32_t word[ROWS * WIDTH];
    static struct raised r[RAISES];
    const uint32_t most[] = {255, 65535, UINT32_MAX}, bits[] = {8, 16, 32};
    struct packed_cells c;
    memset(word, 0, sizeof word);
    packed_cells_init(&c, ROWS, WIDTH, word, PACKED_CELLS_FIRST_BITS);
    uint64_t seed = 5;
    for (int i = 0, size = 0; i < RAISES; i++) {
        uint64_t x = mix64_next(&seed);
        size = i < RAISES / 3 ? 0 : i < 2 * RAISES / 3 ? 1 : 2;
        r[i] = (struct raised){i % ROWS, (uint32_t)x, (uint32_t)(x >> 32) % most[size]};
        if (i % (RAISES / 3) == 0)
            r[i].count = most[size]; /* jumps to the size by its largest count */
        packed_cells_raise(&c, r[i].row, r[i].hash, r[i].count);
        ck_assert_uint_eq(c.bits, bits[size]);
        if (i % 20 == 0) expect_cells(&c, r, i + 1);
    }
    expect_cells(&c, r, RAISES);
}
END_TEST

static struct packed_cells filled(uint32_t *word, uint32_t words, uint32_t bits)
{
    struct packed_cells c;
    uint64_t seed = bits;
    for (uint32_t i = 0; i < words; i++)
        word[i] = (uint32_t)mix64_next(&seed);
    packed_cells_init(&c, 1, words, word, bits);
    return c;
}

START_TEST(a_cell_of_more_bits_is_the_largest_of_those_within_it)
{
    uint32_t word[WIDTH], before[WIDTH];
    for (uint32_t bits = 8; bits <= 32; bits *= 2) {
        struct packed_cells c = filled(word, WIDTH, bits), wide = filled(before, WIDTH, bits);
        for (uint32_t to = bits; to <= 32; to *= 2) {
            packed_cells_widen(&wide, UINT32_MAX >> (32 - to));
            ck_assert_uint_eq(wide.bits, to);
            for (uint64_t i = 0; i < WIDTH * (32 / to); i++)
                ck_assert_uint_eq(packed_cells_cell(&c, to, i), packed_cells_cell(&wide, to, i));
        }
    }
}
END_TEST

START_TEST(cells_are_put_and_scaled_one_by_one)
{
    uint32_t word[WIDTH];
    for (uint32_t bits = 8; bits <= 32; bits *= 2) {
        struct packed_cells c = filled(word, WIDTH, bits);
        uint32_t cells = WIDTH * (32 / bits), before[4 * WIDTH];
        for (uint32_t i = 0; i < cells; i++)
            before[i] = packed_cells_cell(&c, bits, i);
        packed_cells_scale(&c, 0.25);
        for (uint32_t i = 0; i < cells; i++)
            ck_assert_uint_eq(packed_cells_cell(&c, bits, i), ((uint64_t)before[i] + 2) / 4);
        packed_cells_put(&c, 1, packed_cells_most(&c));
        ck_assert_uint_eq(packed_cells_cell(&c, bits, 1), packed_cells_most(&c));
        ck_assert_uint_eq(packed_cells_cell(&c, bits, 0), ((uint64_t)before[0] + 2) / 4);
        ck_assert_uint_eq(packed_cells_cell(&c, bits, 2), ((uint64_t)before[2] + 2) / 4);
    }
}
END_TEST

START_TEST(no_word_beyond_the_cells_is_changed)
{
    enum { MARK = 0x01020304 };
    uint32_t word[WIDTH + 1];
    for (uint32_t bits = 8; bits <= 16; bits *= 2) {
        struct packed_cells c = filled(word, WIDTH, bits);
        word[WIDTH] = MARK;
        packed_cells_scale(&c, 0.25);
        ck_assert_uint_eq(word[WIDTH], MARK);
        packed_cells_widen(&c, packed_cells_most(&c) + 1);
        ck_assert_uint_eq(word[WIDTH], MARK);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const uint32_t last = UINT32_MAX;
    uint32_t word[1] = {3 | 17 << 8 | 0 << 16 | 255u << 24};
    struct packed_cells c;
    packed_cells_init(&c, 1, 1, word, 8);
    ck_assert_uint_eq(packed_cells_get(&c, 0, last), 255);
    packed_cells_raise(&c, 0, last, 256);
    ck_assert_uint_eq(c.bits, 16);
    ck_assert_uint_eq(packed_cells_get(&c, 0, 0), 17);
    ck_assert_uint_eq(packed_cells_get(&c, 0, last), 256);
}
END_TEST

LEAT_SUITE("packed_cells", a_cell_has_the_largest_count_of_its_features_as_bits_grow,
           a_cell_of_more_bits_is_the_largest_of_those_within_it,
           cells_are_put_and_scaled_one_by_one, no_word_beyond_the_cells_is_changed,
           the_example_of_the_header_is_what_happens)
