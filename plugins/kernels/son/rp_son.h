/* rp_son.h -- online Newton with H sketched by random projection.
 *
 *   B += xi (r x)',  xi_k = +-1 / sqrt(m) at random;   H = alpha0 I + B'B;   E[B'B] = sum (r x)(r
 * x)'
 *
 * Implicit weights w = u + B'c (son.h): a new row changes B in the features of x only, and u
 * takes back what that would do to w. Kept beside: G = BB', m x m. An example of nnz entries costs
 * O(m nnz + m^3), whatever d is.
 * Sources: son.h; signs instead of Gaussians: D. Achlioptas, J. Comput. Syst. Sci. 2003.
 *
 * The signs follow from seed and number of the example.
 */
#ifndef LEAT_KERNELS_SON_RP_SON_H
#define LEAT_KERNELS_SON_RP_SON_H

#include "son.h"

#define RP_SON_MAX_M 256

struct rp_son {
    struct son_options opt;
    uint32_t m;
    uint64_t seed, t; /* rows taken in */
    double *G, *c;
    double *L, *p, *q, *xi; /* L: Cholesky of alpha0 I + G. Scratch */
};

/* Doubles of a feature. */
static inline uint32_t rp_son_stride(uint32_t m) { return 1 + m; }
size_t rp_son_bytes(uint32_t m);
void rp_son_init(struct rp_son *s, const struct son_options *opt, uint32_t m, uint64_t seed,
                 void *block);
/* Predict (*z), then learn. SON_OVERFLOW: a step was left out. */
enum son_result rp_son_learn(struct rp_son *s, const struct son_features *f,
                             const struct son_row *r, double *z);
double rp_son_weight(const struct rp_son *s, const struct son_features *f, uint32_t feature);

#endif
