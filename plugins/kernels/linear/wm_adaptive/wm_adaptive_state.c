/* wm_adaptive_state.c -- a model from its parts, and from two others; see wm_adaptive.h. */
#include <assert.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/linear/sgd_state.h"
#include "wm_adaptive.h"
#include "wm_adaptive_inside.h"

/* ---- parts ---- */

/* Snapshots are little-endian, as the memory of every machine this runs on. */
struct linear_parts wm_adaptive_parts(const struct wm_adaptive *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->set.n,
                                 .id = m->set.id,
                                 .count = m->count,
                                 .weight = m->member.weight,
                                 .half_weight = (uint8_t *)m->member.half,
                                 .cells = cells_of(&m->shape),
                                 .cell = m->cell.weight,
                                 .cell_accumulator = m->cell.sum,
                                 .half_cell = (uint8_t *)m->cell.half,
                                 .cell_code = m->cell.code};
}

/* Clock, ids, weights and cells are in their arrays, n members among them: the index and the bounds
 * are made. Bounds start at 0; no decision depends on how tight they are. */
static void rebuild(struct wm_adaptive *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->set.n = n;
    id_slots_rebuild(&m->set);
    lazy_min_forget(&m->lowest);
    m->bar = n < m->set.capacity ? -1 : 0;
    m->n_entrants = 0;
}

/* Every float of a state is a weight, but not every two bytes are. */
static bool are_sane(struct numbers n, uint32_t count, bool compact)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabsf(numbers_weight(n, i, compact)) <= 1.01f * SGD_LIMIT)) return false;
    return true;
}

const char *wm_adaptive_load(struct wm_adaptive *m, const struct linear_parts *p)
{
    struct linear_parts to = wm_adaptive_parts(m);
    bool compact = is_compact(m);
    assert(!m->set.n && !m->sgd.t && p->n <= m->shape.active);
    linear_take_parts(&to, p);
    rebuild(m, &p->sgd, p->n);
    if (!are_sane(m->member, p->n, compact) || !are_sane(m->cell, cells_of(&m->shape), compact))
        return "half_weights or half_cells: one is no number within 1e30";
    return id_slots_check(&m->set) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

/* Rounded to the nearest: a merge has no random bits. */
static const uint64_t NEAREST = UINT64_C(0x8000) << 48 | UINT64_C(0x800000) << 24;

static void put_weight(struct numbers n, uint32_t at, double w, bool compact)
{
    double limit = (double)SGD_LIMIT;
    numbers_set_weight(n, at, (float)fmax(-limit, fmin(limit, w)), NEAREST, compact);
}

static double cell_weight(const struct wm_adaptive *m, uint32_t c)
{
    float w = numbers_weight(m->cell, c, is_compact(m));
    return (double)l1_shrink(w, l1_pending(&m->sgd)) * m->sgd.alpha;
}

static double cell_sum(const struct wm_adaptive *m, uint32_t c)
{
    return (double)numbers_sum(m->cell, c, is_compact(m)) / m->sgd.grown;
}

static void merge_cells(struct wm_adaptive *m, const struct wm_adaptive *a,
                        const struct wm_adaptive *b, struct sgd_shares share, double count)
{
    bool compact = is_compact(m);
    double grown = sgd_merged_grown(&a->sgd, &b->sgd, count);
    for (uint32_t c = 0; c < cells_of(&m->shape); c++) {
        double sum = grown * (cell_sum(a, c) + count * cell_sum(b, c));
        put_weight(m->cell, c, share.a * cell_weight(a, c) + share.b * cell_weight(b, c), compact);
        numbers_set_sum(m->cell, c, (float)fmin(sum, (double)SGD_LIMIT), NEAREST, compact);
    }
}

/* Weight in m of a feature that is in slot - 1, or in none (0). */
static double weight_in(const struct wm_adaptive *m, uint32_t slot, uint32_t id)
{
    if (slot) return wm_adaptive_slot_weight(m, slot - 1);
    return (double)share_of_estimate(m) * wm_adaptive_weight(m, id);
}

void wm_adaptive_merge(struct wm_adaptive *m, const struct wm_adaptive *a,
                       const struct wm_adaptive *b, double count, struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->set.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    const struct linear_parts in_m = wm_adaptive_parts(m), in_a = wm_adaptive_parts(a),
                              in_b = wm_adaptive_parts(b);
    merge_cells(m, a, b, share, count);
    uint32_t n = linear_unite(a->set.n, a->set.id, b->set.n, b->set.id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    for (uint32_t i = 0; i < n; i++) {
        struct linear_origin *o = &member[i];
        o->weight = share.a * weight_in(a, o->a, o->id) + share.b * weight_in(b, o->b, o->id);
        o->key = fabs(o->weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++) {
        m->set.id[s] = member[s].id;
        put_weight(m->member, s, member[s].weight, is_compact(m));
        linear_mix_slot(&in_m, s, &member[s], &in_a, &in_b, count);
    }
    rebuild(m, &clock, stay);
}
