/* rp_son.h -- online Newton with H sketched by random projection.
 *
 *   B += xi (r x)',  xi_k = +-1 / sqrt(m) at random
 *   H = alpha0 I + B'B,  where E[B'B] = sum of (r x)(r x)'
 *
 * Weights are implicit: w = u + B'c (son.h). A new row changes B only in the features of x, and u
 * takes back what this would change in w. G = BB' (m x m) is kept as well:
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
#ifndef LEAT_KERNELS_SON_RP_SON_H
#define LEAT_KERNELS_SON_RP_SON_H

#include "son.h"

struct rp_son {
    struct son_options opt;
    uint32_t m;
    uint64_t seed, t;       /* t: rows that B has taken in                        */
    double *G, *c;          /* m x m, m                                           */
    double *L, *p, *q, *xi; /* scratch: Cholesky factor of alpha0 I + G; m each   */
};

size_t rp_son_bytes(uint32_t m);
/* block: rp_son_bytes() zeroed bytes, aligned to 64. */
void rp_son_init(struct rp_son *s, const struct son_options *opt, uint32_t m, uint64_t seed,
                 void *block);
/* Predicts (*z), then learns. SON_OVERFLOW: a step was left out. */
enum son_result rp_son_learn(struct rp_son *s, const struct son_features *f,
                             const struct son_row *r, double *z);
double rp_son_weight(const struct rp_son *s, const struct son_features *f, uint32_t feature);

/* NULL, or what is wrong with the model. */
const char *rp_son_check(const struct rp_son *s);

#endif
