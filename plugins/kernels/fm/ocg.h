/* ocg.h -- online conditional gradient: a factorization machine within a ball of the trace norm
 *
 *   z = a' C a,   |C|_* <= radius
 *   after every `every` examples, at step t:
 *     M = eta G + 2 C,  G = sum of phi'(z) a a' so far      the gradient of eta <G, C> + |C|_F^2
 *     u = eigenvector of M for the eigenvalue lambda of largest size
 *     C = (1 - gamma) C - gamma radius sign(lambda) u u',    gamma = min(1, 2 / sqrt(t))
 *
 * Example: squared loss, eta = 1, radius = 2, every = 1. The first example is a = (3, 4) with the
 * label 10: z = 0, G = -10 a a', so u = a / 5 and lambda = -250. With gamma = 1, C = 2 u u', and
 * the same a has z = 2 * 5^2 = 50.
 *
 * u comes from Lanczos' method (lanczos.h), started from the last u, the last example and a random
 * vector. It is as accurate as doubles allow, because steps amplify its error: after hundreds of
 * steps, several eigenvalues of M are nearly the largest. C is stored as `scale`
 * times the matrix `kept`, so that a step costs one pass over the matrix. The scale is multiplied
 * into the matrix before it becomes too small.
 *
 * Sources: X. Lin et al., Online compact convexified factorization machine, WWW 2018; E. Hazan,
 * Introduction to online convex optimization, 2016, algorithm 27.
 * Cost: a step needs ten to twenty products with M, each O(d^2) for d features. An example of n
 * features between steps costs O(n^2).
 */
#ifndef LEAT_KERNELS_FM_OCG_H
#define LEAT_KERNELS_FM_OCG_H

#include "lanczos.h"
#include "fm_exact.h"

struct ocg {
    enum fm_loss loss;
    double eta, radius;
    uint32_t every;
    uint64_t seed;               /* seed of the random vectors                      */
    uint64_t t, steps, products; /* numbers of examples, steps, and products with M */
    double scale;                /* C = scale * kept; 1 at first                    */
    double *gradient, *kept;     /* caller's memory: triangle_size(n) each          */
    double *u, *v;               /* n each: u is the last eigenvector, v is scratch */
    void *work;                  /* lanczos_bytes(n), aligned to 64                 */
    uint32_t n;                  /* features                                        */
};

double ocg_predict(const struct ocg *m, const struct fm_example *e);
/* Predicts, then learns; returns the prediction. */
double ocg_learn(struct ocg *m, const struct fm_example *e);

#endif
