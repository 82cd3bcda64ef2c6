/* wm_state.c -- a WM-Sketch from its parts, and from two others; see wm.h. */
#include "wm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "wm_inside.h"

struct linear_parts wm_parts(const struct wm *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->set.n,
                                 .id = m->set.id,
                                 .weight = m->weight,
                                 .count = m->count,
                                 .cells = cells(m),
                                 .cell = m->cell,
                                 .behind = m->behind,
                                 .mass = m->mass,
                                 .iterates = m->iterates,
                                 .square = m->square};
}

/* Ids, weights and cells are in their arrays, n members among them: the index, the bounds and the
 * clock are made. Bounds start at 0; no decision depends on how tight they are. */
static void rebuild(struct wm *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->set.n = n;
    wm_reindex(m);
    lazy_min_forget(&m->lightest);
    m->bar = n < m->set.capacity ? -1 : 0;
    m->n_entrants = 0;
    m->cell_bound = 0;
    for (size_t c = 0; c < cells(m); c++)
        m->cell_bound = fmax(m->cell_bound, fabs((double)m->cell[c]));
}

const char *wm_load(struct wm *m, const struct linear_parts *p)
{
    struct linear_parts to = wm_parts(m);
    assert(!m->set.n && !m->sgd.t && p->n <= m->shape.active);
    linear_take_parts(&to, p);
    m->mass = p->mass, m->iterates = p->iterates, m->square = p->square;
    if (m->behind && p->sgd.t && !(p->iterates > 1e-3)) return "iterates is too small for examples";
    rebuild(m, &p->sgd, p->n);
    return id_slots_check(&m->set) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

/* Weight in m of a feature that is in slot - 1, or in none (0). */
static double weight_in(const struct wm *m, uint32_t slot, uint32_t id)
{
    return slot ? wm_slot_weight(m, slot - 1) : (double)share_of_estimate(m) * wm_weight(m, id);
}

/* The sum of all z of both. */
static void merge_iterates(struct wm *m, const struct wm *a, const struct wm *b, double count)
{
    m->iterates = a->iterates + count * b->iterates;
    if (m->opt.radius > 0) m->square = wm_square(m);
    for (size_t c = 0; m->behind && c < cells(m); c++)
        m->behind[c] = -(float)((double)cell_now(a, c) + count * (double)cell_now(b, c));
}

void wm_merge(struct wm *m, const struct wm *a, const struct wm *b, double count,
              struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->set.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    const struct linear_parts in_m = wm_parts(m), in_a = wm_parts(a), in_b = wm_parts(b);
    linear_mix_cells(&in_m, &in_a, &in_b, share);
    merge_iterates(m, a, b, count);
    uint32_t n = linear_unite(a->set.n, a->set.id, b->set.n, b->set.id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    for (uint32_t i = 0; i < n; i++) {
        struct linear_origin *o = &member[i];
        o->weight = (double)sgd_clamp(
            (float)(share.a * weight_in(a, o->a, o->id) + share.b * weight_in(b, o->b, o->id)));
        o->key = fabs(o->weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++) {
        m->set.id[s] = member[s].id;
        m->weight[s] = (float)member[s].weight;
        linear_mix_slot(&in_m, s, &member[s], &in_a, &in_b, count);
    }
    rebuild(m, &clock, stay);
}
