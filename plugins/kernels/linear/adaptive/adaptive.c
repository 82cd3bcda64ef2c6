/* adaptive.c -- learning of adaptive.h, optimised for speed.
 *
 * One hash of an id gives its slot in the index of S, its cell and its sign. Weights of S and cells
 * are in one array, so margin and step use a single index for each entry, called its place: a slot,
 * a cell, or `nobody`. A row is processed in passes: places, margin, directions, steps. Each pass
 * is a function whose loop makes no calls, so the compiler keeps its variables in registers.
 *
 * Loops compute with a mask whether an entry is a member of S, because the processor could not
 * predict a branch. Steps go entry by entry, because an entry's feature may enter S, and this
 * changes the places of later entries. Entering is rare. So the loop of steps stops at an entry
 * that may enter S or take an owned cell, and continues after it. Until then it only notes which
 * members it has stepped.
 *
 * s.bound is a lower bound of min |S|; a step that makes a member lighter lowers it. Only an entry
 * that exceeds the bound starts a search for the minimum (lazy_min.h).
 */
#include "adaptive.h"

#include <assert.h>
#include <string.h>

#define ADAPTIVE_PASS __attribute__((noinline)) /* loop over the entries of a row */

/* ---- places and margin ---- */

/* Finds the place of every entry, and the sign of its feature there. */
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
        uint32_t outside = -(uint32_t)(index.id[s] != f); /* all ones if not in S, else 0 */
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

/* Finds the places if cells have owners. A feature outside S has the cell that it owns as its
 * place, or else `nobody`. */
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

/* Result of adaptive_read_row(). */
struct adaptive_reading {
    double sum;
    bool tempered; /* a weight of the row must be reduced by sgd_adaptive_temper() */
};

/* Sums the margin of the row with tempered weights. Stores each entry's accumulator in `along`, for
 * the pass that computes directions. */
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

/* Lets the feature that leaves a slot of S become the owner of a cell, if its worth suffices. */
static void adaptive_leave_for_pair(struct adaptive *m, uint32_t slot)
{
    uint64_t h = id_slots_mix(m->s.opt.seed, m->s.set.id[slot]);
    float w = adaptive_weight_at(m, slot), sum = adaptive_sum_at(m, slot);
    uint32_t c = adaptive_cell_for(m, h, adaptive_worth(&m->s.sgd, w, sum));
    if (c == STORE_NONE) return;
    adaptive_set_owner(m, c, adaptive_tag_of(h));
    numbers_set_weight(m->s.member, c, w, 0,
                       store_is_compact(&m->s)); /* exact, because w was stored in this precision */
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

/* Returns a slot for a feature of weight w. Returns a free slot if there is one. Otherwise, if |w|
 * exceeds the smallest |weight| of S, returns that member's slot and sets *taken to true; the
 * caller must remove the member. Otherwise returns STORE_NONE. */
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

/* Frees the owned cell c and returns its accumulator. If c is `nobody`, only returns 0. */
static float adaptive_give_up(struct adaptive *m, uint32_t c)
{
    float sum = adaptive_sum_at(m, c);
    if (c == m->nobody) return 0;
    adaptive_set_owner(m, c, 0);
    numbers_set_weight(m->s.member, c, 0, 0, store_is_compact(&m->s));
    numbers_set_sum(m->s.member, c, 0, 0, store_is_compact(&m->s));
    return sum;
}

/* Makes the feature of entry i a member of S. w is the weight of the feature after the step.
 * Returns false if S has no slot for the feature. */
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

/* Lets the feature of entry i challenge a cell of its pair (adaptive.h), if the feature
 * has no place yet. w is the weight of the feature after the step. Returns true if the
 * feature took a cell. */
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

/* Parameters of all steps of a row. */
struct stride {
    const struct sgd_adaptive *e;
    const float *x;
    float u; /* result of sgd_adaptive_end(); a weight steps by this times its direction */
};

/* Returns a feature's weight after the step `by`. w is the stored weight, whose sign is flipped if
 * `flip` is 1. */
ADAPTIVE_INLINE float adaptive_stepped(float w, uint32_t flip, float by, float limit)
{
    return sgd_within(numbers_signed(w, flip) + by, limit);
}

/* Returns the array of the slots of members that were stepped (n_noted slots). It overwrites `fold`
 * from the start: entries that were stepped no longer need their ids, and there are at least as
 * many of them as noted members. */
ADAPTIVE_INLINE uint32_t *adaptive_noted(const struct adaptive *m) { return m->fold; }

/* True if a feature may win a cell of its pair. Cheap, as the worth of a cell is at least its
 * |weight|. */
ADAPTIVE_INLINE bool adaptive_may_win(struct numbers of, uint32_t pair, float w, float x,
                                      bool compact)
{
    float first = fabsf(numbers_weight(of, pair, compact)),
          other = fabsf(numbers_weight(of, pair + 1, compact));
    return adaptive_worth_of_new(w, x) > ADAPTIVE_CHALLENGE * (other < first ? other : first);
}

/* Steps the entries from i on, whether members of S or cells. Stops at an entry that may enter S or
 * take an owned cell, without stepping it. Returns this entry, or `end`. */
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
        uint32_t outside = -((last - place) >> 31); /* all ones if not in S, else 0 */
        if (owned) { /* earlier entries may have changed the owners of the cells */
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

/* Counts the example for the noted members, and lowers the bounds of their blocks (lazy_min.h). */
static void adaptive_settle(struct adaptive *m, int y)
{
    for (uint32_t k = 0; k < m->n_noted; k++) {
        uint32_t slot = adaptive_noted(m)[k];
        lazy_min_lower(&m->s.lightest, slot, lazy_min_bits(adaptive_weight_at(m, slot)));
        if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)y]);
    }
    m->n_noted = 0;
}

enum { FEW = 8 }; /* if more features of a row enter S, places are found entry by entry */

/* Corrects the place of entry i, after features of other entries of the row have entered S. */
static void adaptive_find_again(struct adaptive *m, uint32_t i)
{
    uint32_t f = m->fold[i];
    if (m->at[i] < m->s.first_cell && m->s.set.id[m->at[i]] == f) return;
    uint64_t h = id_slots_mix(m->s.opt.seed, f);
    uint32_t slot = id_slots_seek_mixed(&m->s.set, f, h);
    m->flip[i] = 0;
    m->at[i] = m->s.set.id[slot] == f ? slot : adaptive_place_outside(m, h, &m->flip[i]);
}

/* Corrects the places of the entries after entry i, whose feature has entered S. Later entries may
 * have the same id, or the id of the member that left. */
static void adaptive_find_touched(struct adaptive *m, uint32_t i, uint32_t n)
{
    uint32_t f = m->fold[i], slot = m->s.entrant[m->s.n_entrants - 1].slot;
    for (uint32_t k = i + 1; k < n; k++)
        if ((m->fold[k] == f) | (m->at[k] == slot)) adaptive_find_again(m, k);
}

/* Lets the feature of entry i enter S or take a cell, if it can. Returns true if this did the
 * entry's step. */
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

/* Steps all entries of the row. If adaptive_settle_in() returns false, the entry is now below
 * s.bound, so the next adaptive_step_until() steps it. */
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

/* Shrinks all weights by the penalty, and then multiplies them by `times`. */
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
    /* Checks all values at once. Weights are finite and 0 times a non-finite value is NaN, so a
     * non-finite value makes z non-finite. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    m->s.random = mix64(m->s.opt.seed ^ m->s.sgd.t * MIX64_GOLDEN);
    m->s.draws = row->n; /* adaptive_step_until() uses draws 0 .. n - 1 */
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
