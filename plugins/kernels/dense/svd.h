/* svd.h -- singular values and vectors of a small dense matrix, M = U diag(sigma) Vt
 *
 * Uses Householder's bidiagonal form and the implicit QR method of Golub and Kahan. A sweep has the
 * shift 0 if a diagonal element is negligible, and then removes one such element. The errors
 * |M - U diag(sigma) Vt| / |M|, |U'U - I| and |Vt Vt' - I| are a few units in the last place,
 * growing with the size, at any scale. The order of all operations is fixed, so the results have
 * the same bits on all machines.
 *
 * Signs: the largest |number| of each row of Vt is positive. Among equal ones the first counts.
 *
 * Example. (3, 0; 4, 5) has the singular values sqrt 45 and sqrt 5. The rows of Vt are
 * (1, 1) / sqrt 2 and (1, -1) / sqrt 2.
 *
 * The iteration takes at most SVD_SWEEPS sweeps for a singular value; two or three are usual.
 * Takes 8/3 n^3 flops for the values of an n x n matrix, and some 14 n^3 more for the vectors.
 *
 * Sources: G. Golub, W. Kahan, Calculating the singular values and pseudo-inverse of a matrix, SIAM
 * J. Numer. Anal. (series B) 2, 1965; J. Demmel, W. Kahan, Accurate singular values of bidiagonal
 * matrices, SIAM J. Sci. Stat. Comput. 11, 1990 (the shift 0).
 */
#ifndef LEAT_KERNELS_DENSE_SVD_H
#define LEAT_KERNELS_DENSE_SVD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SVD_SWEEPS 60

/* Returns the number of doubles in `work` for matrices of up to k rows and columns. */
size_t svd_work(uint32_t k);
/* Computes the singular values and vectors of M.
 *   M      m x n, row-major without gaps; must not overlap the others
 *   sigma  becomes the s = min(m, n) singular values, descending
 *   U, Vt  become m x s and s x n, row-major without gaps; both NULL for the values only
 *   work   svd_work(max(m, n)) doubles, aligned to 64
 * Returns false if M is not finite or the iteration did not converge. */
bool svd(uint32_t m, uint32_t n, const double *M, double *sigma, double *U, double *Vt,
         double *work);

#endif
