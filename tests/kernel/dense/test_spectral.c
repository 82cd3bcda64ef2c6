/* test_spectral.c -- singular values of an operator. */
#include "support/suite.h"

#include <stdlib.h>

#include "kernels/dense/spectral.h"
#include "support/oracle_product.h"

static void times(void *self, bool transposed, const double *in, double *out)
{
    const struct dense *d = self;
    for (uint32_t i = 0; i < (transposed ? d->n : d->m); i++) {
        out[i] = 0;
        for (uint32_t j = 0; j < (transposed ? d->m : d->n); j++)
            out[i] += in[j] * (transposed ? *dense_at(*d, j, i) : *dense_at(*d, i, j));
    }
}

START_TEST(singular_values_of_an_operator_are_those_of_its_matrix)
{
    uint32_t shapes[][2] = {{30, 20}, {20, 30}, {1, 9}, {9, 1}, {1, 1}};
    for (int k = 0; k < 5; k++)
        for (int rank = 0; rank < 2; rank++) {
            struct dense d = rank ? dense_of_rank(shapes[k][0], shapes[k][1], 3, 5)
                                  : dense_random(shapes[k][0], shapes[k][1], 1, 5);
            struct spectral_operator m = {d.m, d.n, &d, times};
            void *block = aligned_alloc(64, (spectral_bytes(d.m, d.n, 25) + 63) & ~(size_t)63);
            double want[32] = {0}, got[6];
            dense_singular(d, want);
            ck_assert(spectral_top(&m, 25, 1, 6, got, block));
            for (int i = 0; i < 6; i++)
                ck_assert_double_eq_tol(got[i], want[i], 1e-9 * (1 + want[0]));
            dense_free(&d);
            free(block);
        }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    double value[] = {3, 0, 4, 5}, sigma[2], s[4] = {0}, sketch[] = {3, 1}, D[8], low, high;
    double *work = malloc(covariance_work(2) * sizeof *work);
    struct dense d = dense_new(2, 2);
    for (uint32_t i = 0; i < 4; i++)
        *dense_at(d, i / 2, i % 2) = value[i];
    struct spectral_operator m = {2, 2, &d, times};
    void *block = aligned_alloc(64, (spectral_bytes(2, 2, 2) + 63) & ~(size_t)63);
    ck_assert(spectral_top(&m, 2, 1, 2, sigma, block));
    ck_assert_double_eq_tol(sigma[0], 6.708, 5e-4);
    ck_assert_double_eq_tol(sigma[1], 2.236, 5e-4);
    const uint32_t feature[] = {0, 1};
    covariance_add(2, s, 2, feature, (const double[]){1, 2});
    covariance_add(2, s, 1, feature, (const double[]){3});
    ck_assert(s[0] == 10 && s[2] == 2 && s[3] == 4);
    ck_assert(covariance_extremes(2, s, 1, sketch, 1, D, work, &low, &high));
    ck_assert_double_eq_tol(low, 0.586, 5e-4);
    ck_assert_double_eq_tol(high, 3.414, 5e-4);
    dense_free(&d);
    free(work);
    free(block);
}
END_TEST

LEAT_SUITE("spectral", singular_values_of_an_operator_are_those_of_its_matrix,
           the_example_of_the_header_is_what_happens)
