/* test_reservoir.c -- algorithm R gives every item the same chance. */
#include "kernels/base/reservoir.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

START_TEST(the_first_items_fill_the_slots_in_order)
{
    struct reservoir r;
    reservoir_init(&r, 5, 1);
    ck_assert_uint_eq(reservoir_filled(&r), 0);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(reservoir_offer(&r), i);
        ck_assert_uint_eq(reservoir_filled(&r), i + 1);
    }
    for (int i = 0; i < 1000; i++) {
        uint32_t slot = reservoir_offer(&r);
        ck_assert(slot < 5 || slot == RESERVOIR_NONE);
    }
    ck_assert_uint_eq(reservoir_filled(&r), 5);
    ck_assert_uint_eq(r.seen, 1005);
}
END_TEST

/* Each of 100 items is in a sample of 10 with chance 1/10: over 20,000 samples the counts are
 * within a chi-square of 99 degrees of freedom (149 is exceeded once in a thousand). Correlated
 * slots are no excuse: a sample without replacement has a smaller variance than independent
 * draws. */
START_TEST(every_item_is_kept_with_the_same_chance)
{
    enum { ITEMS = 100, SIZE = 10, TIMES = 20000 };
    uint32_t kept[ITEMS] = {0};
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        uint32_t item[SIZE];
        struct reservoir r;
        reservoir_init(&r, SIZE, seed * 0x5851f42d4c957f2du);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t slot = reservoir_offer(&r);
            if (slot != RESERVOIR_NONE) item[slot] = i;
        }
        for (int k = 0; k < SIZE; k++)
            kept[item[k]]++;
    }
    double expected = (double)TIMES * SIZE / ITEMS, chi = 0;
    for (int i = 0; i < ITEMS; i++)
        chi += (kept[i] - expected) * (kept[i] - expected) / expected;
    ck_assert_msg(chi < 149, "chi-square %g", chi);
    ck_assert_msg(chi > 40, "chi-square %g: too even to be chance", chi);
}
END_TEST

START_TEST(slots_are_replaced_evenly)
{
    enum { SIZE = 16 };
    uint32_t replaced[SIZE] = {0}, all = 0;
    struct reservoir r;
    reservoir_init(&r, SIZE, 7);
    for (int i = 0; i < 2000000; i++) {
        uint32_t slot = reservoir_offer(&r);
        if (slot == RESERVOIR_NONE || i < SIZE) continue;
        replaced[slot]++;
        all++;
    }
    /* sum of 16/t for t = 17 .. 2e6: 16 (ln 2e6 - ln 16.5) = 187 */
    ck_assert_uint_gt(all, 187 - 5 * 14);
    ck_assert_uint_lt(all, 187 + 5 * 14);
    double chi = 0, expected = all / (double)SIZE;
    for (int i = 0; i < SIZE; i++)
        chi += (replaced[i] - expected) * (replaced[i] - expected) / expected;
    ck_assert_msg(chi < 37.7, "chi-square %g", chi); /* 15 degrees of freedom, .001 */
}
END_TEST

START_TEST(equal_seeds_give_equal_samples_others_do_not)
{
    struct reservoir a, b, c;
    reservoir_init(&a, 8, 42);
    reservoir_init(&b, 8, 42);
    reservoir_init(&c, 8, 43);
    int differ = 0;
    for (int i = 0; i < 10000; i++) {
        uint32_t slot = reservoir_offer(&a);
        ck_assert_uint_eq(slot, reservoir_offer(&b));
        differ += slot != reservoir_offer(&c);
    }
    ck_assert_int_gt(differ, 10);
}
END_TEST

START_TEST(three_numbers_are_the_whole_state)
{
    struct reservoir a, b;
    reservoir_init(&a, 4, 9);
    for (int i = 0; i < 100; i++)
        reservoir_offer(&a);
    reservoir_init(&b, a.size, a.random);
    b.seen = a.seen;
    for (int i = 0; i < 10000; i++)
        ck_assert_uint_eq(reservoir_offer(&a), reservoir_offer(&b));
}
END_TEST

START_TEST(a_sample_of_one_is_the_whole_range_of_picks)
{
    ck_assert_uint_eq(reservoir_pick(UINT32_MAX, 1), 0);
    ck_assert_uint_eq(reservoir_pick(0, 4000), 0);
    ck_assert_uint_eq(reservoir_pick(UINT32_MAX, 4000), 3999);
    ck_assert_uint_eq(reservoir_pick(UINT32_MAX, UINT32_MAX), UINT32_MAX - 1);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct reservoir r;
    uint32_t item[2] = {0};
    reservoir_init(&r, 2, 1);
    for (uint32_t i = 1; i <= 8; i++) {
        uint32_t slot = reservoir_offer(&r);
        ck_assert_uint_eq(slot, i == 1 || i == 5 || i == 8 ? 0 : i == 2 ? 1 : RESERVOIR_NONE);
        if (slot != RESERVOIR_NONE) item[slot] = i;
    }
    ck_assert_uint_eq(item[0], 8);
    ck_assert_uint_eq(item[1], 2);
}
END_TEST

LEAT_SUITE("reservoir", the_first_items_fill_the_slots_in_order,
           every_item_is_kept_with_the_same_chance, slots_are_replaced_evenly,
           equal_seeds_give_equal_samples_others_do_not, three_numbers_are_the_whole_state,
           a_sample_of_one_is_the_whole_range_of_picks, the_example_of_the_header_is_what_happens)
