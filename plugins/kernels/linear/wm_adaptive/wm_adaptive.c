/* wm_adaptive.c -- learning; what it does is in wm_adaptive.h.
 *
 * A row is read three times: places and margin, directions, steps. The places of an entry's cells,
 * found once, serve all three.
 *
 * `bar` is a lower bound of the lightest member: a step that makes a member lighter lowers it. Only
 * when an entry exceeds it the minimum is looked for (lazy_min.h). An estimate beyond the bar needs
 * half of the rows beyond it on one side; only then it is computed.
 */
#include "wm_adaptive.h"

#include <assert.h>

#include "wm_adaptive_inside.h"

#define NOWHERE UINT32_MAX /* no slot */

/* ---- places and margin ---- */

static void find_each(struct wm_adaptive *m, const struct linear_row *row, const uint64_t *hash)
{
    for (uint32_t i = 0, depth = m->shape.depth; i < row->n; i++) {
        uint32_t mixed = hash ? (uint32_t)hash[i] : mix(m, row->id[i]);
        find_places(m, mixed, m->place + (size_t)i * depth);
    }
}

/* What the entries say before the row is learned. */
struct reading {
    double sum;
    bool large; /* a value asks for less of its weight */
};

/* `along` gets the accumulators: they are wanted for the directions. */
NUMBERS_INLINE struct reading read_row(struct wm_adaptive *m, const struct linear_row *row,
                                       const struct sgd_limits *limits, bool compact)
{
    const uint32_t depth = m->shape.depth, *const place = m->place;
    struct reading r = {0};
    for (uint32_t i = 0; i < row->n; i++) {
        const uint32_t *at = place + (size_t)i * depth;
        struct wm_adaptive_said s = ask_cells(m->cell, limits, depth, at, compact);
        float x = row->x[i], t = sgd_adaptive_lessen(limits, s.a, x);
        m->along[i] = s.a;
        r.large |= t < 1;
        r.sum += (double)(t * s.w) * (double)x; /* step 1 */
    }
    return r;
}

/* The weight of a member has changed. */
static void became(struct wm_adaptive *m, uint32_t slot)
{
    int32_t key = lazy_min_bits(numbers_weight(m->member, slot, is_compact(m)));
    lazy_min_lower(&m->lowest, slot, key);
    m->bar = key < m->bar ? key : m->bar;
}

/* The slot of a feature, or NOWHERE. */
static uint32_t find_member(const struct wm_adaptive *m, uint64_t id)
{
    uint32_t f = id_slots_fold(id), slot = id_slots_seek(&m->set, f);
    return m->set.id[slot] == f ? slot : NOWHERE;
}

static void lessen_entry(struct wm_adaptive *m, uint64_t id, const uint32_t *place,
                         const struct sgd_limits *limits, float times)
{
    bool compact = is_compact(m);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = cell_at(place[j]);
        float w = held_weight(m->cell, limits, c, numbers_sum(m->cell, c, compact), compact);
        numbers_set_weight(m->cell, c, times * w, draw(m), compact);
    }
    uint32_t slot = find_member(m, id);
    if (slot == NOWHERE) return;
    float w = times * numbers_weight(m->member, slot, compact);
    numbers_set_weight(m->member, slot, w, draw(m), compact);
    became(m, slot);
}

static void lessen_row(struct wm_adaptive *m, const struct linear_row *row,
                       const struct sgd_limits *limits)
{
    for (uint32_t i = 0; i < row->n; i++) {
        float times = sgd_adaptive_lessen(limits, m->along[i], row->x[i]);
        const uint32_t *place = m->place + (size_t)i * m->shape.depth;
        if (times < 1) lessen_entry(m, row->id[i], place, limits, times);
    }
}

/* ---- the passive set ---- */

/* The member's weight becomes w. */
static void step_member(struct wm_adaptive *m, uint32_t slot, float w, int y)
{
    numbers_set_weight(m->member, slot, w, draw(m), is_compact(m));
    if (m->count) sgd_count(&m->sgd, &m->count[2 * (size_t)slot + (uint32_t)y]);
    became(m, slot);
}

/* The slot that a candidate of weight w enters: a free one, that of the lightest member if w
 * outweighs it, or NOWHERE. */
static uint32_t take_slot(struct wm_adaptive *m, float w)
{
    if (m->set.n < m->set.capacity) {
        if (m->set.n + 1 == m->set.capacity) m->bar = 0;
        return m->set.n++;
    }
    uint32_t slot = lazy_min_find(&m->lowest, &m->bar);
    if (lazy_min_bits(w) <= m->bar) return NOWHERE;
    id_slots_unlink(&m->set, slot);
    return slot;
}

static void enter(struct wm_adaptive *m, uint32_t slot, uint32_t id, float w, uint32_t entry, int y)
{
    m->set.id[slot] = id;
    id_slots_link(&m->set, slot);
    numbers_set_weight(m->member, slot, w, draw(m), is_compact(m));
    became(m, slot);
    if (m->count) {
        m->count[2 * (size_t)slot] = m->count[2 * (size_t)slot + 1] = 0;
        m->count[2 * (size_t)slot + (uint32_t)y] = m->sgd.one;
    }
    m->entrant[m->n_entrants++] = (struct linear_entrant){slot, entry};
}

/* Can the estimate from these cells be beyond the bar? */
static bool may_enter(const struct wm_adaptive *m, const float *v)
{
    if (m->bar < 0 || m->opt.mean) return true;
    float bar = float_of_bits((uint32_t)m->bar) / share_of_estimate(m) * (1 - 1e-6f);
    uint32_t above = 0, below = 0, half = (m->shape.depth + 1) / 2;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        above += v[j] > bar;
        below += v[j] < -bar;
    }
    return above >= half || below >= half;
}

/* What an entry does to its feature. */
struct change {
    uint32_t entry;
    float step, more; /* of the weight, of the accumulator */
    float a;          /* the accumulator that held it      */
    int y;
};

/* The weight of a member after its step. */
static float stepped(const struct wm_adaptive *m, const struct sgd_limits *limits, uint32_t slot,
                     const struct change *by)
{
    float w = numbers_weight(m->member, slot, is_compact(m));
    return sgd_clamp(sgd_adaptive_hold(limits, w, by->a) + by->step);
}

/* A feature whose signed cells are v now: it is a member, or may become one. */
static void offer(struct wm_adaptive *m, const struct linear_row *row,
                  const struct sgd_limits *limits, const struct change *by, float *v)
{
    uint64_t id = row->id[by->entry];
    uint32_t slot = find_member(m, id);
    if (slot != NOWHERE) {
        float w = m->opt.estimates ? wm_adaptive_recover(m, v) : stepped(m, limits, slot, by);
        step_member(m, slot, w, by->y);
        return;
    }
    if (!may_enter(m, v)) return;
    float w = share_of_estimate(m) * wm_adaptive_recover(m, v);
    if (lazy_min_bits(w) <= m->bar) return;
    slot = take_slot(m, w);
    if (slot != NOWHERE) enter(m, slot, id_slots_fold(id), w, by->entry, by->y);
}

/* ---- steps ---- */

/* All cells of an entry take its step: v gets what they are then, signed. `by` gets the accumulator
 * before it. Accumulators of all rows are rounded with the same bits: those of a feature that
 * shares no cell stay equal. */
NUMBERS_INLINE void step_cells(struct wm_adaptive *m, const struct sgd_limits *limits,
                               const uint32_t *place, uint64_t first, struct change *by, float *v,
                               bool compact)
{
    const struct numbers n = m->cell;
    const uint64_t for_sums = numbers_random(first);
    const uint32_t depth = m->shape.depth;
    for (uint32_t j = 0; j < depth; j++) {
        uint32_t c = cell_at(place[j]), flip = flip_at(place[j]);
        uint64_t bits = numbers_random(first + j);
        float a = numbers_sum(n, c, compact), w = held_weight(n, limits, c, a, compact);
        by->a += a / (float)depth;
        v[j] = sgd_clamp(numbers_signed(w, flip) + by->step);
        numbers_set_weight(n, c, numbers_signed(v[j], flip), bits, compact); /* step 3 */
        numbers_add_to_sum(n, c, by->more, for_sums, compact);
    }
}

NUMBERS_INLINE void step_row(struct wm_adaptive *m, const struct linear_row *row,
                             const struct sgd_limits *limits, const struct sgd_adaptive *e, float u,
                             bool compact)
{
    const uint32_t depth = m->shape.depth, *place = m->place;
    float v[COUNT_SKETCH_MAX_DEPTH];
    for (uint32_t i = 0; i < row->n; i++, place += depth) {
        float x = row->x[i];
        if (x == 0) continue;
        struct change by = {
            .entry = i, .step = u * m->along[i], .more = sgd_adaptive_more(e, x), .y = e->step.y};
        step_cells(m, limits, place, m->random + (uint64_t)i * depth, &by, v, compact);
        offer(m, row, limits, &by, v);
    }
}

/* ---- what is due at times ---- */

static void lighten_all(struct numbers n, uint32_t count, struct wm_adaptive *m, float penalty,
                        float times)
{
    bool compact = is_compact(m);
    for (uint32_t i = 0; i < count; i++) {
        float w = times * l1_shrink(numbers_weight(n, i, compact), penalty);
        numbers_set_weight(n, i, w, draw(m), compact);
    }
}

/* All weights move by the penalty towards 0, and are multiplied by `times`. */
static void lighten(struct wm_adaptive *m, float penalty, float times)
{
    lighten_all(m->cell, cells_of(&m->shape), m, penalty, times);
    lighten_all(m->member, m->set.n, m, penalty, times);
    lazy_min_forget(&m->lowest);
    if (m->bar > 0) m->bar = 0;
}

static void fold_alpha(struct wm_adaptive *m)
{
    lighten(m, l1_pending(&m->sgd), (float)m->sgd.alpha);
    sgd_folded(&m->sgd);
}

static void apply_l1(struct wm_adaptive *m, double share)
{
    m->sgd.penalty += share;
    if (!l1_due(&m->sgd, m->set.n + (size_t)cells_of(&m->shape))) return;
    lighten(m, l1_pending(&m->sgd), 1);
    m->sgd.l1_applied = m->sgd.penalty;
}

static void scale_sums(struct wm_adaptive *m, float by)
{
    bool compact = is_compact(m);
    for (uint32_t c = 0; c < cells_of(&m->shape); c++)
        numbers_set_sum(m->cell, c, by * numbers_sum(m->cell, c, compact), draw(m), compact);
}

static void renew(struct wm_adaptive *m)
{
    scale_sums(m, (float)sgd_renewal(&m->sgd));
    sgd_renew(&m->sgd, NULL, m->count, m->set.n);
}

void wm_adaptive_forget(struct wm_adaptive *m, double share, double sums)
{
    lighten(m, l1_pending(&m->sgd), (float)share);
    scale_sums(m, (float)sums);
    sgd_adaptive_forget(&m->sgd, share, sums);
}

/* ---- one example ---- */

NUMBERS_INLINE enum linear_result learn(struct wm_adaptive *m, const struct linear_row *row,
                                        double *margin, bool compact)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    struct reading r = read_row(m, row, &limits, compact);
    double z = r.sum * m->sgd.alpha + m->sgd.bias;
    /* Weights are finite, and 0 times a non-finite value is NaN: this finds every such value. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    m->random = mix64(m->opt.seed ^ m->sgd.t * MIX64_GOLDEN);
    m->draws = (uint64_t)row->n * m->shape.depth; /* the first ones are for the cells */
    if (r.large) lessen_row(m, row, &limits);
    struct sgd_adaptive e =
        sgd_adaptive_begin(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    /* step 2 */
    struct sgd_ways sum = sgd_adaptive_directions(&e, row->n, row->x, m->along);
    float u = sgd_adaptive_end(&m->sgd, &e, &sum);
    step_row(m, row, &limits, &e, u, compact);
    if (sgd_is_due(&m->sgd)) {
        if (m->opt.sgd.l1 > 0) apply_l1(m, e.step.share);
        if (sgd_must_fold(&m->sgd)) fold_alpha(m);
        if (sgd_must_renew(&m->sgd)) renew(m);
    }
    return LINEAR_OK;
}

enum linear_result wm_adaptive_learn_hashed(struct wm_adaptive *m, const struct linear_row *row,
                                            const uint64_t *hash, double *margin)
{
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    find_each(m, row, hash);
    enum linear_result result =
        is_compact(m) ? learn(m, row, margin, true) : learn(m, row, margin, false);
#ifdef LEAT_CHECKS
    assert(!wm_adaptive_check(m));
#endif
    return result;
}

void wm_adaptive_hash(const struct wm_adaptive *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    for (uint32_t i = 0; i < n; i++)
        hash[i] = mix(m, id[i]);
}
