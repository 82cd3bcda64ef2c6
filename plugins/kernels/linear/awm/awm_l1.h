/* awm_l1.h -- for awm.c: the L1 penalty on the members of S, and on the cells; see l1.h.
 *
 * With a penalty the stored weights cannot be keys of lazy_min.h, because part of the penalty of
 * each is still pending. The lightest member is therefore found by reading all of them, which
 * changes none. Each example lowers m->bound by its share of the penalty, so most rows still need
 * no search.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_L1_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_L1_H

#include <math.h>

#include "awm.h"
#include "awm_scan.h"
#include "kernels/linear/l1.h"

/* The stored weight of a member, after the penalty that is pending. */
static inline float weight_now(const struct awm *m, uint32_t slot)
{
    if (!m->l1_seen) return m->cell[slot];
    return l1_now(&m->sgd, m->cell[slot], m->l1_seen[slot]);
}

static inline size_t sketch_cells(const struct awm *m)
{
    return (size_t)m->shape.width * m->shape.depth;
}

/* The first of the lightest members; m->bound becomes its weight. */
static inline uint32_t lightest(struct awm *m)
{
    uint32_t slot = 0;
    if (!m->l1_seen) return lazy_min_find(&m->lowest, &m->bound);
    m->bound = INT32_MAX;
    for (uint32_t s = 0; s < m->index.n; s++) {
        int32_t v = magnitude(weight_now(m, s));
        slot = v < m->bound ? s : slot;
        m->bound = v < m->bound ? v : m->bound;
    }
    return slot;
}

static inline void apply_l1(struct awm *m, uint32_t slot)
{
    m->cell[slot] = weight_now(m, slot);
    m->l1_seen[slot] = (float)m->sgd.penalty;
    if (magnitude(m->cell[slot]) < m->bound) m->bound = magnitude(m->cell[slot]);
}

/* Applies the pending penalty to the row's members. false: a value is not finite, and nothing has
 * changed. */
static inline bool apply_l1_row(struct awm *m, const struct linear_row *row)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (!isfinite(row->x[i])) return false;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = awm_fold(row->id[i]), slot = id_slots_seek(&m->index, id);
        if (m->id[slot] == id) apply_l1(m, slot);
    }
    return true;
}

/* Adds the example's share of the penalty to what is pending; applies it to the cells when due. */
static inline void add_l1(struct awm *m, double share)
{
    if (m->bound > 0) m->bound = magnitude(l1_lower(&m->sgd, float_of(m->bound), share));
    m->sgd.penalty += share;
    if (l1_due(&m->sgd, sketch_cells(m)))
        l1_apply(&m->sgd, sketch_cells(m), m->cell + m->first_cell);
}

static inline void apply_l1_all(struct awm *m)
{
    for (uint32_t s = 0; s < m->index.n; s++) {
        apply_l1(m, s);
        m->l1_seen[s] = 0;
    }
    l1_apply(&m->sgd, sketch_cells(m), m->cell + m->first_cell);
    lazy_min_forget(&m->lowest);
}

#endif
