/* adaptive.c -- learning of adaptive.h, and how it is fast.
 *
 * One hash of an id gives its slot in the index of S, its cell and its sign. Weights of S and cells
 * are in one array, so margin and step use one place for each entry. A row is read in passes:
 * places, margin, directions, steps. Each pass is a function whose loop makes no calls, so the
 * compiler keeps its variables in registers.
 *
 * Membership of an entry is a mask, because a branch could not be predicted. Steps go one by one,
 * because an entry may make another entry's feature a member, or take its slot. This is rare. So
 * the loop of steps ends at an entry that may enter S, or may take an owned cell, and starts again
 * after it. Meanwhile it only notes the members that it steps.
 *
 * `bound` is a lower bound of min |S|: a step that makes a member lighter lowers it. Only an entry
 * that exceeds the bound starts a search for the minimum (lazy_min.h).
 */
#include "adaptive.h"

#include <assert.h>
#include <string.h>

#define ADAPTIVE_PASS __attribute__((noinline)) /* a loop over the entries of a row */

/* ---- places and margin ---- */

/* Finds the place of every entry, and its sign there. */
ADAPTIVE_INLINE void adaptive_find_each(struct adaptive *m, const struct linear_row *row,
                                        const uint64_t *hash)
{
    const struct id_slots index = m->s.set;
    const uint32_t first = m->s.first_cell;
    const uint64_t seed = m->s.opt.seed, cells = m->s.shape.width, *const id = row->id;
    uint32_t *const at = m->at, *const fold = m->fold, *const flip = m->flip;
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        uint32_t f = fold[i] = id_slots_fold(id[i]);
        uint64_t h = hash ? hash[i] : id_slots_mix(seed, f);
        uint32_t s = id_slots_seek_mixed(&index, f, h), c = adaptive_cell(first, cells, h);
        uint32_t outside = -(uint32_t)(index.id[s] != f); /* all ones, or zero */
        at[i] = s ^ ((s ^ c) & outside);
        flip[i] = (uint32_t)h & outside & 1;
    }
}

static ADAPTIVE_PASS void adaptive_find_unhashed(struct adaptive *m, const struct linear_row *row)
{
    adaptive_find_each(m, row, NULL);
}

static ADAPTIVE_PASS void adaptive_find_hashed(struct adaptive *m, const struct linear_row *row,
                                               const uint64_t *hash)
{
    adaptive_find_each(m, row, hash);
}

/* Finds the places if cells have owners: a feature outside S lives in the cell that it owns, or
 * nowhere. */
static ADAPTIVE_PASS void adaptive_find_owned(struct adaptive *m, const struct linear_row *row,
                                              const uint64_t *hash)
{
    const struct id_slots index = m->s.set;
    const struct adaptive_owners of = adaptive_owners_of(m);
    const uint64_t seed = m->s.opt.seed, *const id = row->id;
    uint32_t *const at = m->at, *const fold = m->fold, *const pair = m->pair;
    uint8_t *const tag = m->tag;
    memset(m->flip, 0, row->n * sizeof *m->flip);
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        uint32_t f = fold[i] = id_slots_fold(id[i]);
        uint64_t h = hash ? hash[i] : id_slots_mix(seed, f);
        uint32_t s = id_slots_seek_mixed(&index, f, h), p = pair[i] = adaptive_pair_of(of, h);
        uint32_t c = adaptive_owned_in(of, p, tag[i] = adaptive_tag_of(h)),
                 outside = -(uint32_t)(index.id[s] != f);
        at[i] = s ^ ((s ^ c) & outside);
    }
}

/* Sum of the margin before the row is learned. */
struct adaptive_reading {
    double sum;
    bool tempered; /* some weight must become smaller */
};

/* Reads the row. Leaves the accumulators in `along`, for the directions. */
ADAPTIVE_INLINE struct adaptive_reading
adaptive_read_row(struct adaptive *m, const struct linear_row *row, bool compact)
{
    const struct numbers of = m->s.member;
    const uint32_t *const at = m->at, *const flip = m->flip;
    const struct sgd_limits limits = sgd_adaptive_limits(&m->s.sgd);
    float *const along = m->along;
    struct adaptive_reading r = {0};
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        float x = row->x[i], square = x * x, w = numbers_weight(of, at[i], compact);
        float sum = along[i] = numbers_sum(of, at[i], compact);
        if ((square > limits.large * sum && sum > 0) || sum > limits.coarse) {
            float stored = w;
            w = sgd_adaptive_temper(&limits, w, sum, x);
            r.tempered |= w != stored;
        }
        r.sum += (double)numbers_signed(w, flip[i]) * (double)x;
    }
    return r;
}

static void adaptive_temper_row(struct adaptive *m, const struct linear_row *row)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->s.sgd);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t at = m->at[i];
        float stored = adaptive_weight_at(m, at);
        float w = sgd_adaptive_temper(&limits, stored, adaptive_sum_at(m, at), row->x[i]);
        if (w == stored) continue;
        numbers_set_weight(m->s.member, at, w, store_draw(&m->s), store_is_compact(&m->s));
        if (at < m->s.first_cell) store_became(&m->s, at, lazy_min_bits(adaptive_weight_at(m, at)));
    }
}

/* ---- entering and leaving S ---- */

/* Makes the feature of a slot, which leaves S, the owner of a cell if its worth suffices. */
static void adaptive_leave_for_pair(struct adaptive *m, uint32_t slot)
{
    uint64_t h = id_slots_mix(m->s.opt.seed, m->s.set.id[slot]);
    float w = adaptive_weight_at(m, slot), sum = adaptive_sum_at(m, slot);
    uint32_t c = adaptive_cell_for(m, h, adaptive_worth(&m->s.sgd, w, sum));
    if (c == STORE_NONE) return;
    adaptive_set_owner(m, c, adaptive_tag_of(h));
    numbers_set_weight(m->s.member, c, w, 0,
                       store_is_compact(&m->s)); /* exact: w was stored in this precision */
    numbers_set_sum(m->s.member, c, sum, 0, store_is_compact(&m->s));
}

static void adaptive_leave(struct adaptive *m, uint32_t slot)
{
    id_slots_unlink(&m->s.set, slot);
    if (m->s.shape.owned) adaptive_leave_for_pair(m, slot);
    if (m->s.shape.owned || !m->s.shape.width) return;
    const struct numbers n = m->s.member;
    uint64_t h = id_slots_mix(m->s.opt.seed, m->s.set.id[slot]), random = store_draw(&m->s);
    uint32_t c = adaptive_cell_of(m, h);
    float w = numbers_signed(adaptive_weight_at(m, slot), (uint32_t)h & 1),
          sum = adaptive_sum_at(m, slot);
    float cell_sum = adaptive_sum_at(m, c);
    w = adaptive_shared_weight(&m->s.sgd, adaptive_weight_at(m, c), cell_sum, w, sum);
    numbers_set_weight(n, c, w, random, store_is_compact(&m->s));
    if (0.5f * sum > cell_sum) numbers_set_sum(n, c, 0.5f * sum, random, store_is_compact(&m->s));
}

/* Slot for a weight: a free slot, or the lightest member's if the weight outweighs it, or
 * STORE_NONE. *taken becomes true if a member must leave the slot. */
static uint32_t adaptive_slot_for(struct adaptive *m, float w, bool *taken)
{
    *taken = false;
    if (m->s.set.n < m->s.shape.active) {
        if (m->s.set.n + 1 == m->s.shape.active) m->s.bound = 0;
        return id_slots_take(&m->s.set);
    }
    uint32_t slot = lazy_min_find(&m->s.lightest, &m->s.bound);
    *taken = lazy_min_bits(w) > m->s.bound;
    return *taken ? slot : STORE_NONE;
}

/* Frees an owned cell. Returns its accumulator; 0 for `nobody`. */
static float adaptive_give_up(struct adaptive *m, uint32_t c)
{
    float sum = adaptive_sum_at(m, c);
    if (c == m->nobody) return 0;
    adaptive_set_owner(m, c, 0);
    numbers_set_weight(m->s.member, c, 0, 0, store_is_compact(&m->s));
    numbers_set_sum(m->s.member, c, 0, 0, store_is_compact(&m->s));
    return sum;
}

/* Makes the feature of entry i, of weight w after its step, a member. Returns false if there is no
 * slot for it. */
static bool adaptive_enter(struct adaptive *m, uint32_t i, float w, float more, int y)
{
    const struct numbers n = m->s.member;
    bool compact = store_is_compact(&m->s), owned = m->s.shape.owned, taken;
    uint32_t c = m->at[i], slot = adaptive_slot_for(m, w, &taken);
    if (slot == STORE_NONE) return false;
    float sum = owned ? adaptive_give_up(m, c) : 0;
    if (taken) adaptive_leave(m, slot);
    if (!owned) sum = adaptive_sum_at(m, c);
    uint64_t random = numbers_random(m->s.random + i);
    numbers_set_weight(n, slot, w, random, compact);
    numbers_set_sum(n, slot, sgd_clamp(sum + more), random, compact);
    if (m->s.shape.width && !owned)
        numbers_set_weight(n, c, 0.5f * adaptive_weight_at(m, c), store_draw(&m->s), compact);
    store_enter(&m->s, slot, m->fold[i], i, y);
    lazy_min_lower(&m->s.lightest, slot, lazy_min_bits(adaptive_weight_at(m, slot)));
    return true;
}

/* Gives entry i, whose feature has no place and would weigh w, a cell of its pair if its worth
 * suffices. */
static bool adaptive_take_cell(struct adaptive *m, uint32_t i, float w, float x, float more)
{
    if (!m->s.shape.owned || m->at[i] != m->nobody) return false;
    uint32_t c = adaptive_cell_won(m, m->pair[i], adaptive_worth_of_new(w, x));
    if (c == STORE_NONE) return false;
    uint64_t random = numbers_random(m->s.random + i);
    adaptive_set_owner(m, c, m->tag[i]);
    numbers_set_weight(m->s.member, c, w, random, store_is_compact(&m->s));
    numbers_set_sum(m->s.member, c, more, random, store_is_compact(&m->s));
    return true;
}

/* ---- steps ---- */

/* Parameters that all steps of a row share. */
struct stride {
    const struct sgd_adaptive *e;
    const float *x;
    float u; /* step of a weight divided by its direction */
};

/* Weight of a feature after a step; w is stored with the sign `flip`. */
ADAPTIVE_INLINE float adaptive_stepped(float w, uint32_t flip, float by, float limit)
{
    return sgd_within(numbers_signed(w, flip) + by, limit);
}

/* Slots of the members that were stepped; n_noted. Reuses `fold`: there are never more of them than
 * stepped entries, whose ids are no longer needed. */
ADAPTIVE_INLINE uint32_t *adaptive_noted(const struct adaptive *m) { return m->fold; }

/* True if a feature may win a cell of its pair. The worth of a cell is at least its |weight|. */
ADAPTIVE_INLINE bool adaptive_may_win(struct numbers of, uint32_t pair, float w, float x,
                                      bool compact)
{
    float first = fabsf(numbers_weight(of, pair, compact)),
          other = fabsf(numbers_weight(of, pair + 1, compact));
    return adaptive_worth_of_new(w, x) > ADAPTIVE_CHALLENGE * (other < first ? other : first);
}

/* Steps the entries from i on, members and cells alike, up to an entry that may enter S or take a
 * cell. Returns this entry, or `end`. */
ADAPTIVE_INLINE uint32_t adaptive_step_until(struct adaptive *m, const struct stride *s, uint32_t i,
                                             uint32_t end, bool compact, bool owned)
{
    const struct numbers of = m->s.member;
    const uint32_t *const flip = m->flip, last = m->s.first_cell - 1;
    uint32_t *const at = m->at;
    const uint32_t nobody = m->nobody, *const pair = m->pair;
    const uint8_t *const tag = m->tag;
    const struct adaptive_owners owner = adaptive_owners_of(m);
    const float *const x = s->x, *const along = m->along, u = s->u;
    const struct sgd_adaptive e = *s->e;
    const uint64_t random = m->s.random;
    uint32_t *note = adaptive_noted(m) + m->n_noted;
    int32_t low = m->s.bound;
    for (; i < end; i++) {
        if (!(bits_of_float(x[i]) << 1)) continue; /* 0 or -0 */
        uint32_t place = at[i], turned = flip[i];
        uint32_t outside = -((last - place) >> 31); /* all ones, or zero */
        if (owned) { /* entries before this one may have changed owners */
            uint32_t c = adaptive_owned_in(owner, pair[i], tag[i]);
            place = at[i] = place ^ ((place ^ c) & outside);
        }
        float w =
            adaptive_stepped(numbers_weight(of, place, compact), turned, u * along[i], e.limit);
        if ((lazy_min_bits(w) | (int32_t)~outside) > low) break;
        if (place == nobody) {
            if (owned && adaptive_may_win(of, pair[i], w, x[i], compact)) break;
            continue;
        }
        uint64_t bits = numbers_random(random + i);
        numbers_set_weight(of, place, numbers_signed(w, turned), bits, compact);
        int32_t key = lazy_min_bits(numbers_weight(of, place, compact)) | (int32_t)(outside >> 1);
        low = key < low ? key : low;
        *note = place;
        note += outside + 1;
        numbers_add_to_sum(of, place, sgd_adaptive_more(&e, x[i]), bits, compact);
    }
    m->s.bound = low;
    m->n_noted = (uint32_t)(note - adaptive_noted(m));
    return i;
}

static ADAPTIVE_PASS uint32_t adaptive_step_compact(struct adaptive *m, const struct stride *s,
                                                    uint32_t i, uint32_t end)
{
    return m->s.shape.owned ? adaptive_step_until(m, s, i, end, true, true)
                            : adaptive_step_until(m, s, i, end, true, false);
}

static ADAPTIVE_PASS uint32_t adaptive_step_full(struct adaptive *m, const struct stride *s,
                                                 uint32_t i, uint32_t end)
{
    return m->s.shape.owned ? adaptive_step_until(m, s, i, end, false, true)
                            : adaptive_step_until(m, s, i, end, false, false);
}

/* Counts the noted members, and lowers the bounds of their blocks. */
static void adaptive_settle(struct adaptive *m, int y)
{
    for (uint32_t k = 0; k < m->n_noted; k++) {
        uint32_t slot = adaptive_noted(m)[k];
        lazy_min_lower(&m->s.lightest, slot, lazy_min_bits(adaptive_weight_at(m, slot)));
        if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)y]);
    }
    m->n_noted = 0;
}

enum { FEW = 8 }; /* most entrants of a row that each start a pass over the rest of it */

/* Finds the place of entry i again, after other entries of its row have entered S. */
static void adaptive_find_again(struct adaptive *m, uint32_t i)
{
    uint32_t f = m->fold[i];
    if (m->at[i] < m->s.first_cell && m->s.set.id[m->at[i]] == f) return;
    uint64_t h = id_slots_mix(m->s.opt.seed, f);
    uint32_t slot = id_slots_seek_mixed(&m->s.set, f, h);
    m->flip[i] = 0;
    m->at[i] = m->s.set.id[slot] == f ? slot : adaptive_place_outside(m, h, &m->flip[i]);
}

/* Corrects the entries after entry i, which has entered S: they may have its id, or the id of the
 * member that left. */
static void adaptive_find_touched(struct adaptive *m, uint32_t i, uint32_t n)
{
    uint32_t f = m->fold[i], slot = m->s.entrant[m->s.n_entrants - 1].slot;
    for (uint32_t k = i + 1; k < n; k++)
        if ((m->fold[k] == f) | (m->at[k] == slot)) adaptive_find_again(m, k);
}

/* Lets entry i enter S, or take a cell, if it can. Returns true if its step is done. */
static bool adaptive_settle_in(struct adaptive *m, const struct stride *s, uint32_t i, uint32_t n)
{
    float w = adaptive_stepped(adaptive_weight_at(m, m->at[i]), m->flip[i], s->u * m->along[i],
                               s->e->limit);
    float more = sgd_adaptive_more(s->e, s->x[i]);
    bool entered = adaptive_enter(m, i, w, more, s->e->step.y);
    if (!entered && !adaptive_take_cell(m, i, w, s->x[i], more)) return m->at[i] == m->nobody;
    if (entered && m->s.n_entrants <= FEW) adaptive_find_touched(m, i, n);
    return true;
}

/* Steps the row. An entry whose step adaptive_settle_in() leaves undone is below the bound then, so
 * it steps in the next turn. */
ADAPTIVE_INLINE void adaptive_step_row(struct adaptive *m, const struct stride *s, uint32_t n,
                                       bool compact)
{
    int y = s->e->step.y;
    m->n_noted = 0;
    for (uint32_t i = 0; i < n;) {
        bool many = m->s.n_entrants > FEW;
        uint32_t end = many ? i + 1 : n;
        if (many) adaptive_find_again(m, i);
        i = compact ? adaptive_step_compact(m, s, i, end) : adaptive_step_full(m, s, i, end);
        if (i == end) continue;
        adaptive_settle(m, y);
        i += adaptive_settle_in(m, s, i, n);
    }
    adaptive_settle(m, y);
}

/* ---- penalty, folding and renewal ---- */

/* Moves all weights by the penalty towards 0, and multiplies them by `times`. */
static void adaptive_lighten(struct adaptive *m, float penalty, float times)
{
    bool compact = store_is_compact(&m->s);
    for (uint32_t i = 0, n = m->s.first_cell + m->s.shape.width; i < n; i++) {
        if (i >= m->s.set.n && i < m->s.first_cell) continue;
        float w = times * l1_shrink(adaptive_weight_at(m, i), penalty);
        numbers_set_weight(m->s.member, i, w, store_draw(&m->s), compact);
    }
    store_forget_bounds(&m->s);
}

static void adaptive_fold_alpha(struct adaptive *m)
{
    adaptive_lighten(m, l1_pending(&m->s.sgd), (float)m->s.sgd.alpha);
    sgd_folded(&m->s.sgd);
}

static void adaptive_apply_l1(struct adaptive *m, double share)
{
    m->s.sgd.penalty += share;
    if (!l1_due(&m->s.sgd, m->s.set.n + (size_t)m->s.shape.width)) return;
    adaptive_lighten(m, l1_pending(&m->s.sgd), 1);
    m->s.sgd.l1_applied = m->s.sgd.penalty;
}

static void adaptive_scale_sums(struct adaptive *m, float by)
{
    bool compact = store_is_compact(&m->s);
    for (uint32_t i = 0, n = m->s.first_cell + m->s.shape.width; i < n; i++)
        if (i < m->s.set.n || i >= m->s.first_cell)
            numbers_set_sum(m->s.member, i, by * adaptive_sum_at(m, i), store_draw(&m->s), compact);
}

static void adaptive_renew(struct adaptive *m)
{
    adaptive_scale_sums(m, (float)sgd_renewal(&m->s.sgd));
    sgd_renew(&m->s.sgd, NULL, m->s.count, m->s.set.n);
}

void adaptive_forget(struct store *s, double share, double sums)
{
    struct adaptive *m = (struct adaptive *)s;
    adaptive_lighten(m, l1_pending(&m->s.sgd), (float)share);
    adaptive_scale_sums(m, (float)sums);
    sgd_adaptive_forget(&m->s.sgd, share, sums);
}

/* ---- one example ---- */

ADAPTIVE_INLINE enum linear_result
adaptive_learn_row(struct adaptive *m, const struct linear_row *row, double *margin, bool compact)
{
    struct adaptive_reading r = adaptive_read_row(m, row, compact);
    double z = r.sum * m->s.sgd.alpha + m->s.sgd.bias;
    /* Weights are finite, and 0 times a non-finite value is NaN, so z shows every such value. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    m->s.random = mix64(m->s.opt.seed ^ m->s.sgd.t * MIX64_GOLDEN);
    m->s.draws = row->n; /* the first n draws are for the steps */
    if (r.tempered) adaptive_temper_row(m, row);
    struct sgd_adaptive e =
        sgd_adaptive_begin(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    struct sgd_ways sum = sgd_adaptive_directions(&e, row->n, row->x, m->along);
    float u = sgd_adaptive_end(&m->s.sgd, &e, &sum);
    adaptive_step_row(m, &(struct stride){&e, row->x, u}, row->n, compact);
    if (sgd_is_due(&m->s.sgd)) {
        if (m->s.opt.sgd.l1 > 0) adaptive_apply_l1(m, e.step.share);
        if (sgd_must_fold(&m->s.sgd)) adaptive_fold_alpha(m);
        if (sgd_must_renew(&m->s.sgd)) adaptive_renew(m);
    }
    return LINEAR_OK;
}

enum linear_result adaptive_learn(struct store *s, const struct linear_row *row,
                                  const uint64_t *hash, double *margin)
{
    struct adaptive *m = (struct adaptive *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    if (m->s.shape.owned)
        adaptive_find_owned(m, row, hash);
    else if (hash)
        adaptive_find_hashed(m, row, hash);
    else
        adaptive_find_unhashed(m, row);
    enum linear_result result = store_is_compact(&m->s) ? adaptive_learn_row(m, row, margin, true)
                                                        : adaptive_learn_row(m, row, margin, false);
#ifdef LEAT_CHECKS
    assert(!store_check(s));
#endif
    return result;
}
