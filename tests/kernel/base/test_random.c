/* test_random.c -- normal numbers. */
#include "support/suite.h"

#include <math.h>

#include "core/bits.h"
#include "kernels/base/random.h"

START_TEST(random_numbers_have_mean_0_and_variance_1)
{
    static double v[100001];
    uint64_t counter = 5;
    double mean = 0, square = 0, fourth = 0;
    random_fill(&counter, 100001, v);
    for (int i = 0; i < 100001; i++) {
        mean += v[i] / 100001;
        square += v[i] * v[i] / 100001;
        fourth += pow(v[i], 4) / 100001;
    }
    ck_assert_double_le(fabs(mean), 0.02);
    ck_assert_double_eq_tol(square, 1, 0.03);
    ck_assert_double_eq_tol(fourth, 3, 0.25);
}
END_TEST

/* libm's logarithm has other bits on other processors. */
START_TEST(random_numbers_have_the_same_bits_on_all_machines)
{
    static double v[10000];
    uint64_t counter = 1, again = 1, mixed = 0;
    random_fill(&counter, 10000, v);
    for (int i = 0; i < 10000; i++)
        mixed = mix64(mixed ^ bits_of_double(v[i]));
    ck_assert_uint_eq(mixed, UINT64_C(0xde65c13fa609dfd6));
    for (int i = 0; i < 10000; i += 2) {
        long double a, b, s = 0;
        do {
            a = 2 * (long double)random_uniform(&again) - 1;
            b = 2 * (long double)random_uniform(&again) - 1;
            s = a * a + b * b;
        } while (s >= 1 || s == 0);
        ck_assert_double_le(fabs((double)(v[i] / (a * sqrtl(-2 * logl(s) / s)) - 1)), 1e-12);
        ck_assert_double_le(fabs((double)(v[i + 1] / (b * sqrtl(-2 * logl(s) / s)) - 1)), 1e-12);
    }
}
END_TEST

LEAT_SUITE("random", random_numbers_have_mean_0_and_variance_1,
           random_numbers_have_the_same_bits_on_all_machines)
