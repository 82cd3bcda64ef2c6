/* wm_state.c -- a WM-Sketch from its parts, and from two others; see wm.h. */
#include "wm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/linear/l1.h"
#include "kernels/linear/sgd_state.h"

static size_t cells(const struct wm *m) { return (size_t)m->shape.width * m->shape.depth; }

struct wm_parts wm_parts(const struct wm *m)
{
    struct linear_parts linear = {
        .sgd = m->sgd, .n = m->set.n, .id = m->set.id, .weight = m->weight, .count = m->count};
    return (struct wm_parts){linear, m->cell};
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

const char *wm_load(struct wm *m, const struct wm_parts *p)
{
    assert(!m->set.n && !m->sgd.t);
    const char *wrong = linear_check_parts(&p->linear, m->shape.active);
    if (!wrong) wrong = sgd_check_weights(p->cell, cells(m));
    if (wrong) return wrong;
    linear_take_parts(&(struct linear_arrays){.weight = m->weight, .count = m->count}, &p->linear);
    memcpy(m->set.id, p->linear.id, p->linear.n * sizeof *m->set.id);
    memcpy(m->cell, p->cell, cells(m) * sizeof *p->cell);
    rebuild(m, &p->linear.sgd, p->linear.n);
    return id_slots_check(&m->set) ? "a feature has two slots" : NULL;
}

/* ---- merging ---- */

/* Weight in m of a feature that is in slot - 1, or in none (0). */
static double weight_in(const struct wm *m, uint32_t slot, uint32_t id)
{
    return slot ? wm_slot_weight(m, slot - 1) : (double)WM_ESTIMATE_SHARE * wm_weight(m, id);
}

static struct linear_slots slots_of(const struct wm *m)
{
    return (struct linear_slots){.sgd = &m->sgd, .count = m->count};
}

void wm_merge(struct wm *m, const struct wm *a, const struct wm *b, double count,
              struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->set.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    double pa = share.a * a->sgd.alpha, pb = share.b * b->sgd.alpha;
    float pending_a = l1_pending(&a->sgd), pending_b = l1_pending(&b->sgd);
    for (size_t c = 0; c < cells(m); c++) {
        double va = (double)l1_shrink(a->cell[c], pending_a);
        double vb = (double)l1_shrink(b->cell[c], pending_b);
        m->cell[c] = sgd_clamp((float)(pa * va + pb * vb));
    }
    uint32_t n = linear_unite(a->set.n, a->set.id, b->set.n, b->set.id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    const struct linear_slots in_m = slots_of(m), in_a = slots_of(a), in_b = slots_of(b);
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
