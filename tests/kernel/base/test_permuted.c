/* test_permuted.c -- orders without an array: each number once, every order about as often. */
#include "support/suite.h"

#include <stdlib.h>

#include "kernels/base/permuted.h"

START_TEST(each_number_comes_once)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 1000, 65536, 65537, 100003};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint64_t n = sizes[s];
        unsigned char *seen = calloc(n, 1);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t k = permuted_at(i, n, s);
            ck_assert_uint_lt(k, n);
            ck_assert_uint_eq(seen[k]++, 0);
        }
        free(seen);
    }
}
END_TEST

START_TEST(the_example_of_the_header_holds)
{
    static const uint64_t order[] = {1, 3, 0, 2, 5, 4, 6};
    for (uint64_t i = 0; i < 7; i++)
        ck_assert_uint_eq(permuted_at(i, 7, 2), order[i]);
}
END_TEST

/* Chi squared of the places of two numbers: 72 places of 9 numbers, each expected 1,000 times. The
 * limit is exceeded by chance once in a million runs, and the run is always the same. */
START_TEST(each_pair_of_places_is_as_likely)
{
    enum { N = 9, KEYS = 72000 };
    double times[N][N] = {{0}}, sum = 0, expected = (double)KEYS / (N * (N - 1));
    for (uint64_t key = 0; key < KEYS; key++)
        times[permuted_at(0, N, key)][permuted_at(1, N, key)]++;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            if (i != k) sum += (times[i][k] - expected) * (times[i][k] - expected) / expected;
    ck_assert_double_lt(sum, 140);
}
END_TEST

/* In a random order, the number before says nothing about the next. */
START_TEST(neighbours_are_not_correlated)
{
    enum { N = 100000 };
    double middle = (N - 1) / 2.0, sum = 0, squares = 0;
    for (uint64_t i = 1; i < N; i++) {
        double a = (double)permuted_at(i - 1, N, 5) - middle;
        double b = (double)permuted_at(i, N, 5) - middle;
        sum += a * b;
        squares += a * a;
    }
    ck_assert_double_lt(sum / squares, 5 / 316.0);
    ck_assert_double_gt(sum / squares, -5 / 316.0);
}
END_TEST

LEAT_SUITE("permuted", each_number_comes_once, the_example_of_the_header_holds,
           each_pair_of_places_is_as_likely, neighbours_are_not_correlated)
