/* l1.h -- the L1 penalty of linear learners: after each example every weight moves towards 0 by
 * eta l1 and stops there, so that weights of little use are exactly 0.
 *
 * Source: J. Langford, L. Li, T. Zhang, Sparse Online Learning via Truncated Gradient, JMLR 10,
 * 2009: the truncated gradient with K = 1, theta infinite and g = l1, applied after decay and step.
 * A weight shrinks no more often because its feature comes more often.
 *
 * The shrinking is lazy. An example takes its share eta l1 / alpha from all stored weights
 * v = w / alpha; `penalty` of struct sgd is the sum of the shares. A feature keeps, as l1_seen, the
 * penalty that its weight has had; its weight now is l1_shrink(v, penalty - l1_seen), because
 * shrinking by two amounts is shrinking by their sum. The feature is brought up to date when it
 * next comes. The difference is one of the penalty as a float, so that errors of rounding do not
 * add up; folding (sgd_must_fold) sets the penalty back to 0 before it is large against one share.
 *
 * Cells that many features share keep no l1_seen. There the penalty is on the cells, which are what
 * is learned: all of them shrink together, by what is pending (l1_applied of struct sgd is what
 * they have had), so often that it costs L1_CELLS cells an example (the truncated gradient with
 * K = cells / L1_CELLS).
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

/* A weight that was w at penalty p, as it is now. */
static inline float l1_now(const struct sgd *s, float w, float p)
{
    return l1_shrink(w, (float)s->penalty - p);
}

/* The same for a whole array; out may be w. p NULL: no penalty, a copy. */
static inline void l1_all(const struct sgd *s, size_t n, const float *w, const float *p, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p ? l1_now(s, w[i], p[i]) : w[i];
}

/* A lower bound of |w| after an example whose share of the penalty is `share`, from one before it:
 * less by the share, and a little for rounding. */
static inline float l1_lower(const struct sgd *s, float bound, double share)
{
    double b = (double)bound - share - 1e-6 * (s->penalty + (double)bound);
    return b > 0 ? (float)b : 0.0f;
}

/* The penalty that cells have not had yet. */
static inline float l1_pending(const struct sgd *s) { return (float)(s->penalty - s->l1_applied); }

/* All cells take the penalty that is pending. */
static inline void l1_apply(struct sgd *s, size_t cells, float *cell)
{
    float by = l1_pending(s);
    for (size_t c = 0; by > 0 && c < cells; c++)
        cell[c] = l1_shrink(cell[c], by);
    s->l1_applied = s->penalty;
}

/* At the end of an example: shall this many cells take the penalty that is pending? */
static inline bool l1_due(const struct sgd *s, size_t cells)
{
    return s->opt.l1 > 0 && s->t % (cells / L1_CELLS + 1) == 0;
}

#endif
