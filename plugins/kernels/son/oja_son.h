/* oja_son.h -- online Newton with H sketched by Oja's algorithm.
 *
 * Kept are m orthonormal rows V that follow the leading eigenvectors of the gradients, and how much
 * of the gradients has fallen on each. With g^ = r x, the t-th row that H takes in:
 *
 *   S_i += (V_i g^)^2,   V <- orth(V + (1/t) (V g^) g^'),   H = alpha0 I + V' diag(S) V
 *
 * orth is Gram-Schmidt in the order of the rows. The first m gradients that are new to the span of
 * V become its rows, so d need not be known and m may exceed it.
 *
 * Sparse: V = F Z with F lower triangular; the step changes Z only in the features of x, by
 * (r / t)(Z x) r x', and leaves V as I + beta pp' (p = Vx, beta = 2 r^2/t + r^4 x'x / t^2) from
 * orthonormal: F <- C^-1 F with CC' that matrix. Weights are w = u + Z'c (son.h). Z alone tends
 * to lose its rank (it is a power iteration), so when |F| |Z| passes OJA_SON_SPREAD Z becomes FZ:
 * the only work that all features share. A row that is lost to rounding all the same, where
 * gradients differ in size by a million, stays 0. An example costs O(m nnz + m^3).
 *
 * Source: H. Luo et al., Efficient second order online learning by sketching, NIPS 2016, sections
 * 3.3 and 4. Names -> theirs: S = t Lambda, 1/t = Gamma_t.
 */
#ifndef LEAT_KERNELS_SON_OJA_SON_H
#define LEAT_KERNELS_SON_OJA_SON_H

#include "son.h"

#define OJA_SON_MAX_M  256
#define OJA_SON_SPREAD 1e4

struct oja_son {
    struct son_options opt;
    uint32_t m, k; /* rows at most; rows now      */
    uint64_t t;    /* rows that H has taken in    */
    double zz;     /* |Z|^2, Frobenius            */
    double *F, *S, *c;
    double *C, *a, *p, *q; /* scratch: a = Zx, p = Vx */
};

/* Doubles of a feature. */
static inline uint32_t oja_son_stride(uint32_t m) { return 1 + m; }
size_t oja_son_bytes(uint32_t m);
void oja_son_init(struct oja_son *s, const struct son_options *opt, uint32_t m, void *block);
/* Predict (*z), then learn. SON_OVERFLOW: a step was left out. */
enum son_result oja_son_learn(struct oja_son *s, const struct son_features *f,
                              const struct son_row *r, double *z);
double oja_son_weight(const struct oja_son *s, const struct son_features *f, uint32_t feature);

#endif
