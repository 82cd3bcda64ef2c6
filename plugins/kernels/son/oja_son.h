/* oja_son.h -- online Newton with H sketched by Oja's algorithm.
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
 * Weights are w = u + Z'c (son.h). Z by itself tends to lose its rank (it is a power iteration), so
 * when |F| |Z| exceeds OJA_SON_SPREAD, Z becomes F Z: the only work that all features share. So it
 * does when |Z|^2 exceeds OJA_SON_MAX_SQUARE: with m = 1, |F| |Z| stays 1 while Z grows. A row that
 * rounding cancels nevertheless, where gradients differ in size by a factor of a million,
 * stays 0. An example costs O(m nnz + m^3).
 *
 * Paper letter = field: V_t = F Z, t Lambda_t = S, Gamma_t = 1/t, F_t = F, Z_t = Z, alpha = alpha0,
 * ghat_t = r x.
 * Source: H. Luo, A. Agarwal, N. Cesa-Bianchi, J. Langford, Efficient second order online learning
 * by sketching, NIPS 2016, sections 3.3 and 4.
 */
#ifndef LEAT_KERNELS_SON_OJA_SON_H
#define LEAT_KERNELS_SON_OJA_SON_H

#include "son.h"

#define OJA_SON_SPREAD     1e4
#define OJA_SON_MAX_SQUARE 1e60 /* of |Z|: an example multiplies it by at most 1e91 */

struct oja_son {
    struct son_options opt;
    uint32_t m, k;         /* rows of V: at most, now      */
    uint64_t t;            /* rows that H has taken in     */
    double zz;             /* |Z|^2, Frobenius             */
    double *F, *S, *c;     /* m x m, m, m                  */
    double *C, *a, *p, *q; /* scratch: m x m, then m each  */
};

size_t oja_son_bytes(uint32_t m);
/* block: oja_son_bytes() zeroed bytes, aligned to 64. */
void oja_son_init(struct oja_son *s, const struct son_options *opt, uint32_t m, void *block);
/* Predicts (*z), then learns. SON_OVERFLOW: a step was left out. */
enum son_result oja_son_learn(struct oja_son *s, const struct son_features *f,
                              const struct son_row *r, double *z);
double oja_son_weight(const struct oja_son *s, const struct son_features *f, uint32_t feature);

/* NULL, or what is wrong with the model. */
const char *oja_son_check(const struct oja_son *s);

#endif
