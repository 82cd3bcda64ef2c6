/* l1.h -- the L1 penalty of linear learners: after each example every weight moves towards 0 by
 * eta l1 and stops there, so that weights of little use are exactly 0.
 *
 * That is the truncated gradient of J. Langford, L. Li, T. Zhang, Sparse Online Learning via
 * Truncated Gradient, JMLR 10, 2009, with K = 1, theta infinite and g = l1, applied after decay and
 * step; shrinking does not depend on how often a feature comes.
 *
 * Lazily. Of stored weights v = w / alpha it takes eta l1 / alpha, which `penalty` of struct sgd
 * adds up. A weight that was last looked at when the penalty was p has become
 * l1_shrink(v, penalty - p): shrinking by two amounts is shrinking by their sum. So a feature
 * keeps p, four bytes, and is brought up to date when it next comes. Differences are those of the
 * penalty as a float, so that errors of rounding do not add up; folding (sgd_must_fold) sets it
 * back to 0 before it is large against one example's share.
 *
 * Cells that many features share keep no p. There the penalty is on the cells, which are what is
 * learned: they are shrunk all together, by what has added up since, so often that it costs
 * L1_CELLS cells an example (the truncated gradient with K = cells / L1_CELLS).
 */
#ifndef LEAT_KERNELS_LINEAR_L1_H
#define LEAT_KERNELS_LINEAR_L1_H

#include <math.h>
#include <stddef.h>

#include "sgd.h"

enum { L1_CELLS = 64 };

/* w moved by `by` >= 0 towards 0. */
static inline float l1_shrink(float w, float by)
{
    float size = fabsf(w) - by;
    return size > 0 ? copysignf(size, w) : 0.0f;
}

/* What a weight now is that was w at penalty p. */
static inline float l1_now(const struct sgd *s, float w, float p)
{
    return l1_shrink(w, (float)s->penalty - p);
}

/* The same for a whole array, in place or not; p NULL: no penalty, a copy. */
static inline void l1_all(const struct sgd *s, size_t n, const float *w, const float *p, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p ? l1_now(s, w[i], p[i]) : w[i];
}

/* A bound <= |w| of weights w before an example holds after it with this much less: its share of
 * the penalty, and a little for rounding. */
static inline float l1_lower(const struct sgd *s, float bound, double share)
{
    double b = (double)bound - share - 1e-6 * (s->penalty + (double)bound);
    return b > 0 ? (float)b : 0.0f;
}

/* What cells have yet to be shrunk by. */
static inline float l1_pending(const struct sgd *s) { return (float)(s->penalty - s->l1_applied); }

static inline void l1_apply(struct sgd *s, size_t cells, float *cell)
{
    float by = l1_pending(s);
    for (size_t c = 0; by > 0 && c < cells; c++)
        cell[c] = l1_shrink(cell[c], by);
    s->l1_applied = s->penalty;
}

/* At the end of an example: is it time to shrink this many cells? */
static inline bool l1_due(const struct sgd *s, size_t cells)
{
    return s->opt.l1 > 0 && s->t % (cells / L1_CELLS + 1) == 0;
}

#endif
