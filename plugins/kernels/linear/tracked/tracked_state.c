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

/* Returns the smallest count of a full table, which bounds those of features without a slot. */
static uint32_t tracked_smallest_count(const struct tracked *m)
{
    uint32_t min = UINT32_MAX;
    if (!m->frequency || m->counter || !tracked_full(m)) return 0;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        min = m->frequency[s] < min ? m->frequency[s] : min;
    return min;
}

static double tracked_outside(const struct store *s, uint32_t id) { return 0; }

static double tracked_examples(const struct tracked *m, uint32_t count)
{
    return sgd_counted(&m->s.sgd, count);
}

/* Adds counts of features above the smallest count of their table, this smallest count, and the
 * cells of a Count-Min sketch. So a table without a feature adds its smallest count to it. */
static void tracked_sum(const struct store *s, struct sums *to, const struct sums_slot *slot)
{
    const struct tracked *m = (const struct tracked *)s;
    const struct sums_fields *f = &to->fields;
    uint32_t least = tracked_smallest_count(m);
    to->clock[SUMS_EXTRA] = fixed_of(tracked_examples(m, least));
    to->dropped = m->replaced;
    for (uint32_t i = 0; i < to->feature.n; i++) {
        uint32_t at = slot[i].slot;
        if (m->priority) to->priority[i] = m->priority[at];
        if (m->frequency)
            sums_row(&to->feature, i)[f->frequency] =
                fixed_of(tracked_examples(m, m->frequency[at] - least));
    }
    for (uint64_t c = 0; m->counter && c < to->cells; c++)
        to->cell[c * f->cell + SUMS_CELL_SUM] = fixed_of(tracked_examples(m, m->counter[c]));
}

static uint32_t tracked_count(const struct tracked *m, const struct fixed *v)
{
    uint32_t count = sums_count(&m->s.sgd, v);
    return count < INT32_MAX ? count : INT32_MAX;
}

static void tracked_settle(struct store *s, const struct sums *from)
{
    struct tracked *m = (struct tracked *)s;
    m->replaced = from->dropped;
    for (uint64_t c = 0; m->counter && c < from->cells; c++)
        m->counter[c] = tracked_count(m, &from->cell[c * from->fields.cell + SUMS_CELL_SUM]);
}

/* Returns the count of a feature: a Count-Min sketch knows it better than a table. */
static uint32_t tracked_frequency(const struct tracked *m, const struct sums *s,
                                  const struct sums_place *p)
{
    struct fixed count = s->clock[SUMS_EXTRA];
    if (m->counter) return count_min_estimate(m, id_slots_fold(p->id));
    fixed_add(&count, &sums_row(&s->feature, p->row)[s->fields.frequency]);
    return tracked_count(m, &count);
}

static void tracked_weigh(const struct store *store, const struct sums *s, struct sums_place *p,
                          uint32_t n)
{
    const struct tracked *m = (const struct tracked *)store;
    for (uint32_t i = 0; i < n; i++) {
        if (m->priority) p[i].key *= (double)s->priority[p[i].row];
        if (m->frequency) p[i].key = (double)tracked_frequency(m, s, &p[i]);
    }
}

static void tracked_settle_slot(struct store *store, uint32_t slot, const struct sums *s,
                                const struct sums_place *p)
{
    struct tracked *m = (struct tracked *)store;
    if (m->priority) m->priority[slot] = s->priority[p->row];
    if (m->frequency) m->frequency[slot] = (uint32_t)p->key;
}

static void tracked_put_back(struct store *s, const struct sums_place *place, uint32_t stay,
                             uint32_t n)
{
    ((struct tracked *)s)->replaced += n - stay;
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
    .sum = tracked_sum,
    .settle = tracked_settle,
    .outside = tracked_outside,
    .weigh = tracked_weigh,
    .settle_slot = tracked_settle_slot,
    .put_back = tracked_put_back,
};
