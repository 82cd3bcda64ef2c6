/* test_feature_counts.c -- exact counts in tables that grow. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/summaries/feature_counts.h"
#include "support/zeroed.h"

/* Ids of the naive model are its indices, spread so that low bits repeat. */
static uint64_t id_of(uint32_t i) { return (uint64_t)i << 32 | (i % 3); }

START_TEST(counts_tags_and_parts_survive_growth)
{
    enum { IDS = 5000, MOST = 8192 };
    static uint32_t naive[IDS][2], number[IDS];
    struct feature_counts t;
    void *block = zeroed(feature_counts_block_bytes(MOST, true));
    uint64_t s = 1;
    memset(number, 0xff, sizeof number);
    feature_counts_init(&t, 1, MOST, true, block);
    for (int step = 0; step < 60000; step++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        uint32_t i = (uint32_t)(s >> 40) % (1 + (uint32_t)step / 10) % IDS;
        int y = s >> 63 & 1;
        if (!feature_table_free_slots(&t.table)) feature_table_grow(&t.table, 2 * t.table.capacity);
        uint32_t known = t.table.n, f = feature_counts_add(&t, id_of(i), y);
        ck_assert_uint_ne(f, FEATURE_TABLE_NONE);
        if (f == known) {
            ck_assert_uint_eq(number[i], UINT32_MAX);
            ck_assert_uint_eq(t.table.tag[f], 0);
            number[i] = f;
            t.table.tag[f] = i + 7;
            t.parts[f].key[1] = i;
        }
        ck_assert_uint_eq(f, number[i]);
        naive[i][y]++;
    }
    for (uint32_t i = 0; i < IDS; i++) {
        uint32_t f = feature_table_find(&t.table, id_of(i));
        ck_assert_uint_eq(f, number[i]);
        if (f == FEATURE_TABLE_NONE) continue;
        ck_assert(t.count[2 * f] == naive[i][0] && t.count[2 * f + 1] == naive[i][1]);
        ck_assert(t.table.tag[f] == i + 7 && t.parts[f].key[1] == i);
    }
    ck_assert_uint_eq(t.table.ignored, 0);
    free(block);
}
END_TEST

START_TEST(a_full_table_ignores_what_is_new_and_counts_on)
{
    struct feature_counts t;
    void *block = zeroed(feature_counts_block_bytes(4, false));
    feature_counts_init(&t, 4, 4, false, block);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(feature_counts_add(&t, i, 0), i);
    ck_assert_uint_eq(feature_counts_add(&t, 99, 1), FEATURE_TABLE_NONE);
    ck_assert_uint_eq(feature_counts_add(&t, 99, 1), FEATURE_TABLE_NONE);
    ck_assert_uint_eq(feature_counts_add(&t, 2, 1), 2);
    ck_assert(!t.parts && t.table.ignored == 2 && t.count[5] == 1 &&
              feature_table_find(&t.table, 99) == FEATURE_TABLE_NONE);
    t.count[5] = UINT32_MAX;
    feature_counts_add(&t, 2, 1);
    ck_assert_uint_eq(t.count[5], UINT32_MAX);
    free(block);
}
END_TEST

LEAT_SUITE("tally", counts_tags_and_parts_survive_growth,
           a_full_table_ignores_what_is_new_and_counts_on)
