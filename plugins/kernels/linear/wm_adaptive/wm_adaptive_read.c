/* wm_adaptive_read.c -- what the model answers: margins, weights, the heaviest members, and its
 * check; see wm_adaptive.h. Nothing here changes a model.
 */
#include <assert.h>

#include "kernels/base/rank.h"
#include "wm_adaptive.h"
#include "wm_adaptive_inside.h"

static float mean_of(const float *v, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += v[j];
    return sum / (float)n;
}

float wm_adaptive_recover(const struct wm_adaptive *m, float *v)
{
    uint32_t depth = m->shape.depth;
    return m->opt.mean ? mean_of(v, depth) : count_sketch_median(v, depth);
}

double wm_adaptive_margin(const struct wm_adaptive *m, uint32_t n, const uint64_t *id,
                          const float *x)
{
    uint32_t place[COUNT_SKETCH_MAX_DEPTH], depth = m->shape.depth;
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        find_places(m, mix(m, id[i]), place);
        struct wm_adaptive_said s = ask_cells(m->cell, &limits, depth, place, is_compact(m));
        sum += (double)(sgd_adaptive_lessen(&limits, s.a, x[i]) * s.w) * (double)x[i];
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

/* What pends of the penalty is taken from the cells. */
static float estimate_now(const struct wm_adaptive *m, uint64_t id)
{
    uint32_t place[COUNT_SKETCH_MAX_DEPTH];
    float v[COUNT_SKETCH_MAX_DEPTH], pending = l1_pending(&m->sgd);
    find_places(m, mix(m, id), place);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        float w = numbers_weight(m->cell, cell_at(place[j]), is_compact(m));
        v[j] = numbers_signed(l1_shrink(w, pending), flip_at(place[j]));
    }
    return wm_adaptive_recover(m, v);
}

double wm_adaptive_weight(const struct wm_adaptive *m, uint64_t id)
{
    return (double)estimate_now(m, id) * m->sgd.alpha;
}

static float member_weight(const struct wm_adaptive *m, uint32_t slot)
{
    if (m->opt.estimates) return estimate_now(m, m->set.id[slot]);
    return l1_shrink(numbers_weight(m->member, slot, is_compact(m)), l1_pending(&m->sgd));
}

double wm_adaptive_slot_weight(const struct wm_adaptive *m, uint32_t slot)
{
    assert(slot < m->set.n);
    return (double)member_weight(m, slot) * m->sgd.alpha;
}

uint32_t wm_adaptive_top(const struct wm_adaptive *m, uint32_t k, uint32_t min_count, float *weight,
                         uint32_t *slot)
{
    for (uint32_t s = 0; s < m->set.n; s++)
        weight[s] = member_weight(m, s);
    return rank_heaviest(m->set.n, weight, m->count, sgd_count_of(&m->sgd, min_count), k, slot);
}

static const char *check_members(const struct wm_adaptive *m)
{
    const char *wrong = id_slots_check(&m->set);
    for (uint32_t s = 0; s < m->set.n && !wrong; s++) {
        float w = numbers_weight(m->member, s, is_compact(m));
        if (!isfinite(w)) wrong = "a member's weight is not finite";
        if (lazy_min_bits(w) < m->bar) wrong = "the bar is above a member";
        if (lazy_min_breaks(&m->lowest, s, lazy_min_bits(w)))
            wrong = "a block bound is above a member";
    }
    return wrong;
}

const char *wm_adaptive_check(const struct wm_adaptive *m)
{
    const char *wrong = check_members(m);
    for (uint32_t c = 0; c < cells_of(&m->shape) && !wrong; c++) {
        if (!isfinite(numbers_weight(m->cell, c, is_compact(m)))) wrong = "a cell is not finite";
        if (!(numbers_sum(m->cell, c, is_compact(m)) >= 0)) wrong = "an accumulator is negative";
    }
    if ((m->set.n < m->set.capacity) != (m->bar < 0)) wrong = "the bar says that a slot is free";
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) wrong = "scale or bias";
    return wrong;
}
