/* tracked_state.c -- memory, queries, merge and kernel of tracked.h.
 *
 * The paper's cost model (section 7) charges four bytes for each id, each weight, each other value
 * of a slot, and each cell.
 */
#include <assert.h>

#include "tracked_step.h"

/* ---- memory ---- */

static bool tracked_has_own_rates(const struct linear_options *opt)
{
    return opt->sgd.rates != SGD_SHARED;
}

static uint32_t tracked_slot_bytes(const struct linear_options *opt)
{
    return 8u + (opt->rule == TRACKED_HEAVIEST ? 0u : 4u) + (tracked_has_own_rates(opt) ? 4u : 0u) +
           (opt->sgd.l1 > 0 ? 4u : 0u) + (opt->counts ? 8u : 0u);
}

static uint32_t tracked_cell_bytes(const struct linear_options *opt, const struct linear_shape *s)
{
    return 4;
}

static bool tracked_shape_for(uint64_t bytes, const struct linear_options *opt,
                              struct linear_shape *s)
{
    if (opt->rule == TRACKED_COUNT_MIN) {
        if (!s->depth) s->depth = 1;
        uint64_t max = bytes / 8 < LINEAR_MAX_CELLS ? bytes / 8 : LINEAR_MAX_CELLS;
        if (!s->width) s->width = (uint32_t)linear_widest(max, s->depth);
    } else {
        s->width = s->depth = 0;
    }
    uint64_t cells = linear_cells(s), slots = s->active;
    if (!slots && bytes > 4 * cells) slots = (bytes - 4 * cells) / tracked_slot_bytes(opt);
    if (slots > LINEAR_MAX_ACTIVE) slots = LINEAR_MAX_ACTIVE;
    s->active = (uint32_t)slots;
    return slots > 0 && s->depth <= TRACKED_MAX_DEPTH && cells <= LINEAR_MAX_CELLS;
}

static void tracked_lay_out(struct store *s, struct layout *c)
{
    struct tracked *m = (struct tracked *)s;
    uint32_t active = s->shape.active, rule = s->opt.rule;
    s->member.weight = layout_take(c, (size_t)s->first_cell + 1, 4);
    s->member.sum = tracked_has_own_rates(&s->opt) ? layout_take(c, active, 4) : NULL;
    s->l1_seen = s->opt.sgd.l1 > 0 ? layout_take(c, active, 4) : NULL;
    m->priority = rule == TRACKED_SAMPLED ? layout_take(c, s->first_cell, 4) : NULL;
    m->frequency = rule >= TRACKED_SPACE_SAVING ? layout_take(c, s->first_cell, 4) : NULL;
    m->counter = s->shape.width ? layout_take(c, (size_t)linear_cells(&s->shape), 4) : NULL;
}

static void tracked_lay_out_scratch(struct store *s, struct layout *c)
{
    struct tracked *m = (struct tracked *)s;
    uint32_t n = s->opt.max_row;
    m->fid = layout_take(c, n, 4);
    m->at = layout_take(c, n, 4);
    m->member = layout_take(c, n, 4);
    m->other = layout_take(c, n, 4);
    m->origin = layout_take(c, n, 4);
    m->sum = layout_take(c, n, 4);
    m->twice = layout_take(c, tracked_repeats(n), 4);
    m->candidate = layout_take(c, n, 8);
}

/* Initialises an empty model. Gives the padding keys that are never the smallest. */
static void tracked_begin(struct store *s)
{
    struct tracked *m = (struct tracked *)s;
    bool sketch = s->opt.rule == TRACKED_COUNT_MIN;
    assert(s->shape.active && !s->shape.width == !sketch && !s->shape.depth == !sketch);
    assert(!(s->shape.width & (s->shape.width - 1)) && s->shape.depth <= TRACKED_MAX_DEPTH);
    for (uint32_t slot = s->shape.active; slot < s->first_cell; slot++) {
        if (m->priority) m->priority[slot] = 1;
        if (m->frequency) m->frequency[slot] = INT32_MAX;
    }
    if (m->frequency) s->lightest.key = m->frequency;
    s->lightest.times = m->priority;
    lazy_min_forget(&s->lightest);
}

static void tracked_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    id_slots_mix_all(s->opt.seed, n, id, hash);
}

/* ---- queries ---- */

static double tracked_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = store_find(s, id_slots_fold(id[i]));
        sum += (slot == STORE_NONE ? 0.0 : (double)store_weight_now(s, slot)) * (double)x[i];
    }
    return sum * s->sgd.alpha + s->sgd.bias;
}

double tracked_weight(const struct store *s, uint64_t id)
{
    uint32_t slot = store_find(s, id_slots_fold(id));
    return slot == STORE_NONE ? 0 : store_slot_weight(s, slot);
}

static const char *tracked_check(const struct store *s)
{
    const struct tracked *m = (const struct tracked *)s;
    const char *broken = id_slots_check(&m->s.set);
    if (broken) return broken;
    for (uint32_t i = 0; i < m->s.set.n; i++) {
        if (!isfinite(m->s.member.weight[i])) return "a weight is not finite";
        if (m->s.opt.rule == TRACKED_SPACE_SAVING) {
            if (tracked_full(m) && m->frequency[i] < m->floor + (i < m->hand))
                return "a count is below the floor";
            continue;
        }
        if (tracked_key_now(m, i) < m->s.bound) return "the bound is above a key";
        if (m->s.l1_seen && !m->frequency) continue; /* bounds of blocks are not used then */
        if (lazy_min_breaks(&m->s.lightest, i, tracked_key_now(m, i)))
            return "a block bound is above a key";
    }
    if (tracked_full(m) != (m->s.bound >= 0) && m->s.opt.rule != TRACKED_SPACE_SAVING)
        return "the bound says that a slot is free";
    if (m->s.member.weight[m->s.first_cell] != 0) return "features without a slot weigh something";
    if (!(m->s.sgd.alpha > 0 && m->s.sgd.alpha <= 1) || !isfinite(m->s.sgd.bias))
        return "scale or bias";
    return NULL;
}

/* ---- copies ---- */

static void tracked_parts(const struct store *s, struct linear_parts *p)
{
    const struct tracked *m = (const struct tracked *)s;
    p->priority = m->priority;
    p->frequency = m->frequency;
    p->counter = m->counter;
    p->dropped = m->replaced;
}

static void tracked_rebuilt(struct store *s)
{
    struct tracked *m = (struct tracked *)s;
    m->floor = m->hand = 0;
}

static const char *tracked_load(struct store *s, const struct linear_parts *p)
{
    ((struct tracked *)s)->replaced = p->dropped;
    return NULL;
}

/* ---- merging ---- */

/* Returns the count of a feature. slot: its slot plus 1, or 0 if it has none. Without a slot,
 * returns the sketch's estimate in COUNT_MIN, else `min`. */
static uint32_t tracked_frequency_in(const struct tracked *m, uint32_t id, uint32_t slot,
                                     uint32_t min)
{
    if (slot) return m->frequency[slot - 1];
    return m->counter ? count_min_estimate(m, id) : min;
}

static uint32_t tracked_smallest_count(const struct tracked *m)
{
    uint32_t min = UINT32_MAX;
    if (!m->frequency || !tracked_full(m)) return 0;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        min = m->frequency[s] < min ? m->frequency[s] : min;
    return min;
}

static uint32_t tracked_add_frequency(const struct tracked *a, uint32_t in_a,
                                      const struct tracked *b, uint32_t in_b, double count)
{
    double grown = sgd_merged_grown(&a->s.sgd, &b->s.sgd, count);
    uint32_t sum = sgd_mix_count(grown, &a->s.sgd, in_a, &b->s.sgd, in_b, count);
    return sum < INT32_MAX ? sum : INT32_MAX;
}

static float tracked_priority_of(const struct linear_origin *o, const struct tracked *a,
                                 const struct tracked *b)
{
    float in_a = o->a ? a->priority[o->a - 1] : 0, in_b = o->b ? b->priority[o->b - 1] : 0;
    return in_a > in_b ? in_a : in_b;
}

static double tracked_outside(const struct store *s, uint32_t id) { return 0; }

static void tracked_weigh(const struct store *m, const struct store *one, const struct store *other,
                          double count, struct linear_origin *o, uint32_t n)
{
    const struct tracked *a = (const struct tracked *)one, *b = (const struct tracked *)other;
    uint32_t min_a = tracked_smallest_count(a), min_b = tracked_smallest_count(b);
    for (uint32_t i = 0; i < n; i++, o++) {
        if (a->priority) o->key *= (double)tracked_priority_of(o, a, b);
        uint32_t id = id_slots_fold(o->id);
        if (a->frequency)
            o->key = (double)tracked_add_frequency(a, tracked_frequency_in(a, id, o->a, min_a), b,
                                                   tracked_frequency_in(b, id, o->b, min_b), count);
    }
}

static void tracked_merge_cells(struct store *s, const struct store *one, const struct store *other,
                                struct sgd_shares share, double count)
{
    const struct tracked *a = (const struct tracked *)one, *b = (const struct tracked *)other;
    uint32_t *counter = ((struct tracked *)s)->counter;
    for (uint64_t i = 0; counter && i < linear_cells(&s->shape); i++)
        counter[i] = tracked_add_frequency(a, a->counter[i], b, b->counter[i], count);
}

static void tracked_merge_slot(struct store *s, uint32_t slot, const struct linear_origin *o,
                               const struct store *one, const struct store *other, double count)
{
    struct tracked *m = (struct tracked *)s;
    const struct tracked *a = (const struct tracked *)one, *b = (const struct tracked *)other;
    if (m->priority) m->priority[slot] = tracked_priority_of(o, a, b);
    if (m->frequency) m->frequency[slot] = (uint32_t)o->key;
}

static void tracked_put_back(struct store *s, const struct linear_origin *origin, uint32_t stay,
                             uint32_t n, const struct store *a, const struct store *b, double count)
{
    ((struct tracked *)s)->replaced =
        ((const struct tracked *)a)->replaced + ((const struct tracked *)b)->replaced + (n - stay);
}

const struct linear_kernel tracked_kernel = {
    .model_bytes = sizeof(struct tracked),
    .slot_bytes = tracked_slot_bytes,
    .cell_bytes = tracked_cell_bytes,
    .shape_for = tracked_shape_for,
    .lay_out = tracked_lay_out,
    .lay_out_scratch = tracked_lay_out_scratch,
    .begin = tracked_begin,
    .hash = tracked_hash,
    .learn = tracked_learn,
    .margin = tracked_margin,
    .weight = tracked_weight,
    .check = tracked_check,
    .parts = tracked_parts,
    .rebuilt = tracked_rebuilt,
    .load = tracked_load,
    .merge_cells = tracked_merge_cells,
    .outside = tracked_outside,
    .weigh = tracked_weigh,
    .merge_slot = tracked_merge_slot,
    .put_back = tracked_put_back,
};
