/* l1.h -- L1 penalty of linear learners: each example moves every weight towards 0 by eta l1.
 *
 * A weight stops at 0, so weights of little use become exactly 0.
 *
 * Source: J. Langford, L. Li, T. Zhang, Sparse Online Learning via Truncated Gradient, JMLR 10,
 * 2009: the truncated gradient with K = 1, theta infinite and g = l1, applied after decay and step.
 * All weights shrink equally often, however often their features come.
 *
 * The shrinking is lazy. An example takes its share eta l1 / alpha from all stored weights
 * v = w / alpha; `penalty` of struct sgd is the sum of these shares. A feature keeps, as l1_seen,
 * the penalty that its weight has had. Shrinking by two amounts equals shrinking by their sum, so
 * the weight now is l1_shrink(v, penalty - l1_seen). The feature is brought up to date when it next
 * comes. l1_seen is the penalty rounded to a float, so rounding errors do not add up. Folding
 * (sgd_must_fold) resets the penalty to 0 before it is large compared with one share.
 *
 * Cells that many features share have no l1_seen. There the penalty applies to the cells
 * themselves: all of them shrink at once, by the penalty since l1_applied of struct sgd. They do so
 * at such intervals that an example costs L1_CELLS cells on average. This is the truncated gradient
 * with K = cells / L1_CELLS.
 *
 * Example. Rate 1/2, l1 = 0.1 and no decay, so each example's share is 0.05. A feature has the
 * weight 0.25 when the penalty is 0.15. Three examples later the penalty is 0.3, and the weight is
 * 0.25 - (0.3 - 0.15) = 0.1. Two more examples and the weight is 0, where it stays.
 */
#ifndef LEAT_KERNELS_LINEAR_L1_H
#define LEAT_KERNELS_LINEAR_L1_H

#include <math.h>
#include <stddef.h>

#include "sgd.h"

enum { L1_CELLS = 64 };

/* w, moved towards 0 by `by` >= 0. */
static inline float l1_shrink(float w, float by)
{
    float size = fabsf(w) - by;
    return size > 0 ? copysignf(size, w) : 0.0f;
}

/* Current value of a weight that was w at penalty p. */
static inline float l1_now(const struct sgd *s, float w, float p)
{
    return l1_shrink(w, (float)s->penalty - p);
}

/* Current values of n weights; out may be w. Copies w if p is NULL (no penalty). */
static inline void l1_all(const struct sgd *s, size_t n, const float *w, const float *p, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p ? l1_now(s, w[i], p[i]) : w[i];
}

/* Lower bound of |w| after an example, from the bound before it: subtracts the example's share of
 * the penalty, and a little for rounding. */
static inline float l1_lower(const struct sgd *s, float bound, double share)
{
    double b = (double)bound - share - 1e-6 * (s->penalty + (double)bound);
    return b > 0 ? (float)b : 0.0f;
}

/* Penalty that cells have not had yet. */
static inline float l1_pending(const struct sgd *s) { return (float)(s->penalty - s->l1_applied); }

/* Applies the pending penalty to all cells. */
static inline void l1_apply(struct sgd *s, size_t cells, float *cell)
{
    float by = l1_pending(s);
    for (size_t c = 0; by > 0 && c < cells; c++)
        cell[c] = l1_shrink(cell[c], by);
    s->l1_applied = s->penalty;
}

/* True if a model of this many cells shall apply the pending penalty at the end of this example. */
static inline bool l1_due(const struct sgd *s, size_t cells)
{
    return s->opt.l1 > 0 && s->t % (cells / L1_CELLS + 1) == 0;
}

#endif
