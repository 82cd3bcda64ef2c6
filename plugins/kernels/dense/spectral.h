/* spectral.h -- eigenvalues and singular values that evaluate sketches: of a matrix that is known
 * only by its products, and of the difference from a sum of sparse rows.
 *
 * Golub and Kahan's bidiagonalisation with full reorthogonalisation, from a random start:
 *
 *   1  v_1 random, |v_1| = 1
 *   2  alpha_i u_i = M v_i - beta_(i-1) u_(i-1)
 *   3  beta_i v_(i+1) = M' u_i - alpha_i v_i
 *
 * After s steps M V = U B, where B is bidiagonal with alpha and beta. Its singular values approach
 * those of M from below, the largest first. It keeps s vectors of each side: this evaluates
 * sketches; it is not for streams.
 *
 * Source: G. Golub, W. Kahan, Calculating the singular values and pseudo-inverse of a matrix, SIAM
 * J. Numer. Anal. (series B) 2, 1965.
 */
#ifndef LEAT_KERNELS_DENSE_SPECTRAL_H
#define LEAT_KERNELS_DENSE_SPECTRAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* M is rows x columns. times: out = M in, or M' in if transposed; in and out do not overlap. */
struct spectral_operator {
    uint32_t rows, columns;
    void *self;
    void (*times)(void *self, bool transposed, const double *in, double *out);
};

size_t spectral_bytes(uint32_t rows, uint32_t columns, uint32_t steps);
/* sigma becomes the k <= steps largest singular values, descending, 0 where M has no more. False: M
 * is not finite. block: spectral_bytes() bytes, aligned to 64. */
bool spectral_top(const struct spectral_operator *m, uint32_t steps, uint64_t seed, uint32_t k,
                  double *sigma, void *block);

/* A'A of sparse rows, exactly, and how far a sketch B'B is from it.
 *
 * Memory is d x d: this evaluates sketches of some thousand features; it is not for streams.
 */

/* S += x x' for a row of n entries; entries of one feature add up. Costs n^2.
 *   s  S, d x d, row-major: its lower triangle */
void covariance_add(uint32_t d, double *s, uint32_t n, const uint32_t *feature, const double *x);

/* Doubles of work for covariance_extremes(). */
size_t covariance_work(uint32_t d);

/* The smallest and the largest eigenvalue of S - C C'. Costs d^2 r + 4/3 d^3 flops. False: LAPACK
 * failed. No aliasing.
 *   c     C, d x r, row-major, ld >= r doubles from row to row: the columns of B; r = 0: none
 *   D     scratch, d x d
 *   work  scratch, covariance_work(d) doubles */
bool covariance_extremes(uint32_t d, const double *restrict s, uint32_t r, const double *restrict c,
                         uint32_t ld, double *restrict D, double *restrict work, double *low,
                         double *high);

#endif
