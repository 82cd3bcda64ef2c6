/* lbfgs.h -- limited-memory BFGS of sparse vectors: descent directions from gradients and past
 * steps.
 *
 * Source: J. Nocedal, S. Wright, Numerical Optimization, 2nd edition, algorithm 7.4. A pair (s, r)
 * is the change of the weights and of the gradient in one step. With rho = 1 / s'r the two loops
 * are
 *
 *   q = g;  for the newest to the oldest:  a_i = rho_i s_i'q,  q -= a_i r_i
 *   z = (s'r / r'r of the newest) q
 *   for the oldest to the newest:          z += s_i (a_i - rho_i r_i'z)
 *
 * The loops need only inner products with the vectors of the pairs; the inner products between
 * pairs are stored. So z is computed only at the ids of g, and values at other ids are not stored.
 * Up to rounding, z is the full direction restricted to the ids of g.
 *
 * A pair is stored if s'r >= LBFGS_CURVATURE s's and s's >= LBFGS_TINY. This limits the length of
 * directions, and every direction is one of descent. A direction costs O(tau (entries of g +
 * entries of a pair)).
 *
 * Example. One pair s = { 1: 1 }, r = { 1: 2 }: the curvature along feature 1 is 2. For the
 * gradient g = { 1: 4, 2: 6 }: rho = 1/2, a = 1/2 x 4 = 2, and q = (4 - 2 x 2, 6) = (0, 6). With
 * s'r / r'r = 1/2, z = (0, 3); the second loop adds s (2 - 0), so z = (2, 3). Along feature 1 this
 * is Newton's step 4/2. Feature 2 is not in the pair and gets the scale 1/2.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_LBFGS_H
#define LEAT_KERNELS_LINEAR_MISSION_LBFGS_H

#include <stdbool.h>

#include "kernels/linear/linear.h"

enum { LBFGS_MAX_PAIRS = 64 };
#define LBFGS_CURVATURE 1e-4
#define LBFGS_TINY      1e-20

struct lbfgs {
    struct linear_pairs pairs; /* max is 1 .. LBFGS_MAX_PAIRS; the arrays have room for max + 1
                                * pairs, each of max_entries / max entries */
    double *sr, *rr;           /* inner products s_i'r_j and r_i'r_j, max x max each */
};

/* Converts v to a float, limited to SGD_LIMIT. */
static inline float lbfgs_float(double v)
{
    double limit = (double)SGD_LIMIT;
    return (float)(v > limit ? limit : v < -limit ? -limit : v);
}

/* Ids of a sparse vector, ascending. */
struct lbfgs_ids {
    uint32_t n;
    const uint32_t *id;
};

/* Computes the direction z at the ids `at` of g. Returns false if there is no pair, or if z is
 * not finite. */
bool lbfgs_direction(const struct lbfgs *l, struct lbfgs_ids at, const double *g, double *z);
/* Adds a pair; drops the oldest if there are max pairs. Returns false, and does not add the pair,
 * if it has too little curvature or more than max_entries / max entries. */
bool lbfgs_push(struct lbfgs *l, struct lbfgs_ids at, const double *s, const double *r);
void lbfgs_forget(struct lbfgs *l);
/* Recomputes the inner products; call it after copying pairs into `pairs`. Returns NULL, or the
 * reason why no optimiser can have these pairs. */
const char *lbfgs_rebuild(struct lbfgs *l);

#endif
