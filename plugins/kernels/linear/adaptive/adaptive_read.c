/* adaptive_read.c -- what the model answers: margins, weights, the heaviest members, and its check;
 * see adaptive.h. Nothing here changes a model.
 */
#include "adaptive.h"

#include <assert.h>

#include "adaptive_inside.h"
#include "kernels/base/rank.h"

/* Where a feature lives, and its sign there. */
static uint32_t place(const struct adaptive *m, uint32_t id, uint32_t *flip)
{
    uint64_t h = id_slots_mix(m->opt.seed, id);
    uint32_t slot = find_mixed(m, id, h);
    *flip = 0;
    return slot == NOWHERE ? place_outside(m, h, flip) : slot;
}

double adaptive_margin(const struct adaptive *m, uint32_t n, const uint64_t *id, const float *x)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flip, at = place(m, id_slots_fold(id[i]), &flip);
        float w = sgd_adaptive_temper(&limits, weight_at(m, at), sum_at(m, at), x[i]);
        sum += (double)numbers_signed(w, flip) * (double)x[i];
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

static float shown(const struct adaptive *m, uint32_t at)
{
    return l1_shrink(weight_at(m, at), l1_pending(&m->sgd));
}

double adaptive_weight(const struct adaptive *m, uint64_t id)
{
    uint32_t flip, at = place(m, id_slots_fold(id), &flip);
    return (double)numbers_signed(shown(m, at), flip) * m->sgd.alpha;
}

double adaptive_slot_weight(const struct adaptive *m, uint32_t slot)
{
    assert(slot < m->index.n);
    return (double)shown(m, slot) * m->sgd.alpha;
}

uint32_t adaptive_top(const struct adaptive *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *slot)
{
    for (uint32_t s = 0; s < m->index.n; s++)
        weight[s] = shown(m, s);
    return rank_heaviest(m->index.n, weight, m->count, sgd_count_of(&m->sgd, min_count), k, slot);
}

static const char *check_slots(const struct adaptive *m)
{
    const char *wrong = id_slots_check(&m->index);
    if (wrong) return wrong;
    for (uint32_t s = 0; s < m->index.n; s++) {
        int32_t key = magnitude(weight_at(m, s));
        if (key < m->bound) return "the bound is above a member";
        if (lazy_min_breaks(&m->lowest, s, key)) return "a block bound is above a member";
    }
    if ((m->index.n < m->shape.active) != (m->bound < 0))
        return "the bound says that a slot is free";
    return NULL;
}

static const char *check_owners(const struct adaptive *m)
{
    for (uint32_t c = 0; c < m->shape.cells; c++) {
        if (!m->owner[c] && weight_at(m, m->first_cell + c) != 0) return "a free cell has a weight";
        if (c % 2 && m->owner[c] && m->owner[c] == m->owner[c - 1])
            return "both cells of a pair have the same owner";
    }
    return NULL;
}

static const char *check_nobody(const struct adaptive *m)
{
    if (m->nobody == NOWHERE || (weight_at(m, m->nobody) == 0 && sum_at(m, m->nobody) == 0))
        return NULL;
    return "features without a place have learned something";
}

const char *adaptive_check(const struct adaptive *m)
{
    const char *wrong = m->shape.active ? check_slots(m) : NULL;
    if (!wrong) wrong = check_nobody(m);
    if (!wrong && m->shape.owned) wrong = check_owners(m);
    if (wrong) return wrong;
    for (uint32_t i = 0; i < m->first_cell + m->shape.cells; i++) {
        if (i >= m->index.n && i < m->first_cell) continue;
        if (!isfinite(weight_at(m, i))) return "a weight is not finite";
        if (!(sum_at(m, i) >= 0)) return "an accumulator is negative";
    }
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) return "scale or bias";
    return NULL;
}
