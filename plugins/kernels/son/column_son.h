/* column_son.h -- online Newton sketched in a column a feature: by Oja's algorithm, and by random
 * projection.
 *
 * Both keep w = u + Z'c. The learner's doubles of feature j are u_j and the column z_j of Z, which
 * is m x d. A new row changes Z only in the features of x, and u takes back what this would change
 * in w. They differ in what Z is and how H^-1 x follows from it.
 *
 * ---- Oja ----
 *
 * Kept are m orthonormal rows V, which follow the leading eigenvectors of the gradients, and for
 * each of them the sum S_i of the squares that fell on it. For g^ = r x, the t-th row that H takes
 * in,
 *
 *   S_i += (V_i g^)^2;   V <- orth(V + (1/t) (V g^) g^');   H = alpha0 I + V' diag(S) V
 *
 * where orth is Gram-Schmidt in the order of the rows. The first m gradients outside the span of V
 * become its rows; d need not be known, and m may exceed it.
 *
 * Sparse form. V = F Z with F lower triangular. An example changes Z only in the features of x:
 *
 *   a = Zx;  p = F a = Vx
 *   Z += (r^2 / t) a x'                          leaves the rows F Z with the Gram matrix
 *   C C' = I + beta p p'                         where beta = 2 r^2/t + r^4 x'x / t^2
 *   F <- C^-1 F                                  makes them orthonormal again
 *
 * Z by itself tends to lose its rank (it is a power iteration), so
 * when |F| |Z| exceeds OJA_SON_SPREAD, Z becomes F Z: the only work that all features share. So it
 * does when |Z|^2 exceeds OJA_SON_MAX_SQUARE: with m = 1, |F| |Z| stays 1 while Z grows. A row that
 * rounding cancels nevertheless, where gradients differ in size by a factor of a million,
 * stays 0. An example costs O(m nnz + m^3).
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
 * Z = B. G = BB' (m x m) is kept as well:
 *
 *   p = Bx;  q = (alpha0 I + G)^-1 p;  rho = x'x - p'q          H^-1 x = (x - B'q) / alpha0
 *
 * An example of nnz entries costs O(m nnz + m^3), whatever d is. The signs follow from the seed and
 * the number of the row.
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
#define OJA_SON_MAX_SQUARE 1e60 /* of |Z|: an example multiplies it by at most 1e91 */

struct column_son_options {
    struct son_options son;
    uint32_t m;
    uint64_t seed; /* of the signs; Oja has none */
};

struct column_son {
    struct column_son_options opt;
    uint32_t k;        /* rows of Z that are there; projected: m       */
    uint64_t t;        /* rows that H has taken in                     */
    double zz;         /* Oja: |Z|^2, Frobenius                        */
    double *c;         /* m                                            */
    double *F, *S;     /* Oja: m x m, m                                */
    double *G;         /* projected: m x m                             */
    double *a, *p, *q; /* scratch: m each; projected: a = p            */
    double *C;         /* scratch of Oja: m x m                        */
    double *L, *xi;    /* scratch of the projection: the Cholesky factor of alpha0 I + G; m */
};

/* Their options are a struct column_son_options. */
extern const struct son_kernel oja_son_kernel, rp_son_kernel;

#endif
