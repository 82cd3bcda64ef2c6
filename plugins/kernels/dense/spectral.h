/* spectral.h -- singular values and eigenvalues, to measure the error of sketches.
 *
 * Computes singular values of a matrix M of which only products with vectors are available, by
 * Golub-Kahan bidiagonalisation with full reorthogonalisation and a random start:
 *
 *   1  v_1 random, |v_1| = 1
 *   2  alpha_i u_i = M v_i - beta_(i-1) u_(i-1)
 *   3  beta_i v_(i+1) = M' u_i - alpha_i v_i
 *
 * After s steps, M V = U B, where B is bidiagonal with alpha and beta on its diagonals. The
 * singular values of B approach those of M from below, the largest first. All s vectors u_i and v_i
 * are kept, so memory grows with the number of steps.
 *
 * Example. M = (3, 0; 4, 5) has the singular values sqrt 45 = 6.708 and sqrt 5 = 2.236. Two steps
 * find both. The rows (1, 2) and (3, 0) have A'A = (10, 2; 2, 4). With the sketch B = (3, 1), the
 * difference A'A - B'B = (1, -1; -1, 3) has the eigenvalues 2 - sqrt 2 = 0.586 and 3.414.
 *
 * Source: G. Golub, W. Kahan, Calculating the singular values and pseudo-inverse of a matrix, SIAM
 * J. Numer. Anal. (series B) 2, 1965.
 */
#ifndef LEAT_KERNELS_DENSE_SPECTRAL_H
#define LEAT_KERNELS_DENSE_SPECTRAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Matrix M of size rows x columns. times() sets out = M in, or out = M' in if `transposed`. in and
 * out do not overlap. */
struct spectral_operator {
    uint32_t rows, columns;
    void *self;
    void (*times)(void *self, bool transposed, const double *in, double *out);
};

size_t spectral_bytes(uint32_t rows, uint32_t columns, uint32_t steps);
/* Sets sigma to the k largest singular values in descending order, k <= steps. Sets the rest to
 * 0 if M has fewer than k. Returns false if M is not finite. block: spectral_bytes() bytes,
 * aligned to 64. */
bool spectral_top(const struct spectral_operator *m, uint32_t steps, uint64_t seed, uint32_t k,
                  double *sigma, void *block);

/* ---- S = A'A of sparse rows, and the error of its sketch C C' = B'B ----
 *
 * S takes d x d doubles, which is practical for a few thousand features.
 */

/* Adds x x' to S, where x is a row of n entries. Entries of the same feature add up. O(n^2).
 *   s  lower triangle of S, d x d, row-major */
void covariance_add(uint32_t d, double *s, uint32_t n, const uint32_t *feature, const double *x);

/* Length of the array `work` of covariance_extremes(). */
size_t covariance_work(uint32_t d);

/* Computes the smallest and the largest eigenvalue of S - C C'. Takes d^2 r + 4/3 d^3 flops.
 * Returns false if eigen_values() failed. The arrays must not overlap.
 *   c     C = B', d x r, row-major with rows of ld >= r doubles; r may be 0
 *   D     scratch, d x eigen_ld(d)
 *   work  scratch, covariance_work(d) doubles */
bool covariance_extremes(uint32_t d, const double *restrict s, uint32_t r, const double *restrict c,
                         uint32_t ld, double *restrict D, double *restrict work, double *low,
                         double *high);

#endif
