/* test_zero_blocks.c -- bytes without their zeros come back bit for bit.
 *
 * Other forms are refused. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/zero_blocks.h"

/* Fills blocks: about one in `one_in` gets a byte. 0 fills none, 1 sets all bytes. */
static void fill(char *p, size_t n, uint64_t one_in, uint64_t *s)
{
    memset(p, one_in == 1 ? 0x5a : 0, n);
    for (size_t at = 0; at < n && one_in > 1; at += ZERO_BLOCKS_BLOCK) {
        size_t within = mix64_next(s) % ZERO_BLOCKS_BLOCK;
        if (mix64_next(s) % one_in == 0 && at + within < n)
            p[at + within] = (char)(1 + mix64_next(s) % 255);
    }
}

static size_t blocks_with_something(const char *p, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; at < n; at += ZERO_BLOCKS_BLOCK) {
        int any = 0;
        for (size_t i = at; i < n && i < at + ZERO_BLOCKS_BLOCK; i++)
            any |= p[i] != 0;
        count += (size_t)any;
    }
    return count;
}

/* Each block has its exact size, so that a sanitizer sees the end. */
static void there_and_back(size_t n, uint64_t one_in, uint64_t *s)
{
    char *p = malloc(n + 1), *again = calloc(1, n + 1), *form = malloc(zero_blocks_max(n) + 1);
    fill(p, n, one_in, s);
    size_t used = zero_blocks_put(form, p, n);
    ck_assert_uint_eq(used,
                      zero_blocks_bitmap(n) + ZERO_BLOCKS_BLOCK * blocks_with_something(p, n));
    ck_assert_uint_le(used, zero_blocks_max(n));
    char *exact = malloc(used + 1);
    memcpy(exact, form, used);
    ck_assert_uint_eq(zero_blocks_length(exact, used, n), used);
    ck_assert_uint_eq(zero_blocks_length(exact, used + 1000, n), used);
    if (used) ck_assert_uint_eq(zero_blocks_length(exact, used - 1, n), 0);
    zero_blocks_get(again, exact, n);
    ck_assert(!memcmp(p, again, n));
    free(exact);
    free(form);
    free(again);
    free(p);
}

START_TEST(all_lengths_and_densities_come_back)
{
    uint64_t s = 3;
    static const uint64_t one_in[] = {0, 1, 2, 5, 100};
    for (size_t n = 0; n < 20000; n += n < 300 ? 1 : 1 + mix64_next(&s) % 700)
        for (int k = 0; k < 5; k++)
            there_and_back(n, one_in[k], &s);
}
END_TEST

START_TEST(a_bit_for_a_block_behind_the_end_is_none_of_ours)
{
    char p[5 * ZERO_BLOCKS_BLOCK] = {1}, form[64 + sizeof p];
    size_t used = zero_blocks_put(form, p, sizeof p);
    ck_assert_uint_eq(used, 2 * ZERO_BLOCKS_BLOCK);
    for (int bit = 5; bit < 512; bit++) {
        form[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_uint_eq(zero_blocks_length(form, sizeof form, sizeof p), 0);
        form[bit / 8] ^= (char)(1 << bit % 8);
    }
    ck_assert_uint_eq(zero_blocks_length(form, sizeof form, sizeof p), used);
}
END_TEST

START_TEST(it_pays_where_most_is_zeros_and_nowhere_else)
{
    enum { N = 1 << 20 };
    char *p = malloc(N);
    uint64_t s = 9;
    static const struct {
        uint64_t one_in;
        int pays;
    } of[] = {{0, 1}, {1, 0}, {100, 1}, {5, 1}};
    for (int k = 0; k < 4; k++) {
        fill(p, N, of[k].one_in, &s);
        ck_assert_int_eq(zero_blocks_pays(p, N), of[k].pays);
        ck_assert_int_eq(zero_blocks_pays(p, 4096), 0); /* too short */
    }
    free(p);
}
END_TEST

LEAT_SUITE("sparse", all_lengths_and_densities_come_back,
           a_bit_for_a_block_behind_the_end_is_none_of_ours,
           it_pays_where_most_is_zeros_and_nowhere_else)
