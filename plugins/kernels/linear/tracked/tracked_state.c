/* tracked_state.c -- a table of tracked features from its parts, and from two others; see
 * tracked.h.
 *
 * Index and bounds are rebuilt (tracked_rebuild): no decision depends on how tight a bound is.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "tracked_step.h"

/* Ids, weights and the like are in their arrays, n of each: index, bounds and clock are made. */
static void rebuild(struct tracked *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->slots.n = n;
    m->n_entrants = 0;
    tracked_rebuild(m);
}

struct linear_parts tracked_parts(const struct tracked *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->slots.n,
                                 .id = m->slots.id,
                                 .weight = m->w,
                                 .accumulator = m->accumulator,
                                 .count = m->count,
                                 .l1_seen = m->l1_seen,
                                 .priority = m->priority,
                                 .frequency = m->frequency,
                                 .cells = (uint64_t)m->shape.width * m->shape.depth,
                                 .counter = m->cell,
                                 .dropped = m->replaced};
}

const char *tracked_load(struct tracked *m, const struct linear_parts *p)
{
    struct linear_parts to = tracked_parts(m);
    assert(!m->sgd.t && p->n <= m->shape.slots);
    linear_take_parts(&to, p);
    rebuild(m, &p->sgd, p->n);
    m->replaced = p->dropped;
    return id_slots_check(&m->slots) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

/* How often a model saw a feature; slot: 1 + its slot there, 0: `min` or the sketch's estimate. */
static uint32_t frequency_in(const struct tracked *m, uint32_t id, uint32_t slot, uint32_t min)
{
    if (slot) return m->frequency[slot - 1];
    return m->cell ? count_min_estimate(m, id) : min;
}

static uint32_t smallest_count(const struct tracked *m)
{
    uint32_t min = UINT32_MAX;
    if (!m->frequency || !tracked_full(m)) return 0;
    for (uint32_t s = 0; s < m->slots.n; s++)
        min = m->frequency[s] < min ? m->frequency[s] : min;
    return min;
}

static uint32_t add_frequency(const struct tracked *a, uint32_t in_a, const struct tracked *b,
                              uint32_t in_b, double count)
{
    double grown = sgd_merged_grown(&a->sgd, &b->sgd, count);
    uint32_t sum = sgd_mix_count(grown, &a->sgd, in_a, &b->sgd, in_b, count);
    return sum < INT32_MAX ? sum : INT32_MAX;
}

static float priority_of(const struct linear_origin *o, const struct tracked *a,
                         const struct tracked *b)
{
    float in_a = o->a ? a->priority[o->a - 1] : 0, in_b = o->b ? b->priority[o->b - 1] : 0;
    return in_a > in_b ? in_a : in_b;
}

static void weigh(struct linear_origin *o, uint32_t n, const struct tracked *a,
                  const struct tracked *b, double count)
{
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    uint32_t min_a = smallest_count(a), min_b = smallest_count(b);
    for (uint32_t i = 0; i < n; i++, o++) {
        o->weight = (o->a ? share.a * tracked_slot_weight(a, o->a - 1) : 0) +
                    (o->b ? share.b * tracked_slot_weight(b, o->b - 1) : 0);
        o->key = fabs(o->weight);
        if (a->priority) o->key *= (double)priority_of(o, a, b);
        if (a->frequency)
            o->key = (double)add_frequency(a, frequency_in(a, o->id, o->a, min_a), b,
                                           frequency_in(b, o->id, o->b, min_b), count);
    }
}

void tracked_merge(struct tracked *m, const struct tracked *a, const struct tracked *b,
                   double count, struct linear_origin *origin)
{
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    const struct linear_parts in_m = tracked_parts(m), in_a = tracked_parts(a),
                              in_b = tracked_parts(b);
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.rule == b->opt.rule);
    assert(!m->slots.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    uint32_t n = linear_unite(a->slots.n, a->slots.id, b->slots.n, b->slots.id, origin);
    uint32_t stay = n < m->shape.slots ? n : m->shape.slots;
    weigh(origin, n, a, b, count);
    linear_rank(origin, n);
    for (uint32_t i = 0; i < stay; i++) {
        const struct linear_origin *o = &origin[i];
        m->slots.id[i] = o->id;
        m->w[i] = sgd_clamp((float)o->weight);
        if (m->priority) m->priority[i] = priority_of(o, a, b);
        if (m->frequency) m->frequency[i] = (uint32_t)o->key;
        linear_mix_slot(&in_m, i, o, &in_a, &in_b, count);
    }
    for (uint64_t i = 0; i < in_m.cells; i++)
        m->cell[i] = add_frequency(a, a->cell[i], b, b->cell[i], count);
    m->replaced = a->replaced + b->replaced + (n - stay);
    rebuild(m, &clock, stay);
}
