/* eigen.h -- eigenvalues and eigenvectors of a symmetric matrix, A = Z' diag(lambda) Z
 *
 * Uses Householder's tridiagonal form and the QL method with Wilkinson's shift. Its recurrence has
 * no square roots (Pal, Walker and Kahan). |A Z' - Z' diag(lambda)| / |A| and |Z Z' - I| are a few
 * units in the last place, growing with n, at any scale. The order of all operations is fixed, so
 * the results have the same bits on all machines. The signs of the eigenvectors follow from this
 * order.
 *
 * Example. (2, 1; 1, 2) has the eigenvalues 3 and 1 and the eigenvectors (1, 1) / sqrt 2 and
 * (1, -1) / sqrt 2, up to their signs.
 *
 * The iteration takes at most EIGEN_SWEEPS sweeps for an eigenvalue; two or three are usual.
 * Takes 4/3 n^3 flops for the eigenvalues, and some 7 n^3 more for the eigenvectors.
 *
 * Sources: J. H. Wilkinson, C. Reinsch, Handbook for Automatic Computation, vol. II: Linear
 * Algebra, 1971, contribution II/2 (tred2); B. N. Parlett, The Symmetric Eigenvalue Problem, 1998,
 * section 8.15.
 */
#ifndef LEAT_KERNELS_DENSE_EIGEN_H
#define LEAT_KERNELS_DENSE_EIGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EIGEN_SWEEPS 60

/* Returns the number of doubles from row to row of Z. */
static inline uint32_t eigen_ld(uint32_t n) { return (n + 3) & ~3u; }
/* Returns the number of doubles in `work` for n x n matrices. */
size_t eigen_work(uint32_t n);
/* Computes the eigenvalues and eigenvectors of a.
 *   a       n x n, lower triangle, row-major, ld doubles from row to row
 *   lambda  becomes the n eigenvalues, descending
 *   work    eigen_work(n) doubles, aligned to 32; its first n rows of eigen_ld(n) numbers become
 *           Z: the eigenvectors as rows, in the order of lambda
 * Returns false if a is not finite or the iteration did not converge. Then lambda is NaN. */
bool eigen(uint32_t n, const double *a, uint32_t ld, double *lambda, double *work);

/* Returns the number of doubles in `work` of eigen_values(). */
size_t eigen_values_work(uint32_t n);
/* Computes only the eigenvalues, and overwrites a.
 *   a     n x n, lower triangle, eigen_ld(n) doubles from row to row
 *   work  eigen_values_work(n) doubles */
bool eigen_values(uint32_t n, double *a, double *lambda, double *work);

#endif
