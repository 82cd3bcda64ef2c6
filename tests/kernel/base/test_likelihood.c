/* test_likelihood.c -- the gain of a feature against the mutual information of its definition. */
#include "kernels/base/likelihood.h"
#include "core/mix64.h"
#include "support/suite.h"

/* Returns the mutual information of two truth values with these joint counts, in nats. */
static double information(double cell[2][2])
{
    double all = 0, bits = 0;
    for (int i = 0; i < 4; i++)
        all += cell[i / 2][i % 2];
    for (int i = 0; i < 4; i++) {
        double p = cell[i / 2][i % 2] / all;
        double row = (cell[i / 2][0] + cell[i / 2][1]) / all;
        double column = (cell[0][i % 2] + cell[1][i % 2]) / all;
        if (p > 0) bits += p * log2(p / row / column);
    }
    return bits * log(2);
}

START_TEST(the_gain_is_the_mutual_information_of_all_records)
{
    uint64_t seed = 3;
    for (int i = 0; i < 2000; i++) {
        double N1 = (double)(mix64_next(&seed) % 500), N0 = (double)(mix64_next(&seed) % 5000);
        double n1 = (double)(mix64_next(&seed) % (uint64_t)(N1 + 1));
        double n0 = (double)(mix64_next(&seed) % (uint64_t)(N0 + 1));
        double cell[2][2] = {{n0, n1}, {N0 - n0, N1 - n1}}, gain = likelihood_gain(n1, n0, N1, N0);
        if (n1 + n0 > 0 && N1 + N0 > n1 + n0)
            ck_assert_double_eq_tol(fabs(gain), (N1 + N0) * information(cell), 1e-6);
        else
            ck_assert_double_eq(gain, 0);
        if (fabs(gain) > 1e-6) ck_assert_int_eq(gain > 0, n1 * N0 > n0 * N1);
    }
}
END_TEST

START_TEST(the_example_of_the_header_of_likelihood_is_what_happens)
{
    ck_assert_double_eq_tol(likelihood_gain(8, 2, 10, 90), 17.9, 0.05);
}
END_TEST

LEAT_SUITE("likelihood", the_gain_is_the_mutual_information_of_all_records,
           the_example_of_the_header_of_likelihood_is_what_happens)
