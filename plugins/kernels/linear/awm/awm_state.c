/* awm_state.c -- an AWM-Sketch from its parts, and from two others; see awm.h. */
#include "awm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"

/* Clock, ids, weights and cells are in their arrays, n of them in S: the index and the bounds are
 * made. Bounds start at 0; they rise when they are first needed, and no decision depends on how
 * tight they are. */
static void rebuild(struct awm *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->index.n = n;
    id_slots_rebuild(&m->index);
    lazy_min_forget(&m->lowest);
    m->bound = n < m->shape.active ? -1 : 0;
    m->n_entrants = 0;
}

struct linear_parts awm_parts(const struct awm *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->index.n,
                                 .id = m->id,
                                 .weight = m->cell,
                                 .accumulator = m->accumulator,
                                 .count = m->count,
                                 .l1_seen = m->l1_seen,
                                 .cells = (uint64_t)m->shape.width * m->shape.depth,
                                 .cell = m->cell + m->first_cell};
}

const char *awm_load(struct awm *m, const struct linear_parts *p)
{
    struct linear_parts to = awm_parts(m);
    assert(!m->index.n && !m->sgd.t && p->n <= m->shape.active);
    linear_take_parts(&to, p);
    rebuild(m, &p->sgd, p->n);
    return id_slots_check(&m->index) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

/* The sketch's estimate of a feature becomes its weight, as when a member is evicted. */
static void put_back(struct awm *m, const struct linear_origin *e)
{
    float delta = (float)(e->weight - awm_weight(m, e->id)), sign;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = awm_cell(m, j, e->id, &sign);
        m->cell[c] = sgd_clamp(m->cell[c] + sign * delta);
    }
}

void awm_merge(struct awm *m, const struct awm *a, const struct awm *b, double count,
               struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->index.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    uint32_t n = linear_unite(a->index.n, a->id, b->index.n, b->id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    const struct linear_parts in_m = awm_parts(m), in_a = awm_parts(a), in_b = awm_parts(b);
    for (uint32_t i = 0; i < n; i++) {
        struct linear_origin *o = &member[i];
        o->weight = share.a * awm_weight(a, o->id) + share.b * awm_weight(b, o->id);
        o->key = fabs(o->weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++)
        m->id[s] = member[s].id;
    rebuild(m, &clock, stay);
    linear_mix_cells(&in_m, &in_a, &in_b, share);
    for (uint32_t i = n; i-- > stay;) /* the heaviest last, so that no lighter one disturbs it */
        put_back(m, &member[i]);
    for (uint32_t s = 0; s < stay; s++) {
        m->cell[s] = sgd_clamp((float)member[s].weight);
        linear_mix_slot(&in_m, s, &member[s], &in_a, &in_b, count);
    }
}
