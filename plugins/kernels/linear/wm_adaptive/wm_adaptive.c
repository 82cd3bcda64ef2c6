/* wm_adaptive.c -- Weight-Median Sketch with adaptive rates; implements wm_adaptive.h.
 *
 * A row is processed in three passes: cells and margin, directions, steps. The first pass stores
 * the index of each entry's cells in `place`, and the other passes use it.
 *
 * s.bound is a lower bound of the lightest member's |weight|; a step that makes a member lighter
 * lowers it. Only an entry that exceeds the bound starts a search for the minimum (lazy_min.h). An
 * estimate can only exceed the bound if at least half of the rows' values exceed it with the same
 * sign. This is tested before the estimate is computed.
 */
#include "wm_adaptive.h"

#include <assert.h>

#include "kernels/linear/sgd_adaptive.h"

/* ---- the budget ---- */

enum { USUAL = 128, SHARE_OF_MEMBERS = 4, BESIDE_ONE_ROW = 8 };

static bool wm_adaptive_compact(const struct linear_options *opt)
{
    return opt->precision == ADAPTIVE_COMPACT;
}

static uint32_t wm_adaptive_slot_bytes(const struct linear_options *opt)
{
    return (wm_adaptive_compact(opt) ? 4u + 2u : 4u + 4u) + (opt->counts ? 8u : 0u);
}

static uint32_t wm_adaptive_cell_bytes(const struct linear_options *opt,
                                       const struct linear_shape *shape)
{
    return wm_adaptive_compact(opt) ? 2u + 1u : 4u + 4u;
}

static uint32_t wm_adaptive_at_most(uint64_t n, uint32_t most)
{
    return n < most ? (uint32_t)n : most;
}

static bool wm_adaptive_is_whole(const struct linear_shape *s)
{
    return s->active && s->width && s->depth && s->active <= LINEAR_MAX_ACTIVE &&
           s->depth <= LINEAR_MAX_DEPTH && linear_cells(s) <= LINEAR_MAX_CELLS;
}

/* Chooses depth and width such that the rows use all cells that fit. If the width is fixed, chooses
 * as many rows as fit, at most WM_ADAPTIVE_DEPTH. */
static void wm_adaptive_choose_cells(struct linear_shape *s, uint64_t cells)
{
    if (!s->depth && s->width) s->depth = wm_adaptive_at_most(cells / s->width, WM_ADAPTIVE_DEPTH);
    if (!s->depth) s->depth = wm_adaptive_at_most(cells, WM_ADAPTIVE_DEPTH);
    if (!s->width && s->depth) s->width = (uint32_t)(cells / s->depth);
}

static bool wm_adaptive_shape_for(uint64_t bytes, const struct linear_options *opt,
                                  struct linear_shape *s)
{
    uint32_t member = wm_adaptive_slot_bytes(opt), cell = wm_adaptive_cell_bytes(opt, s);
    uint64_t share = bytes / (s->depth == 1 ? BESIDE_ONE_ROW : SHARE_OF_MEMBERS);
    if (!s->active) s->active = wm_adaptive_at_most(share / member, USUAL);
    if (!s->active) s->active = 1;
    uint64_t taken = (uint64_t)s->active * member, left = taken < bytes ? bytes - taken : 0;
    wm_adaptive_choose_cells(s, wm_adaptive_at_most(left / cell, LINEAR_MAX_CELLS));
    return wm_adaptive_is_whole(s) && store_charged_bytes(&wm_adaptive_kernel, s, opt) <= bytes;
}

/* ---- arrays ---- */

static struct numbers wm_adaptive_take_weights(struct layout *c, size_t n, bool half)
{
    return (struct numbers){.half = half ? layout_take(c, n, 2) : NULL,
                            .weight = half ? NULL : layout_take(c, n, 4)};
}

static void wm_adaptive_lay_out(struct store *s, struct layout *c)
{
    size_t cells = (size_t)linear_cells(&s->shape);
    bool half = wm_adaptive_compact(&s->opt);
    s->cell = wm_adaptive_take_weights(c, cells, half);
    s->cell.code = half ? layout_take(c, cells, 1) : NULL;
    s->cell.sum = half ? NULL : layout_take(c, cells, 4);
    s->member = wm_adaptive_take_weights(c, s->first_cell, half);
}

static void wm_adaptive_lay_out_scratch(struct store *s, struct layout *c)
{
    struct wm_adaptive *m = (struct wm_adaptive *)s;
    uint32_t n = s->opt.max_row;
    m->place = layout_take(c, (size_t)n * s->shape.depth, 4);
    m->along = layout_take(c, n, 4);
}

static void wm_adaptive_begin(struct store *s)
{
    struct wm_adaptive *m = (struct wm_adaptive *)s;
    assert(wm_adaptive_is_whole(&s->shape) && s->opt.sgd.rates == SGD_ADAPTIVE);
    m->rows = (struct count_sketch){.width = s->shape.width, .depth = s->shape.depth};
    count_sketch_draw(&m->rows, s->opt.seed);
}

static bool wm_adaptive_is_compact(const struct wm_adaptive *m) { return store_is_compact(&m->s); }

static uint32_t wm_adaptive_cells_of(const struct wm_adaptive *m)
{
    return (uint32_t)linear_cells(&m->s.shape);
}

/* ---- places: cell of a feature in a row, with its sign in the top bit ---- */

static inline uint32_t wm_adaptive_cell_at(uint32_t place) { return place & ~COUNT_SKETCH_SIGN; }
static inline uint32_t wm_adaptive_flip_at(uint32_t place) { return place >> 31; }

static inline uint32_t wm_adaptive_mix(const struct wm_adaptive *m, uint64_t id)
{
    return count_sketch_mix(&m->rows, id_slots_fold(id));
}

/* Finds the cells of a feature in all rows. */
static inline void wm_adaptive_find_places(const struct wm_adaptive *m, uint32_t mixed,
                                           uint32_t *place)
{
    for (uint32_t j = 0, sign; j < m->s.shape.depth; j++) {
        uint32_t c = (uint32_t)count_sketch_at(&m->rows, j, mixed, &sign);
        place[j] = c | sign;
    }
}

/* ---- reading cells ---- */

/* Returns the weight of cell c, limited according to its accumulator a. */
NUMBERS_INLINE float wm_adaptive_held_weight(struct numbers n, const struct sgd_limits *limits,
                                             uint32_t c, float a, bool compact)
{
    return sgd_adaptive_hold(limits, numbers_weight(n, c, compact), a);
}

struct wm_adaptive_said {
    float w; /* mean of the cells' signed weights */
    float a; /* mean of the cells' accumulators   */
};

NUMBERS_INLINE struct wm_adaptive_said wm_adaptive_ask_cells(struct numbers n,
                                                             const struct sgd_limits *limits,
                                                             uint32_t depth, const uint32_t *place,
                                                             bool compact)
{
    struct wm_adaptive_said s = {0, 0};
    for (uint32_t j = 0; j < depth; j++) {
        uint32_t c = wm_adaptive_cell_at(place[j]);
        float a = numbers_sum(n, c, compact);
        s.w += numbers_signed(wm_adaptive_held_weight(n, limits, c, a, compact),
                              wm_adaptive_flip_at(place[j]));
        s.a += a / (float)depth;
    }
    s.w /= (float)depth;
    return s;
}

/* Returns the share of its estimate with which a feature enters the passive set. */
static inline float wm_adaptive_share_of_estimate(const struct wm_adaptive *m)
{
    return m->s.opt.estimates ? 1 : WM_ADAPTIVE_SHARE;
}

static float wm_adaptive_mean_of(const float *v, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += v[j];
    return sum / (float)n;
}

/* Returns the estimate of a feature from its signed cells v. Reorders v. */
static float wm_adaptive_recover(const struct wm_adaptive *m, float *v)
{
    uint32_t depth = m->s.shape.depth;
    return m->s.opt.mean ? wm_adaptive_mean_of(v, depth) : count_sketch_median(v, depth);
}

/* ---- places and margin ---- */

static void wm_adaptive_find_each(struct wm_adaptive *m, const struct linear_row *row,
                                  const uint64_t *hash)
{
    for (uint32_t i = 0, depth = m->s.shape.depth; i < row->n; i++) {
        uint32_t mixed = hash ? (uint32_t)hash[i] : wm_adaptive_mix(m, row->id[i]);
        wm_adaptive_find_places(m, mixed, m->place + (size_t)i * depth);
    }
}

/* Result of wm_adaptive_read_row(). */
struct wm_adaptive_reading {
    double sum;
    bool large; /* a value of the row is large, so its weight must be reduced */
};

/* Performs step 1 of wm_adaptive.h: limits the cells and sums the margin. Stores each entry's a_i
 * in `along`, for the pass that computes directions. */
NUMBERS_INLINE struct wm_adaptive_reading wm_adaptive_read_row(struct wm_adaptive *m,
                                                               const struct linear_row *row,
                                                               const struct sgd_limits *limits,
                                                               bool compact)
{
    const uint32_t depth = m->s.shape.depth, *const place = m->place;
    struct wm_adaptive_reading r = {0};
    for (uint32_t i = 0; i < row->n; i++) {
        const uint32_t *at = place + (size_t)i * depth;
        struct wm_adaptive_said s = wm_adaptive_ask_cells(m->s.cell, limits, depth, at, compact);
        float x = row->x[i], t = sgd_adaptive_lessen(limits, s.a, x);
        m->along[i] = s.a;
        r.large |= t < 1;
        r.sum += (double)(t * s.w) * (double)x; /* step 1 of wm_adaptive.h */
    }
    return r;
}

/* Updates the lower bounds of |weight| after a member's weight has changed. */
static void wm_adaptive_became(struct wm_adaptive *m, uint32_t slot)
{
    store_became(&m->s, slot,
                 lazy_min_bits(numbers_weight(m->s.member, slot, wm_adaptive_is_compact(m))));
}

static void wm_adaptive_lessen_entry(struct wm_adaptive *m, uint64_t id, const uint32_t *place,
                                     const struct sgd_limits *limits, float times)
{
    bool compact = wm_adaptive_is_compact(m);
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        uint32_t c = wm_adaptive_cell_at(place[j]);
        float w = wm_adaptive_held_weight(m->s.cell, limits, c, numbers_sum(m->s.cell, c, compact),
                                          compact);
        numbers_set_weight(m->s.cell, c, times * w, store_draw(&m->s), compact);
    }
    uint32_t slot = store_find(&m->s, id_slots_fold(id));
    if (slot == STORE_NONE) return;
    float w = times * numbers_weight(m->s.member, slot, compact);
    numbers_set_weight(m->s.member, slot, w, store_draw(&m->s), compact);
    wm_adaptive_became(m, slot);
}

static void wm_adaptive_lessen_row(struct wm_adaptive *m, const struct linear_row *row,
                                   const struct sgd_limits *limits)
{
    for (uint32_t i = 0; i < row->n; i++) {
        float times = sgd_adaptive_lessen(limits, m->along[i], row->x[i]);
        const uint32_t *place = m->place + (size_t)i * m->s.shape.depth;
        if (times < 1) wm_adaptive_lessen_entry(m, row->id[i], place, limits, times);
    }
}

/* ---- the passive set ---- */

/* Sets a member's weight to w, and counts the example for it. */
static void wm_adaptive_step_member(struct wm_adaptive *m, uint32_t slot, float w, int y)
{
    numbers_set_weight(m->s.member, slot, w, store_draw(&m->s), wm_adaptive_is_compact(m));
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)y]);
    wm_adaptive_became(m, slot);
}

/* True if a feature with the signed cells v may enter the passive set: if its estimate may
 * exceed s.bound. */
static bool wm_adaptive_may_enter(const struct wm_adaptive *m, const float *v)
{
    if (m->s.bound < 0 || m->s.opt.mean) return true;
    float bar =
        float_of_bits((uint32_t)m->s.bound) / wm_adaptive_share_of_estimate(m) * (1 - 1e-6f);
    uint32_t above = 0, below = 0, half = (m->s.shape.depth + 1) / 2;
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        above += v[j] > bar;
        below += v[j] < -bar;
    }
    return above >= half || below >= half;
}

/* Change of a feature by one entry of the row. */
struct change {
    uint32_t entry;
    float step, more; /* amounts added to the weight, and to the accumulator */
    float a;          /* accumulator before the step                         */
    int y;
};

/* Returns the weight of a member after its step. */
static float wm_adaptive_stepped(const struct wm_adaptive *m, const struct sgd_limits *limits,
                                 uint32_t slot, const struct change *by)
{
    float w = numbers_weight(m->s.member, slot, wm_adaptive_is_compact(m));
    return sgd_clamp(sgd_adaptive_hold(limits, w, by->a) + by->step);
}

/* Updates the feature if it is a member of the passive set; otherwise admits it if its estimate
 * suffices. v: its signed cells after the step. */
static void wm_adaptive_offer(struct wm_adaptive *m, const struct linear_row *row,
                              const struct sgd_limits *limits, const struct change *by, float *v)
{
    uint64_t id = row->id[by->entry];
    uint32_t slot = store_find(&m->s, id_slots_fold(id));
    if (slot != STORE_NONE) {
        float w = m->s.opt.estimates ? wm_adaptive_recover(m, v)
                                     : wm_adaptive_stepped(m, limits, slot, by);
        wm_adaptive_step_member(m, slot, w, by->y);
        return;
    }
    if (!wm_adaptive_may_enter(m, v)) return;
    float w = wm_adaptive_share_of_estimate(m) * wm_adaptive_recover(m, v);
    slot = store_take_slot(&m->s, w);
    if (slot == STORE_NONE) return;
    numbers_set_weight(m->s.member, slot, w, store_draw(&m->s), wm_adaptive_is_compact(m));
    store_enter(&m->s, slot, id_slots_fold(id), by->entry, by->y);
    wm_adaptive_became(m, slot);
}

/* ---- steps ---- */

/* Steps all cells of an entry. Sets v to their signed weights after the step, and by->a to the
 * accumulator before the step. Rounds the accumulators of all rows with the same bits, so the
 * accumulators of a feature that shares no cell stay equal. */
NUMBERS_INLINE void wm_adaptive_step_cells(struct wm_adaptive *m, const struct sgd_limits *limits,
                                           const uint32_t *place, uint64_t first, struct change *by,
                                           float *v, bool compact)
{
    const struct numbers n = m->s.cell;
    const uint64_t for_sums = numbers_random(first);
    const uint32_t depth = m->s.shape.depth;
    for (uint32_t j = 0; j < depth; j++) {
        uint32_t c = wm_adaptive_cell_at(place[j]), flip = wm_adaptive_flip_at(place[j]);
        uint64_t bits = numbers_random(first + j);
        float a = numbers_sum(n, c, compact), w = wm_adaptive_held_weight(n, limits, c, a, compact);
        by->a += a / (float)depth;
        v[j] = sgd_clamp(numbers_signed(w, flip) + by->step);
        numbers_set_weight(n, c, numbers_signed(v[j], flip), bits, compact); /* step 3 */
        numbers_add_to_sum(n, c, by->more, for_sums, compact);
    }
}

NUMBERS_INLINE void wm_adaptive_step_row(struct wm_adaptive *m, const struct linear_row *row,
                                         const struct sgd_limits *limits,
                                         const struct sgd_adaptive *e, float u, bool compact)
{
    const uint32_t depth = m->s.shape.depth, *place = m->place;
    float v[COUNT_SKETCH_MAX_DEPTH];
    for (uint32_t i = 0; i < row->n; i++, place += depth) {
        float x = row->x[i];
        if (x == 0) continue;
        struct change by = {
            .entry = i, .step = u * m->along[i], .more = sgd_adaptive_more(e, x), .y = e->step.y};
        wm_adaptive_step_cells(m, limits, place, m->s.random + (uint64_t)i * depth, &by, v,
                               compact);
        wm_adaptive_offer(m, row, limits, &by, v);
    }
}

/* ---- penalty, folding and renewal ---- */

static void wm_adaptive_lighten_all(struct numbers n, uint32_t count, struct wm_adaptive *m,
                                    float penalty, float times)
{
    bool compact = wm_adaptive_is_compact(m);
    for (uint32_t i = 0; i < count; i++) {
        float w = times * l1_shrink(numbers_weight(n, i, compact), penalty);
        numbers_set_weight(n, i, w, store_draw(&m->s), compact);
    }
}

/* Shrinks all weights by the penalty, and then multiplies them by `times`. */
static void wm_adaptive_lighten(struct wm_adaptive *m, float penalty, float times)
{
    wm_adaptive_lighten_all(m->s.cell, wm_adaptive_cells_of(m), m, penalty, times);
    wm_adaptive_lighten_all(m->s.member, m->s.set.n, m, penalty, times);
    store_forget_bounds(&m->s);
}

static void wm_adaptive_fold_alpha(struct wm_adaptive *m)
{
    wm_adaptive_lighten(m, l1_pending(&m->s.sgd), (float)m->s.sgd.alpha);
    sgd_folded(&m->s.sgd);
}

static void wm_adaptive_apply_l1(struct wm_adaptive *m, double share)
{
    m->s.sgd.penalty += share;
    if (!l1_due(&m->s.sgd, m->s.set.n + (size_t)wm_adaptive_cells_of(m))) return;
    wm_adaptive_lighten(m, l1_pending(&m->s.sgd), 1);
    m->s.sgd.l1_applied = m->s.sgd.penalty;
}

static void wm_adaptive_scale_sums(struct wm_adaptive *m, float by)
{
    bool compact = wm_adaptive_is_compact(m);
    for (uint32_t c = 0; c < wm_adaptive_cells_of(m); c++)
        numbers_set_sum(m->s.cell, c, by * numbers_sum(m->s.cell, c, compact), store_draw(&m->s),
                        compact);
}

static void wm_adaptive_renew(struct wm_adaptive *m)
{
    wm_adaptive_scale_sums(m, (float)sgd_renewal(&m->s.sgd));
    sgd_renew(&m->s.sgd, NULL, m->s.count, m->s.set.n);
}

static void wm_adaptive_forget(struct store *s, double share, double sums)
{
    struct wm_adaptive *m = (struct wm_adaptive *)s;
    wm_adaptive_lighten(m, l1_pending(&m->s.sgd), (float)share);
    wm_adaptive_scale_sums(m, (float)sums);
    sgd_adaptive_forget(&m->s.sgd, share, sums);
}

/* ---- one example ---- */

NUMBERS_INLINE enum linear_result wm_adaptive_learn_row(struct wm_adaptive *m,
                                                        const struct linear_row *row,
                                                        double *margin, bool compact)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->s.sgd);
    struct wm_adaptive_reading r = wm_adaptive_read_row(m, row, &limits, compact);
    double z = r.sum * m->s.sgd.alpha + m->s.sgd.bias;
    /* Checks all values at once. Weights are finite and 0 times a non-finite value is NaN, so a
     * non-finite value makes z non-finite. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    m->s.random = mix64(m->s.opt.seed ^ m->s.sgd.t * MIX64_GOLDEN);
    m->s.draws = (uint64_t)row->n * m->s.shape.depth; /* wm_adaptive_step_cells() uses the draws
                                                       * before these */
    if (r.large) wm_adaptive_lessen_row(m, row, &limits);
    struct sgd_adaptive e =
        sgd_adaptive_begin(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    /* step 2 of wm_adaptive.h */
    struct sgd_ways sum = sgd_adaptive_directions(&e, row->n, row->x, m->along);
    float u = sgd_adaptive_end(&m->s.sgd, &e, &sum);
    wm_adaptive_step_row(m, row, &limits, &e, u, compact);
    if (sgd_is_due(&m->s.sgd)) {
        if (m->s.opt.sgd.l1 > 0) wm_adaptive_apply_l1(m, e.step.share);
        if (sgd_must_fold(&m->s.sgd)) wm_adaptive_fold_alpha(m);
        if (sgd_must_renew(&m->s.sgd)) wm_adaptive_renew(m);
    }
    return LINEAR_OK;
}

static enum linear_result wm_adaptive_learn(struct store *s, const struct linear_row *row,
                                            const uint64_t *hash, double *margin)
{
    struct wm_adaptive *m = (struct wm_adaptive *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    wm_adaptive_find_each(m, row, hash);
    enum linear_result result = wm_adaptive_is_compact(m)
                                    ? wm_adaptive_learn_row(m, row, margin, true)
                                    : wm_adaptive_learn_row(m, row, margin, false);
#ifdef LEAT_CHECKS
    assert(!store_check(s));
#endif
    return result;
}

static void wm_adaptive_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    const struct wm_adaptive *m = (const struct wm_adaptive *)s;
    for (uint32_t i = 0; i < n; i++)
        hash[i] = wm_adaptive_mix(m, id[i]);
}

/* ---- queries ---- */

static double wm_adaptive_margin(const struct store *s, uint32_t n, const uint64_t *id,
                                 const float *x)
{
    const struct wm_adaptive *m = (const struct wm_adaptive *)s;
    uint32_t place[COUNT_SKETCH_MAX_DEPTH], depth = m->s.shape.depth;
    const struct sgd_limits limits = sgd_adaptive_limits(&m->s.sgd);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        wm_adaptive_find_places(m, wm_adaptive_mix(m, id[i]), place);
        struct wm_adaptive_said said =
            wm_adaptive_ask_cells(m->s.cell, &limits, depth, place, wm_adaptive_is_compact(m));
        sum += (double)(sgd_adaptive_lessen(&limits, said.a, x[i]) * said.w) * (double)x[i];
    }
    return sum * m->s.sgd.alpha + m->s.sgd.bias;
}

/* Estimates the stored weight of a feature from its cells, shrunk by their pending penalty
 * (l1.h). */
static float wm_adaptive_estimate_now(const struct wm_adaptive *m, uint64_t id)
{
    uint32_t place[COUNT_SKETCH_MAX_DEPTH];
    float v[COUNT_SKETCH_MAX_DEPTH], pending = l1_pending(&m->s.sgd);
    wm_adaptive_find_places(m, wm_adaptive_mix(m, id), place);
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        float w =
            numbers_weight(m->s.cell, wm_adaptive_cell_at(place[j]), wm_adaptive_is_compact(m));
        v[j] = numbers_signed(l1_shrink(w, pending), wm_adaptive_flip_at(place[j]));
    }
    return wm_adaptive_recover(m, v);
}

static double wm_adaptive_weight(const struct store *s, uint64_t id)
{
    return (double)wm_adaptive_estimate_now((const struct wm_adaptive *)s, id) * s->sgd.alpha;
}

static void wm_adaptive_stored(const struct store *s, uint32_t from, uint32_t n, float *w)
{
    const struct wm_adaptive *m = (const struct wm_adaptive *)s;
    const bool compact = wm_adaptive_is_compact(m);
    const float by = l1_pending(&s->sgd);
    for (uint32_t i = 0; i < n; i++)
        w[i] = s->opt.estimates ? wm_adaptive_estimate_now(m, s->set.id[from + i])
                                : l1_shrink(numbers_weight(s->member, from + i, compact), by);
}

static const char *wm_adaptive_check(const struct store *s)
{
    const struct wm_adaptive *m = (const struct wm_adaptive *)s;
    for (uint32_t c = 0; c < wm_adaptive_cells_of(m); c++) {
        if (!isfinite(numbers_weight(m->s.cell, c, wm_adaptive_is_compact(m))))
            return "a cell is not finite";
        if (!(numbers_sum(m->s.cell, c, wm_adaptive_is_compact(m)) >= 0))
            return "an accumulator is negative";
    }
    return store_check_slots(s);
}

/* ---- merging ---- */

static double wm_adaptive_outside(const struct store *s, uint32_t id)
{
    double share = (double)wm_adaptive_share_of_estimate((const struct wm_adaptive *)s);
    return share * wm_adaptive_weight(s, id);
}

const struct linear_kernel wm_adaptive_kernel = {
    .model_bytes = sizeof(struct wm_adaptive),
    .slot_bytes = wm_adaptive_slot_bytes,
    .cell_bytes = wm_adaptive_cell_bytes,
    .shape_for = wm_adaptive_shape_for,
    .lay_out = wm_adaptive_lay_out,
    .lay_out_scratch = wm_adaptive_lay_out_scratch,
    .begin = wm_adaptive_begin,
    .hash = wm_adaptive_hash,
    .learn = wm_adaptive_learn,
    .margin = wm_adaptive_margin,
    .weight = wm_adaptive_weight,
    .stored = wm_adaptive_stored,
    .forget = wm_adaptive_forget,
    .check = wm_adaptive_check,
    .outside = wm_adaptive_outside,
};
