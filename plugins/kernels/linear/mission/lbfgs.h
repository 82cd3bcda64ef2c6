/* lbfgs.h -- limited-memory BFGS of sparse vectors: a direction of descent from a
 * gradient and the last steps.
 *
 * Source: J. Nocedal, S. Wright, Numerical Optimization, 2nd edition, algorithm 7.4. A pair (s, r)
 * is how weights and gradient moved in one step. With rho = 1 / s'r the two loops are
 *
 *   q = g;  for the newest to the oldest:  a_i = rho_i s_i'q,  q -= a_i r_i
 *   z = (s'r / r'r of the newest) q
 *   for the oldest to the newest:          z += s_i (a_i - rho_i r_i'z)
 *
 * They need nothing of a vector but its inner products with the pairs, and those of pairs among
 * themselves are kept. So z is computed where g has entries, and what the loops have in other
 * places is never written down, but counts: z is the full direction there, up to rounding.
 *
 * A pair is kept if s'r >= LBFGS_CURVATURE s's and s's >= LBFGS_TINY: then no direction is uphill,
 * or longer than these say. A direction costs O(tau (entries of g + those of a pair)).
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_LBFGS_H
#define LEAT_KERNELS_LINEAR_MISSION_LBFGS_H

#include <stdbool.h>

#include "kernels/linear/linear.h"

enum { LBFGS_MAX_PAIRS = 64 };
#define LBFGS_CURVATURE 1e-4
#define LBFGS_TINY      1e-20

struct lbfgs {
    struct linear_pairs pairs; /* max is 1 .. LBFGS_MAX_PAIRS; room for one more than that of each
                                  max_entries / max entries */
    double *sr, *rr;           /* max x max: s_i'r_j, r_i'r_j */
};

/* v, within SGD_LIMIT. */
static inline float lbfgs_float(double v)
{
    double limit = (double)SGD_LIMIT;
    return (float)(v > limit ? limit : v < -limit ? -limit : v);
}

/* A vector: ids ascending. */
struct lbfgs_ids {
    uint32_t n;
    const uint32_t *id;
};

/* z, where g is. false: there is no pair, or z is not finite. */
bool lbfgs_direction(const struct lbfgs *l, struct lbfgs_ids at, const double *g, double *z);
/* A new pair, in place of the oldest one when there are max. false: it is not kept, because it has
 * no curvature, or more than max_entries / max entries. */
bool lbfgs_push(struct lbfgs *l, struct lbfgs_ids at, const double *s, const double *r);
void lbfgs_forget(struct lbfgs *l);
/* After pairs of another one were copied: NULL, or why none can have them. */
const char *lbfgs_rebuild(struct lbfgs *l);

#endif
