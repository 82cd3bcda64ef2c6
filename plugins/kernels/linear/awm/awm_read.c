/* awm_read.c -- what an AWM-Sketch answers: margins, weights, the heaviest members, and its check;
 * see awm.h. Nothing here changes a model.
 */
#include "awm.h"

#include <assert.h>
#include <math.h>

#include "awm_inside.h"
#include "awm_l1.h"
#include "kernels/base/rank.h"

uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign)
{
    uint64_t h = id_slots_mix(row_seed(m, j), awm_fold(id));
    *sign = signed_by(1.0f, (uint32_t)h);
    return cell_of(m, h) + j * m->shape.width;
}

double awm_margin(const struct awm *m, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = awm_fold(id[i]), s = find(m, f);
        double w = s == NOWHERE ? 0 : (double)weight_now(m, s);
        if (s == NOWHERE) estimate(m, f, &w);
        sum += w * (double)x[i];
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

double awm_weight(const struct awm *m, uint64_t id)
{
    double mean;
    uint32_t s = find(m, awm_fold(id));
    if (s != NOWHERE) return (double)weight_now(m, s) * m->sgd.alpha;
    float w = estimate(m, awm_fold(id), &mean), pending = l1_pending(&m->sgd);
    return (double)(pending > 0 ? l1_shrink(w, pending) : w) * m->sgd.alpha;
}

double awm_slot_weight(const struct awm *m, uint32_t slot)
{
    assert(slot < m->index.n);
    return (double)weight_now(m, slot) * m->sgd.alpha;
}

uint32_t awm_top(const struct awm *m, uint32_t k, uint32_t min_count, float *weight, uint32_t *slot)
{
    l1_all(&m->sgd, m->index.n, m->cell, m->l1_seen, weight);
    return rank_heaviest(m->index.n, weight, m->count, sgd_count_of(&m->sgd, min_count), k, slot);
}

const char *awm_check(const struct awm *m)
{
    const char *wrong = id_slots_check(&m->index);
    if (wrong) return wrong;
    for (uint32_t s = 0; s < m->index.n; s++) {
        if (magnitude(weight_now(m, s)) < m->bound) return "the bound is above a member";
        if (lazy_min_breaks(&m->lowest, s, magnitude(m->cell[s])))
            return "a block bound is above a member";
    }
    for (size_t i = 0; i < m->first_cell + (size_t)m->shape.width * m->shape.depth; i++)
        if (!isfinite(m->cell[i])) return "a weight is not finite";
    if ((m->index.n < m->shape.active) != (m->bound < 0))
        return "the bound says that a slot is free";
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) return "scale or bias";
    return NULL;
}
