/* spectral.c -- implementation of spectral.h. */
#include "spectral.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/base/random.h"
#include "eigen.h"
#include "multiply.h"
#include "svd.h"
#include "vectors.h"

struct spectral_bidiagonal {
    double *U, *V; /* rows are the vectors u_i and v_i */
    double *B, *sigma, *work;
};

static size_t spectral_lay_out(struct spectral_bidiagonal *b, uint32_t rows, uint32_t columns,
                               uint32_t steps, void *block)
{
    struct layout c = {block, 0};
    size_t s = steps;
    b->U = layout_take(&c, s * (rows > columns ? rows : columns), 8);
    b->V = layout_take(&c, s * (rows > columns ? columns : rows), 8);
    b->B = layout_take(&c, s * s, 8);
    b->sigma = layout_take(&c, s, 8);
    b->work = layout_take(&c, svd_work(steps), 8);
    return c.used;
}

size_t spectral_bytes(uint32_t rows, uint32_t columns, uint32_t steps)
{
    struct spectral_bidiagonal b;
    return spectral_lay_out(&b, rows, columns, steps, NULL);
}

/* Makes v orthogonal to n orthonormal rows, then scales it to length 1. Returns its length before
 * the scaling. If only rounding errors remained of v, returns 0 and does not scale it. */
static double spectral_orthonormalise(double *v, const double *rows, uint32_t n, uint32_t length)
{
    double before = vectors_norm(length, v);
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < n; i++) { /* v -= (q_i'v) q_i */
            const double *q = rows + (size_t)i * length;
            vectors_add(length, -vectors_dot(length, q, v), q, v);
        }
    double norm = vectors_norm(length, v);
    if (!(norm > before * 16 * DBL_EPSILON)) return isnan(norm) ? norm : 0;
    vectors_scale(length, 1 / norm, v);
    return norm;
}

/* Performs up to n steps on M, or on M' if M has more columns than rows. So min(rows, columns)
 * steps suffice for all singular values. Writes the two diagonals of B, an ld x ld matrix that is
 * zero before. Ends early if alpha or beta is 0. */
static void spectral_bidiagonalise(const struct spectral_operator *m, struct spectral_bidiagonal *b,
                                   uint32_t n, uint32_t ld, uint64_t seed)
{
    bool transposed = m->columns > m->rows;
    uint32_t rows = transposed ? m->columns : m->rows, columns = transposed ? m->rows : m->columns;
    double alpha, beta = 0;
    random_fill(&seed, columns, b->V); /* step 1 of spectral.h */
    spectral_orthonormalise(b->V, b->V, 0, columns);
    for (uint32_t i = 0; i < n; i++) {
        double *u = b->U + (size_t)i * rows, *v = b->V + (size_t)i * columns;
        m->times(m->self, transposed, v, u); /* step 2: u = M v - beta u_(i-1) */
        if (i) vectors_add(rows, -beta, u - rows, u);
        b->B[(size_t)i * ld + i] = alpha = spectral_orthonormalise(u, b->U, i, rows);
        if (alpha == 0 || i + 1 == n) return;
        m->times(m->self, !transposed, u, v + columns); /* step 3: v_(i+1) = M'u - alpha v */
        vectors_add(columns, -alpha, v, v + columns);
        b->B[(size_t)i * ld + i + 1] = beta =
            spectral_orthonormalise(v + columns, b->V, i + 1, columns);
        if (beta == 0) return;
    }
}

bool spectral_top(const struct spectral_operator *m, uint32_t steps, uint64_t seed, uint32_t k,
                  double *sigma, void *block)
{
    struct spectral_bidiagonal b;
    assert(k <= steps);
    uint32_t max_steps = m->rows < m->columns ? m->rows : m->columns;
    spectral_lay_out(&b, m->rows, m->columns, steps, block);
    memset(sigma, 0, k * sizeof *sigma);
    memset(b.B, 0, (size_t)steps * steps * sizeof *b.B);
    if (!max_steps) return true;
    spectral_bidiagonalise(m, &b, steps < max_steps ? steps : max_steps, steps, seed);
    if (!svd(steps, steps, b.B, b.sigma, NULL, NULL, b.work)) return false;
    memcpy(sigma, b.sigma, k * sizeof *sigma);
    return true;
}

/* ---- A'A of sparse rows ---- */

void covariance_add(uint32_t d, double *s, uint32_t n, const uint32_t *feature, const double *x)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (feature[j] <= feature[i]) s[(size_t)feature[i] * d + feature[j]] += x[i] * x[j];
}

size_t covariance_work(uint32_t d) { return eigen_ld(d) + eigen_values_work(d); }

bool covariance_extremes(uint32_t d, const double *restrict s, uint32_t r, const double *restrict c,
                         uint32_t ld, double *restrict D, double *restrict work, double *low,
                         double *high)
{
    size_t ld_d = eigen_ld(d);
    assert(d >= 1 && ld >= r);
    for (uint32_t i = 0; i < d; i++)
        memcpy(D + i * ld_d, s + (size_t)i * d, (i + 1ull) * sizeof *D);
    multiply_square_nt(d, r, -1, c, ld, true, D, ld_d); /* D = S - C C' */
    double *lambda = work;
    if (!eigen_values(d, D, lambda, work + ld_d)) return false;
    *low = lambda[d - 1];
    *high = lambda[0];
    return true;
}
