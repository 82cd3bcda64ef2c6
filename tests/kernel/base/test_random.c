/* test_random.c -- normal numbers. */
#include "support/suite.h"

#include <math.h>

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

LEAT_SUITE("random", random_numbers_have_mean_0_and_variance_1)
