/* column_son.h -- sketched online Newton, a column for each feature: by Oja or random projection
 *
 * Both learners keep w = u + Z'c. The learner's doubles of feature j are u_j and the column z_j of
 * Z, which is m x d. A new row changes Z only in the features of x, and u changes by the opposite
 * amount, so that w stays. The two differ in Z and in how H^-1 x follows from it.
 *
 * Example: squared loss, C = 1, alpha0 = 1, m = 1. A new feature arrives with x = 1, y = +1: z = 0,
 * g = -2, r^2 = 1/2. Oja has V = 1 and S = 1/2. The projection has B = +-sqrt(1/2) and G = 1/2.
 * Both have H = 3/2, as full_on.h does, so w = 2 / (3/2) = 4/3.
 *
 * ---- Oja ----
 *
 * The learner keeps m orthonormal rows V, which follow the leading eigenvectors of the gradients.
 * For each row it keeps S_i, the sum of the squares of the gradients' components along that row.
 * For g^ = r x, the t-th row that H takes in,
 *
 *   S_i += (V_i g^)^2;   V <- orth(V + (1/t) (V g^) g^');   H = alpha0 I + V' diag(S) V
 *
 * where orth is Gram-Schmidt in the order of the rows. The first m gradients outside the span of V
 * become its rows. The learner need not know d, and m may exceed d.
 *
 * Sparse form. V = F Z with F lower triangular. An example changes Z only in the features of x:
 *
 *   a = Zx;  p = F a = Vx
 *   Z += (r^2 / t) a x'                          leaves the rows F Z with the Gram matrix
 *   C C' = I + beta p p'                         where beta = 2 r^2/t + r^4 x'x / t^2
 *   F <- C^-1 F                                  makes them orthonormal again
 *
 * Z by itself tends to lose its rank, because the update is a power iteration. So when |F| |Z|
 * exceeds OJA_SON_SPREAD, Z becomes F Z, the only work that touches all features. The same happens
 * when |Z|^2 exceeds OJA_SON_MAX_SQUARE: with m = 1, |F| |Z| stays 1 while Z grows. If gradients
 * differ in size by a factor of a million, rounding may still cancel a row, which then stays 0. An
 * example costs O(m nnz + m^3).
 *
 * Paper letter = field: V_t = F Z, t Lambda_t = S, Gamma_t = 1/t, F_t = F, Z_t = Z, alpha = alpha0,
 * ghat_t = r x.
 * Source: H. Luo, A. Agarwal, N. Cesa-Bianchi, J. Langford, Efficient second order online learning
 * by sketching, NIPS 2016, sections 3.3 and 4.
 *
 * ---- random projection ----
 *
 *   B += xi (r x)',  xi_k = +-1 / sqrt(m) at random
 *   H = alpha0 I + B'B,  where E[B'B] = sum of (r x)(r x)'
 *
 * Z = B. The learner also keeps G = BB' (m x m):
 *
 *   p = Bx;  q = (alpha0 I + G)^-1 p;  rho = x'x - p'q          H^-1 x = (x - B'q) / alpha0
 *
 * An example of nnz entries costs O(m nnz + m^3) for any d. The seed and the number of the row
 * determine the signs.
 *
 * Paper letter = field: S_t = B, r_t = xi (signs in place of Gaussians), H_t = (alpha0 I + G)^-1,
 * alpha = alpha0, ghat_t = r x.
 * Sources: H. Luo, A. Agarwal, N. Cesa-Bianchi, J. Langford, Efficient second order online learning
 * by sketching, NIPS 2016, section 3.1; D. Achlioptas, Database-friendly random projections,
 * J. Comput. Syst. Sci. 66, 2003 (the signs).
 */
#ifndef LEAT_KERNELS_SON_COLUMN_SON_H
#define LEAT_KERNELS_SON_COLUMN_SON_H

#include "son.h"

#define OJA_SON_SPREAD     1e4
#define OJA_SON_MAX_SQUARE 1e60 /* limit of |Z|^2: an example multiplies |Z| by at most 1e91 */

struct column_son_options {
    struct son_options son;
    uint32_t m;
    uint64_t seed; /* seed of the signs; Oja does not use it */
};

struct column_son {
    struct column_son_options opt;
    uint32_t k;        /* rows of Z in use; random projection: always m */
    uint64_t t;        /* rows that H has taken in                     */
    double zz;         /* Oja: |Z|^2, Frobenius                        */
    double *c;         /* m coefficients                               */
    double *F, *S;     /* Oja: m x m, m                                */
    double *G;         /* random projection: m x m                     */
    double *a, *p, *q; /* scratch, m each; random projection: a = p    */
    double *C;         /* scratch of Oja, m x m                        */
    double *L, *xi;    /* scratch of the projection: the Cholesky factor of alpha0 I + G; m */
};

/* Both take a struct column_son_options. */
extern const struct son_kernel oja_son_kernel, rp_son_kernel;

#endif
