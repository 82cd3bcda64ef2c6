/* spectral.h -- the largest singular values of a matrix that is only known by its products.
 *
 * Golub and Kahan's bidiagonalisation with full reorthogonalisation (G. Golub, W. Kahan, SIAM J.
 * Numer. Anal. 1965) from a random start: after s steps, M V = U B with B bidiagonal, whose
 * singular values approach M's from below, the largest first. For judging sketches, not for
 * streams: it keeps s vectors of each side.
 */
#ifndef LEAT_KERNELS_DENSE_SPECTRAL_H
#define LEAT_KERNELS_DENSE_SPECTRAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* M is rows x columns. out = M in, or M' in when transposed. in and out do not overlap. */
struct spectral_operator {
    uint32_t rows, columns;
    void *self;
    void (*times)(void *self, bool transposed, const double *in, double *out);
};

size_t spectral_bytes(uint32_t rows, uint32_t columns, uint32_t steps);
/* The k largest singular values, descending, 0 where there are no more; k <= steps. false: M is not
 * finite. block: aligned to 64. */
bool spectral_top(const struct spectral_operator *m, uint32_t steps, uint64_t seed, uint32_t k,
                  double *sigma, void *block);

#endif
