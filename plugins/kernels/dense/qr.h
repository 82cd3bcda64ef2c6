/* qr.h -- A = Q R of a matrix with many rows and few columns
 *
 * Factors one block of rows after the other, each stacked below the R of the blocks before
 * (sequential TSQR), so each block stays in cache. Blocks use Householder reflectors in panels of
 * columns:
 *
 *   I - V T V',  V has 1s on its diagonal,  1 / T = strict upper part of V'V + diag(V'V) / 2
 *
 * Q is multiplied out from the last block to the first. V is kept in the place of A, and T is
 * computed again from it, so the memory does not depend on the number of rows. Columns of Q are
 * orthonormal even if A has a lower rank, and no column need have the scale of the others. The
 * order of all operations is fixed, so the results have the same bits on all machines. A reflector
 * makes the diagonal of R change its sign, so signs of R and Q follow from A.
 *
 * Example. The rows (3, 0) and (4, 5) have R = (-5, -4; 0, 3) up to the sign of each row.
 *
 * Takes 4 m k^2 flops for m x k, half of them for R.
 *
 * Sources: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and
 * sequential QR and LU, SIAM J. Sci. Comput. 2012; T. Joffrain, T. M. Low, E. Quintana-Orti, R.
 * van de Geijn, F. Van Zee, Accumulating Householder transformations, revisited, ACM TOMS 2006. */
#ifndef LEAT_KERNELS_DENSE_QR_H
#define LEAT_KERNELS_DENSE_QR_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of doubles in `work` for matrices of up to k columns. */
size_t qr_work(uint32_t k);
/* Replaces the first r = min(m, k) columns of A by Q; the columns r .. k - 1 become undefined.
 * Returns r.
 *   a     m x k, row-major, ld doubles from row to row
 *   R     becomes upper triangular, r x k without gaps
 *   work  qr_work(k) doubles, aligned to 64 */
uint32_t qr(uint32_t m, uint32_t k, double *a, uint32_t ld, double *R, double *work);
/* Computes the same R without changing A. stack: qr_stack(k) doubles. */
uint32_t qr_triangle(uint32_t m, uint32_t k, const double *a, uint32_t ld, double *R, double *stack,
                     double *work);
size_t qr_stack(uint32_t k);

#endif
