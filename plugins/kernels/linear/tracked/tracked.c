/* tracked.c -- tables of tracked features: memory, prediction, entering; see tracked.h.
 *
 * One pass finds the slot of each entry, sums the margin and lists the entries that have a slot and
 * those that have none, without a branch on which it is: an unpredictable branch costs more than
 * all the rest. Features without a slot read a weight of 0 past the end, so that a value that is
 * not finite still makes the margin not finite.
 *
 * Rows whose ids ascend repeat none. In other rows each id is looked up in a small hash table.
 *
 * Invariants (tracked_check): those of id_slots.c; bounds are below what they bound; weights are
 * finite; padding is above every key.
 */
#include "tracked_step.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/base/rank.h"
#include "core/mix64.h"
#include "core/heap.h"

#define NOWHERE UINT32_MAX

/* ---- memory ---- */

static size_t repeats_table(uint32_t n) /* a power of two, at most half full */
{
    size_t size = 4;
    while (size < 2 * (size_t)n)
        size *= 2;
    return size;
}

static void lay_out_scratch(struct tracked *m, struct layout *c)
{
    uint32_t n = m->opt.max_row;
    m->fid = layout_take(c, n, 4);
    m->at = layout_take(c, n, 4);
    m->member = layout_take(c, n, 4);
    m->other = layout_take(c, n, 4);
    m->origin = layout_take(c, n, 4);
    m->sum = layout_take(c, n, 4);
    m->twice = layout_take(c, repeats_table(n), 4);
    m->candidate = layout_take(c, n, 8);
    m->entrant = layout_take(c, n, sizeof(struct linear_entrant));
}

static size_t lay_out(struct tracked *m, void *block)
{
    const struct tracked_shape *s = &m->shape;
    struct layout c = {block, 0};
    uint32_t padded = lazy_min_padded(s->slots);
    bool frequent = m->opt.rule >= TRACKED_SPACE_SAVING;
    m->w = layout_take(&c, (size_t)padded + 1, 4);
    m->slots.id = layout_take(&c, (size_t)s->slots + 2, 4);
    m->accumulator = m->opt.sgd.rates != SGD_SHARED ? layout_take(&c, s->slots, 4) : NULL;
    m->count = m->opt.counts ? layout_take(&c, s->slots, 8) : NULL;
    m->l1_seen = m->opt.sgd.l1 > 0 ? layout_take(&c, s->slots, 4) : NULL;
    m->priority = m->opt.rule == TRACKED_SAMPLED ? layout_take(&c, padded, 4) : NULL;
    m->frequency = frequent ? layout_take(&c, padded, 4) : NULL;
    m->cell = s->width ? layout_take(&c, (size_t)s->width * s->depth, 4) : NULL;
    m->state_bytes = c.used;
    m->slots.next = layout_take(&c, (size_t)s->slots + 2, 4);
    m->slots.head = layout_take(&c, id_slots_heads(s->slots), 4);
    m->bounds = layout_take(&c, lazy_min_bounds(padded), 4);
    lay_out_scratch(m, &c);
    return c.used;
}

size_t tracked_block_bytes(const struct tracked_shape *shape, const struct tracked_options *opt)
{
    struct tracked m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

/* Keys past the last slot are never the smallest. */
static void pad(struct tracked *m)
{
    uint32_t padded = lazy_min_padded(m->shape.slots);
    for (uint32_t s = m->shape.slots; s < padded; s++) {
        m->w[s] = FLT_MAX;
        if (m->priority) m->priority[s] = 1;
        if (m->frequency) m->frequency[s] = INT32_MAX;
    }
    m->w[padded] = 0; /* of every feature that has no slot */
}

void tracked_borrow(struct tracked *m, const struct tracked *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->opt.max_row = from->opt.max_row;
    lay_out_scratch(m, &(struct layout){(char *)from->fid, 0});
}

void tracked_rebuild(struct tracked *m)
{
    pad(m);
    id_slots_rebuild(&m->slots);
    lazy_min_forget(&m->low);
    m->bound = tracked_full(m) ? 0 : -1;
    m->floor = m->hand = 0;
}

void tracked_init(struct tracked *m, const struct tracked_shape *shape,
                  const struct tracked_options *opt, void *block)
{
    bool sketch = opt->rule == TRACKED_COUNT_MIN;
    assert(shape->slots && shape->slots <= TRACKED_MAX_SLOTS && shape->extra == tracked_extra(opt));
    assert(!shape->width == !sketch && !shape->depth == !sketch);
    assert(!(shape->width & (shape->width - 1)) && shape->depth <= TRACKED_MAX_DEPTH);
    *m = (struct tracked){.shape = *shape, .opt = *opt};
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->slots.capacity = shape->slots;
    m->slots.seed = opt->seed;
    lazy_min_init(&m->low, lazy_min_padded(shape->slots), m->bounds, 0);
    m->low.key = m->frequency ? (const void *)m->frequency : m->w;
    m->low.times = m->priority;
    tracked_rebuild(m);
}

/* ---- random choices ---- */

static inline uint64_t random_of(uint64_t seed, uint64_t t, uint32_t i)
{
    return mix64(mix64(seed + t * MIX64_GOLDEN) + (i + 1) * 0xd1342543de82ef95u);
}

double tracked_draw(uint64_t seed, uint64_t t, uint32_t i)
{
    return ((double)(random_of(seed, t, i) >> 32) + 0.5) * 0x1p-32;
}

float tracked_priority(const struct tracked_options *opt, double draw)
{
    double e = -loss_log(1.0 - draw);
    if (opt->product) return (float)e;
    return (float)(e > 1 / TRACKED_MAX_PRIORITY ? 1.0 / e : TRACKED_MAX_PRIORITY);
}

uint32_t tracked_pick(uint64_t seed, uint64_t t, uint32_t n)
{
    assert(n);
    return (uint32_t)((random_of(seed, t, 0) >> 32) * n >> 32);
}

/* ---- the row with each id once ---- */

/* Index of the first entry with this id, which is entered as `i` if there is none. */
static uint32_t first_with(struct tracked *m, size_t size, uint32_t id, uint32_t i)
{
    size_t h = id_slots_mix(m->opt.seed, id) & (size - 1);
    while (m->twice[h] && m->fid[m->twice[h] - 1] != id)
        h = (h + 1) & (size - 1);
    if (!m->twice[h]) m->twice[h] = i + 1;
    return m->twice[h] - 1;
}

/* false: a value is not finite, which a sum could hide. */
static bool sum_repeats(struct tracked *m, const struct linear_row *row)
{
    size_t size = repeats_table(row->n);
    uint32_t n = 0;
    memset(m->twice, 0, size * sizeof *m->twice);
    for (uint32_t i = 0; i < row->n; i++) {
        if (!isfinite(row->x[i])) return false;
        uint32_t id = m->fid[i], first = first_with(m, size, id, n);
        if (first < n) {
            m->sum[first] = sgd_clamp(m->sum[first] + row->x[i]);
            continue;
        }
        m->fid[n] = id;
        m->sum[n] = row->x[i];
        m->origin[n++] = i;
    }
    if (n == row->n) return true;
    m->n = n;
    m->x = m->sum;
    m->entry = m->origin;
    return true;
}

static bool gather(struct tracked *m, const struct linear_row *row)
{
    uint32_t repeats = 0;
    m->n = row->n;
    m->x = row->x;
    m->entry = NULL;
    for (uint32_t i = 0; i < row->n; i++)
        m->fid[i] = id_slots_fold(row->id[i]);
    for (uint32_t i = 1; i < row->n; i++)
        repeats |= m->fid[i] <= m->fid[i - 1];
    return !repeats || sum_repeats(m, row);
}

static inline __attribute__((always_inline)) double locate_each(struct tracked *m,
                                                                const uint64_t *hash)
{
    const uint32_t outside = lazy_min_padded(m->shape.slots), n = m->n;
    const float *const x = m->x, *const w = m->w;
    const struct id_slots s = m->slots;
    uint32_t members = 0, others = 0;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = m->fid[i];
        uint64_t h = hash ? hash[m->entry ? m->entry[i] : i] : id_slots_mix(s.seed, id);
        uint32_t at = id_slots_seek_mixed(&s, id, h), in = s.id[at] == id;
        at = in ? at : outside;
        m->at[i] = at;
        m->member[members] = i;
        m->other[others] = i;
        members += in;
        others += !in;
        sum += (double)w[at] * (double)x[i];
    }
    m->n_members = members;
    m->n_others = others;
    return sum;
}

static double locate(struct tracked *m, const uint64_t *hash)
{
    return hash ? locate_each(m, hash) : locate_each(m, NULL);
}

/* ---- the penalty ---- */

static void apply_l1(struct tracked *m, uint32_t slot)
{
    m->w[slot] = tracked_weight_now(m, slot);
    m->l1_seen[slot] = (float)m->sgd.penalty;
}

/* The row's features take the penalty that is pending. false: a value is not finite, and nothing
 * has changed. */
static bool apply_l1_row(struct tracked *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (!isfinite(m->x[i])) return false;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t slot = id_slots_seek(&m->slots, m->fid[i]);
        if (m->slots.id[slot] == m->fid[i]) apply_l1(m, slot);
    }
    return true;
}

/* The example's share of the penalty becomes pending, and lowers the bound of keys. */
static void add_l1(struct tracked *m, double share)
{
    if (m->bound > 0 && !m->frequency)
        m->bound =
            m->priority ? 0 : lazy_min_bits(l1_lower(&m->sgd, tracked_float(m->bound), share));
    m->sgd.penalty += share;
}

static int32_t key_now(const struct tracked *m, uint32_t s)
{
    if (m->frequency) return (int32_t)m->frequency[s];
    float w = tracked_weight_now(m, s);
    return lazy_min_bits(m->priority ? w * m->priority[s] : w);
}

/* The first of the smallest keys; m->bound becomes that key. Keys with a pending penalty are no
 * keys for lazy_min.h: all of them are read, which changes none. */
static uint32_t smallest_key(struct tracked *m)
{
    uint32_t slot = 0;
    if (!m->l1_seen || m->frequency) return lazy_min_find(&m->low, &m->bound);
    m->bound = INT32_MAX;
    for (uint32_t s = 0; s < m->slots.n; s++) {
        int32_t v = key_now(m, s);
        slot = v < m->bound ? s : slot;
        m->bound = v < m->bound ? v : m->bound;
    }
    return slot;
}

/* ---- entering ---- */

void tracked_enter(struct tracked *m, uint32_t slot, uint32_t i, const struct sgd_step *step)
{
    m->slots.id[slot] = m->fid[i];
    id_slots_link(&m->slots, slot);
    m->w[slot] = 0;
    if (m->l1_seen) m->l1_seen[slot] = (float)m->sgd.penalty;
    if (m->accumulator) m->accumulator[slot] = 0;
    if (m->count) m->count[2 * (size_t)slot] = m->count[2 * (size_t)slot + 1] = 0;
    tracked_step(m, slot, m->x[i], step);
    m->entrant[m->n_entrants++] = (struct linear_entrant){slot, m->entry ? m->entry[i] : i};
}

/* Keys, the largest at the root. */
#define LARGER(none, a, b) ((a) > (b))
HEAP(keys, uint64_t, const void *, LARGER)

void tracked_candidates(struct tracked *m, uint32_t k)
{
    for (uint32_t i = k / 2; i--;)
        keys_sift_down(NULL, m->candidate, k, i);
}

uint32_t tracked_best(struct tracked *m, uint32_t *k, int32_t *key)
{
    assert(*k);
    uint64_t best = m->candidate[0];
    m->candidate[0] = m->candidate[--*k];
    if (*k) keys_sift_down(NULL, m->candidate, *k, 0);
    *key = (int32_t)(best >> 32);
    return UINT32_MAX - (uint32_t)best;
}

uint32_t tracked_take_slot(struct tracked *m, int32_t key)
{
    if (!tracked_full(m)) {
        if (m->slots.n + 1 == m->slots.capacity) m->bound = 0;
        return tracked_free_slot(m);
    }
    uint32_t slot = smallest_key(m);
    if (key <= m->bound) return NOWHERE;
    tracked_evict(m, slot);
    return slot;
}

/* ---- one example ---- */

/* Multiply alpha into the weights. Products with priorities round again, so no bound holds. */
static void fold_alpha(struct tracked *m)
{
    float a = (float)m->sgd.alpha;
    for (uint32_t s = 0; s < m->slots.n; s++) {
        m->w[s] = a * tracked_weight_now(m, s);
        if (m->l1_seen) m->l1_seen[s] = 0;
    }
    sgd_folded(&m->sgd);
    if (m->frequency) return;
    lazy_min_forget(&m->low);
    if (m->bound > 0) m->bound = 0;
}

static void renew(struct tracked *m)
{
    uint64_t cells = (uint64_t)m->shape.width * m->shape.depth;
    sgd_renew_counts(&m->sgd, m->frequency, m->slots.n);
    sgd_renew_counts(&m->sgd, m->cell, cells);
    sgd_renew(&m->sgd, m->accumulator, m->count, m->slots.n);
    if (!m->frequency) return;
    lazy_min_forget(&m->low);
    if (m->bound > 0) m->bound = 0;
}

/* What is due at the end of an example. */
static void tidy(struct tracked *m, double share)
{
    if (m->l1_seen) add_l1(m, share);
    if (sgd_must_fold(&m->sgd)) fold_alpha(m);
    if (sgd_must_renew(&m->sgd)) renew(m);
}

enum linear_result tracked_learn_hashed(struct tracked *m, const struct linear_row *row,
                                        const uint64_t *hash, double *margin)
{
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    if (!gather(m, row)) return LINEAR_NONFINITE;
    if (m->l1_seen && !apply_l1_row(m)) return LINEAR_NONFINITE;
    double z = locate(m, hash) * m->sgd.alpha + m->sgd.bias; /* step 1 */
    /* Weights are finite, and 0 times a non-finite value is NaN: this finds every such value. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    struct sgd_step step = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    switch (m->opt.rule) { /* steps 2 and 3 */
    case TRACKED_HEAVIEST:
    case TRACKED_SAMPLED:
        truncation_update(m, &step);
        break;
    case TRACKED_SPACE_SAVING:
        space_saving_update(m, &step);
        break;
    case TRACKED_COUNT_MIN:
        count_min_update(m, &step);
        break;
    }
    if (sgd_is_due(&m->sgd)) tidy(m, step.share);
#ifdef LEAT_CHECKS
    assert(!tracked_check(m));
#endif
    return LINEAR_OK;
}

/* ---- reading ---- */

double tracked_margin(const struct tracked *m, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = id_slots_fold(id[i]), s = id_slots_seek(&m->slots, f);
        sum += (m->slots.id[s] == f ? (double)tracked_weight_now(m, s) : 0.0) * (double)x[i];
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

double tracked_weight(const struct tracked *m, uint64_t id)
{
    uint32_t s = id_slots_seek(&m->slots, id_slots_fold(id));
    return m->slots.id[s] == id_slots_fold(id) ? tracked_slot_weight(m, s) : 0;
}

uint32_t tracked_top(const struct tracked *m, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *slot)
{
    l1_all(&m->sgd, m->slots.n, m->w, m->l1_seen, weight);
    return rank_heaviest(m->slots.n, weight, m->count, sgd_count_of(&m->sgd, min_count), k, slot);
}

const char *tracked_check(const struct tracked *m)
{
    const char *broken = id_slots_check(&m->slots);
    if (broken) return broken;
    for (uint32_t s = 0; s < m->slots.n; s++) {
        if (!isfinite(m->w[s])) return "a weight is not finite";
        if (m->opt.rule == TRACKED_SPACE_SAVING) {
            if (tracked_full(m) && m->frequency[s] < m->floor + (s < m->hand))
                return "a count is below the floor";
            continue;
        }
        if (key_now(m, s) < m->bound) return "the bound is above a key";
        if (m->l1_seen && !m->frequency) continue; /* no block bounds then */
        if (lazy_min_breaks(&m->low, s, key_now(m, s))) return "a block bound is above a key";
    }
    if (tracked_full(m) != (m->bound >= 0) && m->opt.rule != TRACKED_SPACE_SAVING)
        return "the bound says that a slot is free";
    if (m->w[lazy_min_padded(m->shape.slots)] != 0)
        return "features without a slot weigh something";
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) return "scale or bias";
    return NULL;
}
