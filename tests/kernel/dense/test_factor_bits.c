/* test_factor_bits.c -- factorizations have the bits of the first machine on all machines.
 *
 * The constants are hashes of the results of one build. Other compilers, processors and widths of
 * vectors must give the same ones. A change of an algorithm changes them. */
#include "support/suite.h"

#include <stdint.h>
#include <stdlib.h>

#include "kernels/dense/eigen.h"
#include "kernels/dense/qr.h"
#include "kernels/dense/svd.h"
#include "support/random.h"
#include "support/zeroed.h"

static const uint32_t sizes[] = {1, 2, 7, 20, 33, 45, 70, 130};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 581 };

/* Adds the bytes of n numbers to an FNV-1a hash, the lowest byte first. */
static uint64_t hash(uint64_t h, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        union {
            double x;
            uint64_t bits;
        } u = {x[i]};
        for (int k = 0; k < 64; k += 8)
            h = (h ^ (u.bits >> k & 255)) * 1099511628211u;
    }
    return h;
}

static double *numbers(size_t n, uint64_t seed)
{
    double *a = zeroed(n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i] = uniform(&seed, -1, 1);
    return a;
}

static void check(const char *what, uint64_t got, uint64_t want)
{
    ck_assert_msg(got == want, "%s: 0x%016llx", what, (unsigned long long)got);
}

START_TEST(eigen_has_the_same_bits_everywhere)
{
    uint64_t h = 0;
    for (int i = 0; i < SIZES; i++) {
        uint32_t n = sizes[i];
        double *a = numbers((size_t)n * n, n), lambda[MOST], *work = zeroed(eigen_work(n) * 8);
        ck_assert(eigen(n, a, n, lambda, work));
        h = hash(hash(h, n, lambda), (size_t)n * eigen_ld(n), work);
        free(a), free(work);
    }
    check("eigen", h, 0x3d0c70a168e88038);
}
END_TEST

START_TEST(values_of_a_large_matrix_have_the_same_bits_everywhere)
{
    double *a = numbers((size_t)MOST * eigen_ld(MOST), 5), lambda[MOST],
           *work = zeroed(eigen_values_work(MOST) * 8);
    ck_assert(eigen_values(MOST, a, lambda, work));
    check("values", hash(0, MOST, lambda), 0x2619a534c6b52d0f);
    free(a), free(work);
}
END_TEST

START_TEST(svd_has_the_same_bits_everywhere)
{
    uint64_t h = 0;
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++) {
            uint32_t m = sizes[i], n = sizes[j], s = m < n ? m : n;
            double *a = numbers((size_t)m * n, m + n), *u = zeroed((size_t)m * s * 8), sigma[MOST],
                   *vt = zeroed((size_t)n * s * 8), *work = zeroed(svd_work(m + n - s) * 8);
            ck_assert(svd(m, n, a, sigma, u, vt, work));
            h = hash(hash(hash(h, s, sigma), (size_t)m * s, u), (size_t)n * s, vt);
            free(a), free(u), free(vt), free(work);
        }
    check("svd", h, 0x15ec32f1e5cb9cbc);
}
END_TEST

START_TEST(qr_has_the_same_bits_everywhere)
{
    uint64_t h = 0;
    for (uint32_t m = 1; m < 600; m = 2 * m + 1)
        for (int j = 0; j < SIZES; j++) {
            uint32_t n = sizes[j], r = m < n ? m : n;
            double *a = numbers((size_t)m * n, m + n), *R = zeroed((size_t)r * n * 8),
                   *work = zeroed(qr_work(n) * 8);
            ck_assert_uint_eq(qr(m, n, a, n, R, work), r);
            h = hash(h, (size_t)r * n, R);
            for (uint32_t i = 0; i < m; i++)
                h = hash(h, r, a + (size_t)i * n);
            free(a), free(R), free(work);
        }
    check("qr", h, 0x2842dadd35a577e4);
}
END_TEST

LEAT_SUITE("factor_bits", eigen_has_the_same_bits_everywhere,
           values_of_a_large_matrix_have_the_same_bits_everywhere, svd_has_the_same_bits_everywhere,
           qr_has_the_same_bits_everywhere)
