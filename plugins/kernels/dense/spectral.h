/* spectral.h -- the largest singular values of a matrix that is known only by its products.
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

#endif
