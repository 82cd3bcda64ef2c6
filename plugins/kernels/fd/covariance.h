/* covariance.h -- A'A of sparse rows, exactly, and how far a sketch B'B is from it.
 *
 * Memory is d x d: this evaluates sketches of some thousand features; it is not for streams.
 */
#ifndef LEAT_KERNELS_FD_COVARIANCE_H
#define LEAT_KERNELS_FD_COVARIANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
