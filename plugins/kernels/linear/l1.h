/* l1.h -- L1 penalty of linear learners: each example moves every weight towards 0 by eta l1.
 *
 * A weight stops at 0, so weights of little use become exactly 0.
 *
 * Source: J. Langford, L. Li, T. Zhang, Sparse Online Learning via Truncated Gradient, JMLR 10,
 * 2009: the truncated gradient with K = 1, theta infinite and g = l1, applied after decay and step.
 * All weights shrink equally often, however often their features come.
 *
 * The shrinking is lazy. Each example should move all stored weights v = w / alpha towards 0 by eta
 * l1 / alpha, the example's share. Instead the example adds its share to `penalty` of struct sgd,
 * and each feature stores in l1_seen the value of `penalty` up to which its weight has been shrunk.
 * The difference penalty - l1_seen is the feature's pending penalty. Shrinking by two amounts
 * equals shrinking by their sum, so the current weight is l1_shrink(v, penalty - l1_seen). A
 * feature's stored weight and l1_seen are updated when an example next contains the feature.
 * l1_seen is the penalty rounded to a float, so rounding errors do not add up. Folding
 * (sgd_must_fold) resets the penalty to 0 before it is large compared with one share.
 *
 * The cells of a sketch are shared by many features, so they have no l1_seen. Instead all cells
 * shrink at once, by penalty - l1_applied of struct sgd, and l1_applied becomes `penalty`. This
 * happens every cells / L1_CELLS examples, so it costs L1_CELLS cells an example on average. It is
 * the truncated gradient with K = cells / L1_CELLS.
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

/* Returns w moved towards 0 by `by` >= 0, but not past 0. */
static inline float l1_shrink(float w, float by)
{
    float size = fabsf(w) - by;
    return size > 0 ? copysignf(size, w) : 0.0f;
}

/* Returns the current stored weight, which was w when `penalty` was p. */
static inline float l1_now(const struct sgd *s, float w, float p)
{
    return l1_shrink(w, (float)s->penalty - p);
}

/* Applies l1_now() to n weights: w[i] was the weight when `penalty` was p[i]. Only copies w to out
 * if p is NULL (no L1 penalty). out may be w. */
static inline void l1_all(const struct sgd *s, size_t n, const float *w, const float *p, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p ? l1_now(s, w[i], p[i]) : w[i];
}

/* Returns a lower bound of |w| after an example, where `bound` was a lower bound before it.
 * Subtracts the example's share of the penalty, and a little more for rounding errors. */
static inline float l1_lower(const struct sgd *s, float bound, double share)
{
    double b = (double)bound - share - 1e-6 * (s->penalty + (double)bound);
    return b > 0 ? (float)b : 0.0f;
}

/* Pending penalty of the cells: the part of `penalty` by which they have not been shrunk yet. */
static inline float l1_pending(const struct sgd *s) { return (float)(s->penalty - s->l1_applied); }

/* Shrinks all cells by their pending penalty. */
static inline void l1_apply(struct sgd *s, size_t cells, float *cell)
{
    float by = l1_pending(s);
    for (size_t c = 0; by > 0 && c < cells; c++)
        cell[c] = l1_shrink(cell[c], by);
    s->l1_applied = s->penalty;
}

/* True if a model of `cells` cells must call l1_apply() at the end of the current example. */
static inline bool l1_due(const struct sgd *s, size_t cells)
{
    return s->opt.l1 > 0 && s->t % (cells / L1_CELLS + 1) == 0;
}

#endif
