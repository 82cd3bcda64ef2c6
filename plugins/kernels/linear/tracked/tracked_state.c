/* tracked_state.c -- a table of tracked features from its parts, and from two others; see
 * tracked.h.
 *
 * Index and bounds are rebuilt (tracked_rebuild): no decision depends on how tight a bound is.
 */
#include <assert.h>
#include <math.h>

#include "kernels/linear/sgd_state.h"
#include "tracked_step.h"

static size_t sketch_cells(const struct tracked *m)
{
    return (size_t)m->shape.width * m->shape.depth;
}

static void take_clock(struct tracked *m, const struct sgd *s)
{
    sgd_take(&m->sgd, s, &m->sgd.opt);
    m->n_entrants = 0;
}

struct tracked_parts tracked_parts(const struct tracked *m)
{
    return (struct tracked_parts){.linear = {.sgd = m->sgd,
                                             .n = m->slots.n,
                                             .id = m->slots.id,
                                             .weight = m->w,
                                             .accumulator = m->accumulator,
                                             .count = m->count,
                                             .l1_seen = m->l1_seen},
                                  .replaced = m->replaced,
                                  .priority = m->priority,
                                  .frequency = m->frequency,
                                  .cell = m->cell};
}

static bool are_counts(const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > INT32_MAX) return false;
    return true;
}

static bool are_draws(const float *priority, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(priority[i] >= 0 && priority[i] <= 1e8f)) return false;
    return true;
}

static const char *check_parts(const struct tracked *m, const struct tracked_parts *p)
{
    uint32_t n = p->linear.n;
    const char *wrong = linear_check_parts(&p->linear, m->shape.slots);
    if (!wrong && m->priority && !are_draws(p->priority, n)) wrong = "a draw is out of range";
    if (!wrong && m->frequency && !are_counts(p->frequency, n)) wrong = "a count is out of range";
    if (!wrong && m->cell && !are_counts(p->cell, sketch_cells(m)))
        wrong = "a cell is out of range";
    return wrong;
}

const char *tracked_load(struct tracked *m, const struct tracked_parts *p)
{
    assert(!m->sgd.t);
    const char *wrong = check_parts(m, p);
    if (wrong) return wrong;
    uint32_t n = p->linear.n;
    struct linear_arrays to = {m->w, m->accumulator, m->count, m->l1_seen};
    linear_take_parts(&to, &p->linear);
    memcpy(m->slots.id, p->linear.id, n * sizeof *m->slots.id);
    if (m->priority) memcpy(m->priority, p->priority, n * sizeof *m->priority);
    if (m->frequency) memcpy(m->frequency, p->frequency, n * sizeof *m->frequency);
    if (m->cell) memcpy(m->cell, p->cell, sketch_cells(m) * sizeof *m->cell);
    m->slots.n = n;
    m->replaced = p->replaced;
    take_clock(m, &p->linear.sgd);
    tracked_rebuild(m);
    for (uint32_t s = 0; s < n; s++)
        if (id_slots_seek(&m->slots, m->slots.id[s]) != s) return "a feature has two slots";
    return NULL;
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
    uint32_t sum = sgd_mix_count(&a->sgd, in_a, &b->sgd, in_b, count);
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

static struct linear_slots slots_of(const struct tracked *m)
{
    return (struct linear_slots){&m->sgd, m->accumulator, m->count};
}

static void fill_slot(struct tracked *m, uint32_t s, const struct linear_origin *o,
                      const struct tracked *a, const struct tracked *b, double count)
{
    const struct linear_slots in_m = slots_of(m), in_a = slots_of(a), in_b = slots_of(b);
    m->slots.id[s] = o->id;
    m->w[s] = sgd_clamp((float)o->weight);
    if (m->priority) m->priority[s] = priority_of(o, a, b);
    if (m->frequency) m->frequency[s] = (uint32_t)o->key;
    linear_mix_slot(&in_m, s, o, &in_a, &in_b, count);
}

void tracked_merge(struct tracked *m, const struct tracked *a, const struct tracked *b,
                   double count, struct linear_origin *origin)
{
    struct sgd s = sgd_merge(&a->sgd, &b->sgd, count);
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.rule == b->opt.rule);
    assert(!m->slots.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    uint32_t n = linear_unite(a->slots.n, a->slots.id, b->slots.n, b->slots.id, origin);
    uint32_t stay = n < m->shape.slots ? n : m->shape.slots;
    weigh(origin, n, a, b, count);
    linear_rank(origin, n);
    for (uint32_t i = 0; i < stay; i++)
        fill_slot(m, i, &origin[i], a, b, count);
    for (size_t i = 0; m->cell && i < sketch_cells(m); i++)
        m->cell[i] = add_frequency(a, a->cell[i], b, b->cell[i], count);
    m->slots.n = stay;
    m->replaced = a->replaced + b->replaced + (n - stay);
    take_clock(m, &s);
    tracked_rebuild(m);
}
