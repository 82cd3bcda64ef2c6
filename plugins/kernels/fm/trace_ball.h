/* trace_ball.h -- the nearest matrix in a ball of the trace norm.
 *
 *   T = U diag(lambda) U' -> U diag(sgn(lambda) (|lambda| - tau)+) U'
 *
 * with the tau >= 0 for which sum (|lambda_i| - tau)+ = radius, or 0 if the sum is below it anyway:
 * the projection of the vector lambda onto a ball of the 1-norm, as the nearest matrix has the same
 * eigenvectors. tau comes of the sizes in descending order: the largest k with
 * |lambda_k| > tau_k = (sum of the first k - radius) / k.
 *
 * Sources: J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra, Efficient projections onto the
 * l1-ball, ICML 2008; for matrices, e.g., X. Lin et al., WWW 2018.
 * Cost: O(n^3), by LAPACK's dsyevd.
 */
#ifndef LEAT_KERNELS_FM_TRACE_BALL_H
#define LEAT_KERNELS_FM_TRACE_BALL_H

#include <stddef.h>
#include <stdint.h>

/* The largest power of two for whose matrices LAPACK can count its work in an int. */
#define TRACE_BALL_MAX 16384u

/* Bytes of work for matrices up to n x n, n <= TRACE_BALL_MAX: some 24 n^2. */
size_t trace_ball_bytes(uint32_t n);
/* t: a triangle (triangle.h) of n rows, finite. work: trace_ball_bytes(n) bytes, aligned to 64.
 * Returns its trace norm as it is now: radius, or less if nothing was done; or -1 if LAPACK failed,
 * and then t is as it was. */
double trace_ball_project(uint32_t n, double *t, double radius, void *work);

#endif
