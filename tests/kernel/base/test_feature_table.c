/* Feature table: numbers in order of appearance, rows that survive growing. */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_table.h"
#include "support/chosen_ids.h"
#include "support/suite.h"
#include "support/zeroed.h"

static uint64_t nth_id(uint64_t n) { return n * 0x9e3779b97f4a7c15u; } /* a bijection */

START_TEST(features_are_numbered_in_order_of_appearance)
{
    struct feature_table t;
    void *block = zeroed(feature_table_bytes(8, 3));
    feature_table_init(&t, 8, 8, 3, block);
    ck_assert_uint_eq(feature_table_find(&t, 7), FEATURE_TABLE_NONE);
    ck_assert_uint_eq(feature_table_enroll(&t, 7), 0);
    ck_assert_uint_eq(feature_table_enroll(&t, 0), 1);
    ck_assert_uint_eq(feature_table_enroll(&t, UINT64_MAX), 2);
    ck_assert_uint_eq(feature_table_enroll(&t, 7), 0);
    ck_assert_uint_eq(feature_table_find(&t, 0), 1);
    ck_assert_uint_eq(t.n, 3);
    free(block);
}
END_TEST

START_TEST(a_full_table_ignores_and_counts_new_features)
{
    struct feature_table t;
    void *block = zeroed(feature_table_bytes(2, 1));
    feature_table_init(&t, 2, 2, 1, block);
    feature_table_enroll(&t, 1);
    feature_table_enroll(&t, 2);
    ck_assert_uint_eq(feature_table_free_slots(&t), 0);
    ck_assert_uint_eq(feature_table_enroll(&t, 3), FEATURE_TABLE_NONE);
    ck_assert_uint_eq(feature_table_enroll(&t, 2), 1);
    ck_assert_uint_eq(t.ignored, 1);
    free(block);
}
END_TEST

START_TEST(rows_tags_and_numbers_survive_growing)
{
    enum { N = 5000, STRIDE = 5, MOST = 8192 };
    struct feature_table t;
    void *block = zeroed(feature_table_bytes(MOST, STRIDE));
    feature_table_init(&t, 1, MOST, STRIDE, block);
    for (uint32_t i = 0; i < N; i++) {
        if (!feature_table_free_slots(&t)) feature_table_grow(&t, 2 * t.capacity);
        ck_assert_uint_eq(feature_table_enroll(&t, nth_id(i)), i);
        for (int k = 0; k < STRIDE; k++)
            ck_assert(feature_table_row(&t, i)[k] == 0);
        feature_table_row(&t, i)[STRIDE - 1] = i;
        t.tag[i] = i + 1;
    }
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(feature_table_find(&t, nth_id(i)), i);
        ck_assert(feature_table_row(&t, i)[STRIDE - 1] == i);
        ck_assert_uint_eq(t.tag[i], i + 1);
    }
    free(block);
}
END_TEST

START_TEST(what_is_not_filled_is_not_touched)
{
    enum { MOST = 1 << 16, STRIDE = 4 };
    size_t bytes = feature_table_bytes(MOST, STRIDE);
    unsigned char *block = zeroed(bytes);
    struct feature_table t;
    feature_table_init(&t, 4, MOST, STRIDE, block);
    for (uint32_t i = 0; i < 64; i++) {
        if (!feature_table_free_slots(&t)) feature_table_grow(&t, 2 * t.capacity);
        *feature_table_row(&t, feature_table_enroll(&t, nth_id(i))) = 1;
    }
    size_t filled = 0;
    for (size_t i = 0; i < bytes; i += 64) { /* a cache line */
        unsigned char any = 0;
        for (size_t k = i; k < i + 64; k++)
            any |= block[k];
        filled += any != 0;
    }
    ck_assert_uint_le(filled, 64 * STRIDE * 8 / 64 + 64 * 8 / 64 + 2 * 64 * 4 / 64 + 4);
    free(block);
}
END_TEST

enum { CHOSEN = 20000, PLACES = 32768 };

/* Returns the longest search in a table of ids chosen for the secret `known`. */
static uint32_t longest_search(uint64_t known)
{
    struct feature_table t;
    void *block = zeroed(feature_table_bytes(PLACES, 1));
    feature_table_init(&t, PLACES, PLACES, 1, block);
    for (uint32_t i = 0; i < CHOSEN; i++)
        ck_assert_uint_eq(feature_table_enroll(&t, chosen_id(known ? known : t.secret, i)), i);
    uint32_t longest = longest_run(t.index, 2 * PLACES);
    free(block);
    return longest;
}

START_TEST(ids_chosen_without_the_secret_do_not_fall_on_one_place)
{
    ck_assert_uint_lt(longest_search(MIX64_GOLDEN), 200);
    ck_assert_uint_lt(longest_search(1), 200);
    ck_assert_uint_ge(longest_search(0), CHOSEN); /* they share a secret, and collide */
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct feature_table t;
    void *block = zeroed(feature_table_bytes(4, 1));
    feature_table_init(&t, 2, 4, 1, block);
    ck_assert_uint_eq(feature_table_enroll(&t, 70), 0);
    ck_assert_uint_eq(feature_table_enroll(&t, 90), 1);
    ck_assert_uint_eq(feature_table_enroll(&t, 50), FEATURE_TABLE_NONE);
    ck_assert_uint_eq(t.ignored, 1);
    feature_table_grow(&t, 4);
    ck_assert_uint_eq(feature_table_enroll(&t, 50), 2);
    free(block);
}
END_TEST

LEAT_SUITE("feature_table", features_are_numbered_in_order_of_appearance,
           a_full_table_ignores_and_counts_new_features, rows_tags_and_numbers_survive_growing,
           what_is_not_filled_is_not_touched,
           ids_chosen_without_the_secret_do_not_fall_on_one_place,
           the_example_of_the_header_is_what_happens)
