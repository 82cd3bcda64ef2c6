/* vectors.h -- sums and multiples of vectors of doubles, with the same bits on all machines.
 *
 * The order of each sum is part of its definition, so processors and compilers do not matter.
 * NaN and infinities pass through as IEEE 754 says; 0 times NaN is NaN.
 *
 * Example. The vectors (3, 4) and (1, 2) have the dot product 11. The norm of (3, 4) is 5. */
#ifndef LEAT_KERNELS_DENSE_VECTORS_H
#define LEAT_KERNELS_DENSE_VECTORS_H

#include <stddef.h>

/* Number of partial sums of a dot product. */
#define VECTORS_LANES 8

/* Returns x'y. Product i is added to lane i mod 8, in ascending order. The lanes l0 .. l7 are then
 * added as ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)). */
double vectors_dot(size_t n, const double *x, const double *y);
/* Returns |x|. Squares neither overflow nor vanish. */
double vectors_norm(size_t n, const double *x);
/* Computes y += a x. The vectors must not overlap. */
void vectors_add(size_t n, double a, const double *x, double *y);
/* Computes x *= a. */
void vectors_scale(size_t n, double a, double *x);

#endif
