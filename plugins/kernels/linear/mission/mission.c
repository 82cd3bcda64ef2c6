/* mission.c -- see mission.h.
 *
 * The lightest member is looked for only when an estimate exceeds `bar`, a lower bound of it
 * (lazy_min.h).
 *
 * Invariants (mission_check): each member is found by its id; bar and block bounds are lower
 * bounds; weights and cells are within SGD_LIMIT.
 */
#include "mission_inside.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/rank.h"

double mission_margin(const struct mission *m, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = mission_find(m, id[i]);
        sum += (slot == NOWHERE ? 0.0 : (double)m->weight[slot]) * (double)x[i]; /* beta_i x_i */
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

/* ---- the top ---- */

void mission_weigh(struct mission *m, uint32_t slot, float w)
{
    int32_t v = lazy_min_bits(w);
    m->weight[slot] = w;
    lazy_min_lower(&m->lightest, slot, v);
    if (v < m->bar) m->bar = v;
}

/* The slot that a feature of weight w enters, or NOWHERE. */
static uint32_t take_slot(struct mission *m, float w)
{
    if (m->set.n < m->set.capacity) {
        if (m->set.n + 1 == m->set.capacity) m->bar = 0;
        return m->set.n++;
    }
    if (lazy_min_bits(w) <= m->bar) return NOWHERE;
    uint32_t slot = lazy_min_find(&m->lightest, &m->bar);
    if (lazy_min_bits(w) <= m->bar) return NOWHERE;
    id_slots_unlink(&m->set, slot);
    return slot;
}

static void enter(struct mission *m, uint32_t slot, uint64_t id, float w, uint32_t entry)
{
    m->set.id[slot] = id_slots_fold(id);
    id_slots_link(&m->set, slot);
    if (m->count) m->count[2 * slot] = m->count[2 * slot + 1] = 0;
    mission_weigh(m, slot, w);
    m->entrant[m->n_entrants++] = (struct linear_entrant){slot, entry};
}

void mission_threshold(struct mission *m, uint64_t id, float w, uint32_t entry, int y)
{
    uint32_t slot = mission_find(m, id);
    if (slot != NOWHERE) {
        mission_weigh(m, slot, w);
    } else {
        slot = take_slot(m, w);
        if (slot == NOWHERE) return;
        enter(m, slot, id, w, entry);
    }
    if (m->count) sgd_count(&m->sgd, &m->count[2 * (size_t)slot + (uint32_t)y]);
}

/* ---- one example ---- */

static void fold_alpha(struct mission *m)
{
    float a = (float)m->sgd.alpha;
    size_t cells = (size_t)m->shape.width * m->shape.depth;
    for (size_t c = 0; c < cells; c++)
        m->sketch.cell[c] *= a;
    for (uint32_t s = 0; s < m->set.n; s++)
        m->weight[s] *= a;
    lazy_min_forget(&m->lightest);
    if (m->bar > 0) m->bar = 0;
    sgd_folded(&m->sgd);
}

void mission_tidy(struct mission *m)
{
    if (sgd_must_fold(&m->sgd)) fold_alpha(m);
    if (sgd_must_renew(&m->sgd)) sgd_renew(&m->sgd, NULL, m->count, m->set.n);
}

enum linear_result mission_learn_hashed(struct mission *m, const struct linear_row *row,
                                        const uint64_t *hash, double *margin)
{
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    double z = mission_margin(m, row->n, row->id, row->x); /* step 1 */
    /* Weights are finite, and 0 times a non-finite value is NaN: this finds every such value. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    struct sgd_step g = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t mix = hash ? (uint32_t)hash[i] : mission_mix(m, row->id[i]);
        float w = count_sketch_add(&m->sketch, mix, -(g.u * row->x[i]), SGD_LIMIT); /* step 2 */
        mission_threshold(m, row->id[i], w, i, g.y);                                /* step 3 */
    }
    if (sgd_is_due(&m->sgd)) mission_tidy(m);
#ifdef LEAT_CHECKS
    assert(!mission_check(m));
#endif
    return LINEAR_OK;
}

void mission_hash(const struct mission *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    for (uint32_t i = 0; i < n; i++)
        hash[i] = mission_mix(m, id[i]);
}

/* ---- answers ---- */

double mission_weight(const struct mission *m, uint64_t id)
{
    return (double)count_sketch_estimate(&m->sketch, mission_mix(m, id)) * m->sgd.alpha;
}

uint32_t mission_top(const struct mission *m, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *slot)
{
    return rank_heaviest(m->set.n, m->weight, m->count, sgd_count_of(&m->sgd, min_count), k, slot);
}

const char *mission_check(const struct mission *m)
{
    const char *wrong = id_slots_check(&m->set);
    for (uint32_t s = 0; s < m->set.n && !wrong; s++) {
        int32_t v = lazy_min_bits(m->weight[s]);
        if (!(fabsf(m->weight[s]) <= SGD_LIMIT)) wrong = "a weight is out of range";
        if (v < m->bar) wrong = "the bar is above a member";
        if (lazy_min_breaks(&m->lightest, s, v)) wrong = "a block bound is above a member";
    }
    for (size_t c = 0; c < (size_t)m->shape.width * m->shape.depth && !wrong; c++)
        if (!(fabsf(m->sketch.cell[c]) <= SGD_LIMIT)) wrong = "a cell is out of range";
    if ((m->set.n < m->set.capacity) != (m->bar < 0)) wrong = "the bar says that a slot is free";
    return wrong;
}
