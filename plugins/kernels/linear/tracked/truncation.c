/* truncation.c -- the heaviest features keep their slots, or a sample that prefers heavy ones.
 *
 * Simple truncation (Algorithm 3 of the paper in tracked.h) and probabilistic truncation (Algorithm
 * 4), once an example: of the tracked features and those of the row, after their steps, the K with
 * the largest keys stay. Key: |w|, or |w|/e. Ties: a tracked feature stays before a new one, a new
 * one before those that come later in the row; of equal tracked ones the lowest slot leaves.
 *
 * New features are compared, largest key first, with the smallest key of the table; since that only
 * rises, the first one that fails is the last. In most rows no feature exceeds a lower bound of it,
 * and nothing more is needed.
 *
 * A draw's e = -log(1 - v) lies between v and v / (1 - v), so that nearly always a key is known to
 * be below the bound without a logarithm.
 */
#include "tracked_step.h"

static void step_members(struct tracked *m, const struct sgd_step *step)
{
    int32_t low = m->bound;
    for (uint32_t k = 0; k < m->n_members; k++) {
        uint32_t i = m->member[k], slot = m->at[i];
        float w = tracked_step(m, slot, m->x[i], step);
        int32_t key = lazy_min_bits(m->priority ? w * m->priority[slot] : w); /* |w|, or |w|/e */
        lazy_min_lower(&m->low, slot, key);
        low = key < low ? key : low;
    }
    m->bound = low;
}

/* Stored weight that entry i will have if it enters. */
static inline float first_weight(const struct tracked *m, uint32_t i, const struct sgd_step *step)
{
    float a = 0;
    if (m->accumulator) return sgd_clamp(0 - sgd_own_rate_step(&m->sgd.opt, step, m->x[i], &a));
    return sgd_clamp(0 - step->u * m->x[i]);
}

static uint32_t collect(struct tracked *m, const struct sgd_step *step)
{
    uint32_t k = 0;
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        int32_t key = lazy_min_bits(first_weight(m, i, step));
        m->candidate[k] = tracked_candidate(key, i);
        k += key > m->bound;
    }
    return k;
}

/* The draws of this example; the clock has moved on already. */
static double draw(const struct tracked *m, uint32_t i)
{
    return tracked_draw(m->opt.seed, m->sgd.t - 1, i);
}

/* |w|/e <= |w|/v, and |w| e <= |w| v / (1 - v). */
static inline bool certainly_below(const struct tracked *m, double w, double v, double bound)
{
    return m->opt.product ? w * v < bound * (1 - v) : w < bound * v;
}

static uint32_t collect_sampled(struct tracked *m, const struct sgd_step *step)
{
    uint32_t k = 0;
    /* A little below the bound: the exact key is rounded twice. */
    double bound = m->bound < 0 ? -1.0 : 0.9999 * (double)tracked_float(m->bound);
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        float w = first_weight(m, i, step);
        double v = draw(m, i);
        if (certainly_below(m, (double)tracked_float(lazy_min_bits(w)), v, bound)) continue;
        int32_t key = lazy_min_bits(w * tracked_priority(&m->opt, v));
        m->candidate[k] = tracked_candidate(key, i);
        k += key > m->bound;
    }
    return k;
}

void truncation_update(struct tracked *m, const struct sgd_step *step)
{
    step_members(m, step);
    uint32_t k = m->priority ? collect_sampled(m, step) : collect(m, step);
    tracked_candidates(m, k);
    while (k) {
        int32_t key;
        uint32_t i = tracked_best(m, &k, &key), slot = tracked_take_slot(m, key);
        if (slot == UINT32_MAX) break;
        if (m->priority) m->priority[slot] = tracked_priority(&m->opt, draw(m, i));
        tracked_enter(m, slot, i, step);
        lazy_min_lower(&m->low, slot, key);
    }
}
