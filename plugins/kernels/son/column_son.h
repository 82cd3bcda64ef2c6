/* column_son.h -- sketched online Newton by Oja or random projection, with a column per feature
 *
 * Both learners store w as w = u + Z'c, where Z is m x d. The learner's doubles of feature j are
 * u_j and the column z_j of Z. A new row changes Z only in the features of x; u changes by the
 * opposite amount, so w does not change. The two learners differ in Z and in how they compute H^-1
 * x from Z.
 *
 * Example: squared loss, C = 1, alpha0 = 1, m = 1. A new feature arrives with x = 1, y = +1: z = 0,
 * g = -2, r^2 = 1/2. Oja has V = 1 and S = 1/2. The projection has B = +-sqrt(1/2) and G = 1/2.
 * Both have H = 3/2, as full_on.h does, so w = 2 / (3/2) = 4/3.
 *
 * ---- Oja ----
 *
 * The learner has m orthonormal rows V, which approximate the leading eigenvectors of the
 * gradients. For each row V_i it stores S_i, the sum of the squares of the gradients' components
 * along V_i. The t-th row g^ = r x that is added to H changes them by
 *
 *   S_i += (V_i g^)^2;   V <- orth(V + (1/t) (V g^) g^');   H = alpha0 I + V' diag(S) V
 *
 * where orth() is Gram-Schmidt in the order of the rows. At first V is empty; each of the first m
 * gradients outside the span of V adds a row to V. The learner need not know d, and m may exceed d.
 *
 * Sparse form. V = F Z with F lower triangular. An example changes Z only in the features of x:
 *
 *   a = Zx;  p = F a = Vx
 *   Z += (r^2 / t) a x'                          the rows F Z then have the Gram matrix
 *   C C' = I + beta p p'                         where beta = 2 r^2/t + r^4 x'x / t^2
 *   F <- C^-1 F                                  the rows F Z are orthonormal again
 *
 * Z tends to lose its rank, because the update is a power iteration. So when |F| |Z| exceeds
 * OJA_SON_SPREAD, Z is replaced by F Z and F is recomputed; only this touches all features. Z is
 * also replaced when |Z|^2 exceeds OJA_SON_MAX_SQUARE, because with m = 1 |F| |Z| stays 1 while Z
 * grows. If gradients differ in size by a factor of a million, rounding may still cancel a row,
 * which then stays 0. An example of nnz entries costs O(m nnz + m^3).
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
 * Z = B. The learner also stores G = BB' (m x m):
 *
 *   p = Bx;  q = (alpha0 I + G)^-1 p;  rho = x'x - p'q          H^-1 x = (x - B'q) / alpha0
 *
 * An example of nnz entries costs O(m nnz + m^3) for any d. The signs xi depend only on the seed
 * and the number of the row.
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
#define OJA_SON_MAX_SQUARE 1e60 /* limit of |Z|^2; an example multiplies |Z| by at most 1e91 */

struct column_son_options {
    struct son_options son;
    uint32_t m;
    uint64_t seed; /* seed of the signs xi; unused by Oja */
};

struct column_son {
    struct column_son_options opt;
    uint32_t k;        /* rows of Z in use; in random projection always m                        */
    uint64_t t;        /* number of rows added to H                                              */
    double zz;         /* Oja: square of the Frobenius norm of Z                                 */
    double *c;         /* m coefficients                                                         */
    double *F, *S;     /* Oja: F is m x m, S has m numbers                                       */
    double *G;         /* random projection: m x m                                               */
    double *a, *p, *q; /* scratch, m each; random projection: a = p                              */
    double *C;         /* scratch of Oja, m x m                                                  */
    double *L, *xi;    /* scratch of random projection: Cholesky factor of alpha0 I + G; m signs */
};

/* Kernels whose options are a struct column_son_options. */
extern const struct son_kernel oja_son_kernel, rp_son_kernel;

#endif
