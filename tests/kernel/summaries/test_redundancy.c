/* test_redundancy.c -- redundant conjunctions, against a comparison of all with all. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/summaries/redundancy.h"

enum { MOST = 400 };

static uint64_t state = 88172645463325252u;
static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static void mark(uint32_t n, const struct redundancy_parts *parts, const double *score,
                 double margin, uint8_t *redundant)
{
    void *scratch = calloc(1, redundancy_scratch_bytes(n));
    redundancy_mark(n, parts, score, margin, scratch, redundant);
    free(scratch);
}

static bool holds(struct redundancy_parts p, uint64_t key)
{
    return key && (p.key[0] == key || p.key[1] == key || p.key[2] == key);
}

static int size(struct redundancy_parts p) { return !!p.key[0] + !!p.key[1] + !!p.key[2]; }

static bool is_part(struct redundancy_parts a, struct redundancy_parts b)
{
    if (!size(a) || size(a) >= size(b)) return false;
    for (int i = 0; i < size(a); i++)
        if (!holds(b, a.key[i])) return false;
    return true;
}

static struct redundancy_parts drawn[MOST];
static double score_of[MOST];

/* Draws different features, at most `tries` of them. Returns how many there are. */
static uint32_t draw_features(uint32_t tries)
{
    uint32_t n = 0;
    while (tries--) {
        uint64_t key[3] = {1 + below(8), 1 + below(8), 1 + below(8)};
        struct redundancy_parts p = redundancy_parts_of(key, 1 + below(3));
        bool known = false;
        for (uint32_t i = 0; i < n; i++)
            known |= !memcmp(&drawn[i], &p, sizeof p);
        if (known) continue;
        drawn[n] = p;
        score_of[n++] = ((double)below(17) - 8) / 4; /* ties, and zeros, on purpose */
    }
    return n;
}

/* Compares all with all. Returns how many are redundant. */
static uint32_t compare_all(uint32_t n, double margin)
{
    static uint8_t redundant[MOST];
    uint32_t redundant_ones = 0;
    mark(n, drawn, score_of, margin, redundant);
    for (uint32_t i = 0; i < n; i++) {
        bool want = false;
        for (uint32_t j = 0; j < n; j++)
            want |= is_part(drawn[j], drawn[i]) &&
                    (score_of[i] > 0 ? score_of[i] <= score_of[j] + margin
                                     : score_of[i] >= score_of[j] - margin);
        ck_assert_int_eq(redundant[i], want);
        redundant_ones += want;
    }
    return redundant_ones;
}

START_TEST(every_proper_subset_is_a_part_and_nothing_else)
{
    for (int round = 0; round < 200; round++) {
        uint32_t n = draw_features(MOST), redundant_ones = compare_all(n, round % 3 * 0.25);
        ck_assert(redundant_ones > 0 && redundant_ones < n);
    }
}
END_TEST

/* Few features in a small table, in any cells. */
START_TEST(few_features_are_compared_as_many_are)
{
    uint32_t redundant_ones = 0;
    for (int round = 0; round < 2000; round++)
        redundant_ones += compare_all(draw_features(1 + (uint32_t)round % 6), 0.25);
    ck_assert_uint_gt(redundant_ones, 50);
}
END_TEST

START_TEST(a_feature_without_known_parts_is_neither_redundant_nor_a_part)
{
    struct redundancy_parts parts[4] = {{{0}}, {{0}}, {{5}}, {{5, 9}}};
    double score[4] = {9, 1, 1, 2};
    uint8_t redundant[4];
    mark(4, parts, score, 0, redundant);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(redundant[i], 0);
}
END_TEST

START_TEST(keys_are_ascending_and_once_each)
{
    struct redundancy_parts p = redundancy_parts_of((const uint64_t[]){7, 3, 5}, 3);
    ck_assert(p.key[0] == 3 && p.key[1] == 5 && p.key[2] == 7);
    p = redundancy_parts_of((const uint64_t[]){7, 3, 7}, 3);
    ck_assert(p.key[0] == 3 && p.key[1] == 7 && p.key[2] == 0);
    p = redundancy_parts_of((const uint64_t[]){UINT32_MAX, 1}, 2);
    ck_assert(p.key[0] == 1 && p.key[1] == UINT32_MAX && p.key[2] == 0);
    p = redundancy_parts_of(NULL, 0);
    ck_assert(!p.key[0] && !p.key[1] && !p.key[2]);
}
END_TEST

START_TEST(keys_tell_field_and_value_apart)
{
    uint64_t key[] = {redundancy_key("ab", 2, "c", 1), redundancy_key("a", 1, "bc", 2),
                      redundancy_key("abc", 3, "", 0), redundancy_key("abc", 3, NULL, 0),
                      redundancy_key("", 0, "abc", 3), redundancy_key("a", 1, "b & c=d", 7)};
    for (int i = 0; i < 6; i++) {
        ck_assert_uint_ne(key[i], 0);
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(key[i], key[j]);
    }
    ck_assert_uint_eq(key[0], redundancy_key("ab", 2, "c", 1));
}
END_TEST

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(values_have_keys_of_their_own)
{
    enum { VALUES = 100000 };
    static uint64_t key[VALUES];
    for (uint32_t i = 0; i < VALUES; i++) {
        char value[16];
        int n = snprintf(value, sizeof value, "%u", i);
        key[i] = redundancy_key("host", 4, value, (size_t)n);
        ck_assert(key[i]);
    }
    qsort(key, VALUES, sizeof *key, by_key);
    for (uint32_t i = 1; i < VALUES; i++)
        ck_assert_uint_ne(key[i], key[i - 1]);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct redundancy_parts parts[3] = {{{1}}, {{2}}, {{1, 2}}};
    uint8_t redundant[3];
    for (int i = 0; i < 2; i++) {
        mark(3, parts, (const double[]){2, 0.5, i ? 2.5 : 2.1}, 0.2, redundant);
        ck_assert(!redundant[0] && !redundant[1] && redundant[2] == !i);
    }
}
END_TEST

LEAT_SUITE("distinct", values_have_keys_of_their_own,
           every_proper_subset_is_a_part_and_nothing_else, few_features_are_compared_as_many_are,
           a_feature_without_known_parts_is_neither_redundant_nor_a_part,
           keys_are_ascending_and_once_each, keys_tell_field_and_value_apart,
           the_example_of_the_header_is_what_happens)
