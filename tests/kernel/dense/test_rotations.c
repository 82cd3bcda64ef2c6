/* test_rotations.c -- sweeps applied together have the bits of rotations applied one by one. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/dense/rotations.h"
#include "support/random.h"

enum { ROWS = 23, MOST_COLUMNS = 41, SWEEPS = 9 };

struct sweep {
    uint32_t first, end;
    struct rotation of[ROWS];
};

/* Makes random ranges, often with the end of the sweep before, sometimes without rotations. */
static struct sweep sweep_of(uint64_t *s, uint32_t before)
{
    struct sweep w = {.end = below(s, 3) ? before : (uint32_t)below(s, ROWS)};
    w.first = (uint32_t)below(s, w.end + 1);
    for (uint32_t i = w.first; i < w.end; i++)
        w.of[i] = (struct rotation){uniform(s, -1, 1), uniform(s, -1, 1)};
    return w;
}

/* Applies the sweeps to row-major z by the definition. */
static void apply_plainly(const struct sweep *w, uint32_t columns, double *z)
{
    for (int k = 0; k < SWEEPS; k++)
        for (uint32_t i = w[k].end; i-- > w[k].first;)
            for (uint32_t j = 0; j < columns; j++) {
                double *x = z + i * columns + j, *y = x + columns, c = w[k].of[i].c,
                       s = w[k].of[i].s, old = *x;
                *x = c * old - s * *y;
                *y = s * old + c * *y;
            }
}

static void check(uint32_t columns, uint64_t seed)
{
    double z[ROWS * MOST_COLUMNS], turned[ROWS * MOST_COLUMNS], row[MOST_COLUMNS];
    double strips[ROWS * (MOST_COLUMNS + 3)], block[SWEEPS * (2 * ROWS + 1)];
    struct sweep sweep[SWEEPS];
    struct rotations r;
    for (uint32_t i = 0; i < ROWS * columns; i++)
        turned[i % columns * ROWS + i / columns] = z[i] = uniform(&seed, -1, 1);
    rotations_strips(ROWS, columns, turned, ROWS, strips);
    rotations_init(&r, ROWS, block, sizeof block / sizeof *block);
    ck_assert_uint_eq(r.max, SWEEPS);
    for (int k = 0; k < SWEEPS; k++) {
        ck_assert(!rotations_is_full(&r));
        sweep[k] = sweep_of(&seed, k ? sweep[k - 1].end : ROWS - 1);
        memcpy(rotations_next(&r), sweep[k].of, sizeof sweep[k].of);
        rotations_add(&r, sweep[k].first, sweep[k].end);
    }
    ck_assert(rotations_is_full(&r));
    rotations_apply(&r, columns, strips);
    ck_assert(!rotations_is_full(&r));
    apply_plainly(sweep, columns, z);
    for (uint32_t i = 0; i < ROWS; i++) {
        rotations_row(ROWS, columns, strips, i, row);
        ck_assert_mem_eq(row, z + i * columns, columns * sizeof *row);
    }
}

START_TEST(sweeps_applied_together_have_the_bits_of_the_definition)
{
    for (uint32_t columns = 1; columns <= MOST_COLUMNS; columns++)
        for (uint64_t seed = 1; seed <= 40; seed++)
            check(columns, seed);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const double turned[] = {1, 2};
    double strips[8], block[5], row;
    struct rotations r;
    rotations_strips(2, 1, turned, 2, strips);
    rotations_init(&r, 2, block, 5);
    rotations_next(&r)[0] = (struct rotation){0, 1};
    rotations_add(&r, 0, 1);
    rotations_apply(&r, 1, strips);
    rotations_row(2, 1, strips, 0, &row);
    ck_assert(row == -2);
    rotations_row(2, 1, strips, 1, &row);
    ck_assert(row == 1);
}
END_TEST

LEAT_SUITE("rotations", sweeps_applied_together_have_the_bits_of_the_definition,
           the_example_of_the_header_is_what_happens)
