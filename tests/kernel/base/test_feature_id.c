/* test_feature_id.c -- ids of names and conjunctions are distinct, commute, and never change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/suite.h"

static uint64_t of(const char *field, const char *value)
{
    return feature_id_value(feature_id_name(field, strlen(field)), value, strlen(value));
}

static uint64_t pair(uint64_t a, uint64_t b)
{
    return feature_id_and2(feature_id_part(a), feature_id_part(b));
}

static uint64_t triple(uint64_t a, uint64_t b, uint64_t c)
{
    return feature_id_and3(feature_id_part(a), feature_id_part(b), feature_id_part(c));
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t collisions(uint64_t *id, size_t n)
{
    size_t same = 0;
    qsort(id, n, sizeof *id, by_id);
    for (size_t i = 1; i < n; i++)
        same += id[i] == id[i - 1];
    return same;
}

/* Saved models contain these ids: if one of these checks fails, old models lose their meaning. */
START_TEST(ids_never_change)
{
    ck_assert_uint_eq(feature_id_name("", 0), 0x2d06800538d394c2u); /* XXH3's own test vector */
    ck_assert_uint_eq(feature_id_name(NULL, 0), feature_id_name("", 0));
    uint64_t a = of("payee", "VERIZON"), b = of("office", "SERGEANT AT ARMS");
    ck_assert_uint_eq(a, 0xdb7eb2e00b3b0f0eu);
    ck_assert_uint_eq(pair(a, b), 0x260a1c3eaaac5eadu);
    ck_assert_uint_eq(triple(a, b, of("year", "2011")), 0x6a2b5753bcb2c40au);
    ck_assert_uint_eq(feature_id_fold(42, 0, 18), 0x7f46);
}
END_TEST

START_TEST(field_and_value_are_kept_apart)
{
    ck_assert_uint_ne(of("ab", "c"), of("a", "bc"));
    ck_assert_uint_ne(of("a", "b"), of("b", "a"));
    ck_assert_uint_ne(of("a", ""), of("b", ""));
    ck_assert_uint_ne(of("a", ""), feature_id_name("a", 1));
}
END_TEST

START_TEST(conjunctions_do_not_depend_on_the_order_of_parts)
{
    uint64_t a = of("carrier", "AA"), b = of("origin", "ORD"), c = of("month", "2");
    ck_assert_uint_eq(pair(a, b), pair(b, a));
    uint64_t t = triple(a, b, c);
    ck_assert_uint_eq(t, triple(a, c, b));
    ck_assert_uint_eq(t, triple(b, a, c));
    ck_assert_uint_eq(t, triple(b, c, a));
    ck_assert_uint_eq(t, triple(c, a, b));
    ck_assert_uint_eq(t, triple(c, b, a));
}
END_TEST

START_TEST(pairs_are_not_triples_with_nothing)
{
    uint64_t a = of("x", "1"), b = of("y", "1");
    ck_assert_uint_ne(pair(a, b), triple(a, b, 0));
    ck_assert_uint_ne(pair(a, b), feature_id_and3(feature_id_part(a), feature_id_part(b), 0));
    ck_assert_uint_ne(pair(a, a), a);
    ck_assert_uint_ne(pair(pair(a, b), b), triple(a, b, b));
}
END_TEST

/* Singles, pairs and triples over small whole numbers are half a million different ids. Sums of the
 * bare ids would collide thousands of times. */
START_TEST(small_ids_and_their_conjunctions_are_all_different)
{
    enum { N = 140 };
    size_t n = 0;
    uint64_t *id = malloc(sizeof *id * (N + N * N / 2 + N * N * N / 6));
    for (uint64_t a = 0; a < N; a++) {
        id[n++] = a;
        for (uint64_t b = 0; b < a; b++) {
            id[n++] = pair(a, b);
            for (uint64_t c = 0; c < b; c++)
                id[n++] = triple(a, b, c);
        }
    }
    ck_assert_uint_gt(n, 400000);
    ck_assert_uint_eq(collisions(id, n), 0);
    free(id);
}
END_TEST

START_TEST(names_of_a_grid_are_all_different)
{
    size_t n = 0;
    uint64_t *id = malloc(sizeof *id * 400 * 400);
    char field[16], value[16];
    for (int f = 0; f < 400; f++)
        for (int v = 0; v < 400; v++) {
            sprintf(field, "f%d", f);
            sprintf(value, "%d", v);
            id[n++] = of(field, value);
        }
    ck_assert_uint_eq(collisions(id, n), 0);
    free(id);
}
END_TEST

/* 2^16 ids leave n/e of 2^16 places empty. Half of the ids in one place have sign +1. */
START_TEST(fold_spreads_and_its_sign_is_independent)
{
    enum { N = 65536 };
    static uint32_t hits[N];
    int empty = 0, sum = 0, sum_low = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t place = feature_id_fold(i, 7, 16);
        ck_assert_uint_lt(place, N);
        hits[place]++;
        sum += feature_id_sign(i, 7);
        sum_low += place < N / 2 ? feature_id_sign(i, 7) : 0;
    }
    for (int i = 0; i < N; i++)
        empty += hits[i] == 0;
    ck_assert_int_lt(abs(empty - 24109), 600); /* N/e; one deviation is about 80 */
    ck_assert_int_lt(abs(sum), 1300);          /* five deviations */
    ck_assert_int_lt(abs(sum_low), 950);
}
END_TEST

START_TEST(fold_takes_any_width_and_its_seed_matters)
{
    int same = 0;
    for (unsigned bits = 1; bits <= 64; bits++)
        for (uint64_t id = 1; id < 50; id++)
            ck_assert(bits == 64 || feature_id_fold(id, 1, bits) >> bits == 0);
    for (uint64_t id = 0; id < 1000; id++)
        same += feature_id_fold(id, 1, 20) == feature_id_fold(id, 2, 20);
    ck_assert_int_le(same, 2);
    ck_assert_uint_eq(feature_id_fold(5, 1, 8), feature_id_fold(5, 1, 32) & 255);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    ck_assert_uint_eq(of("colour", "red"), 0xeefea3f9f6513e35u);
    ck_assert_uint_eq(pair(1, 4), 0xacd3426e1e0bfcb8u);
    ck_assert_uint_eq(pair(4, 1), 0xacd3426e1e0bfcb8u);
    ck_assert_uint_eq(pair(2, 3), 0x00cadd205f303c0cu);
}
END_TEST

LEAT_SUITE("feature_id", ids_never_change, field_and_value_are_kept_apart,
           conjunctions_do_not_depend_on_the_order_of_parts, pairs_are_not_triples_with_nothing,
           small_ids_and_their_conjunctions_are_all_different, names_of_a_grid_are_all_different,
           fold_spreads_and_its_sign_is_independent, fold_takes_any_width_and_its_seed_matters,
           the_example_of_the_header_is_what_happens)
