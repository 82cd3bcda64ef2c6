/* covariance.h -- A'A of sparse rows, exactly, and how far a sketch B'B is from it.
 *
 * Memory d x d: this is for judging sketches of some thousand features, not for streams.
 */
#ifndef LEAT_KERNELS_FD_COVARIANCE_H
#define LEAT_KERNELS_FD_COVARIANCE_H

#include <stddef.h>
#include <stdint.h>

/* S += x x' for a row of n entries; a feature that repeats adds up. S[d x d] row-major, its lower
 * triangle. cost n^2. */
void covariance_add(uint32_t d, double *s, uint32_t n, const uint32_t *feature, const double *x);

/* Doubles of workspace for the two below. */
size_t covariance_work(uint32_t d);

/* Smallest and largest eigenvalue of S - C C', with C[d x r] row-major of row length ld >= r (the
 * columns of B; r = 0: of S). D[d x d] and work are scratch; no aliasing. False: LAPACK failed.
 * cost d^2 r + 4/3 d^3 flops. */
int covariance_extremes(uint32_t d, const double *restrict s, uint32_t r, const double *restrict c,
                        uint32_t ld, double *restrict D, double *restrict work, double *low,
                        double *high);

#endif
