/* gram.h -- orthonormal columns and triangles of tall matrices from A'A, by Cholesky.
 *
 *   A'A = R'R,  Q = A R^-1
 *
 * This takes a third of the operations of Householder's QR, nearly all in products of matrices.
 * But it squares the condition of A: Q and R have relative errors of about k eps / s, where s is
 * the smallest squared sine of the angle between a column and the columns before it. So a caller
 * states the smallest s that is good enough, and uses QR (tall_matrix.h) for worse matrices. A
 * second pass makes Q orthonormal up to rounding (CholeskyQR2: Y. Yamamoto, Y. Nakatsukasa, Y.
 * Yanagisawa, T. Fukaya, ETNA 44, 2015). Scaling a column changes nothing.
 *
 * Example. The rows (3, 0) and (4, 5) have A'A = (25, 20; 20, 25) and R = (5, 4; 0, 3). The squared
 * sine of the second column is 9 / 25. */
#ifndef LEAT_KERNELS_DENSE_GRAM_H
#define LEAT_KERNELS_DENSE_GRAM_H

#include "tall_matrix.h"

/* Sets R to the upper triangular k x k matrix with R'R = A'A. Returns false, with any numbers in R,
 * if a squared sine is below `least`, or a square may overflow or vanish. */
bool gram_triangle(struct tall_matrix A, uint32_t k, double least, double *R);

/* Makes the first k columns of A orthonormal, without changing their span. passes: 2; 1 if errors
 * up to 2^-20 do not matter. R and inverse: scratch, k x k doubles each. */
void gram_orthonormal(struct tall_matrix A, uint32_t k, int passes, double *R, double *inverse,
                      struct tall_matrix_work *w);

#endif
