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

LEAT_SUITE("spectral", singular_values_of_an_operator_are_those_of_its_matrix)
