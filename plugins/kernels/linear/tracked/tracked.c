/* tracked.c -- prediction, entering and the penalty; implements part of tracked.h.
 *
 * One pass finds the slot of each entry, sums the margin, and lists the entries with and without a
 * slot. The pass does not branch on the slot, because an unpredictable branch would cost more than
 * all other work. A feature without a slot reads the weight 0 after the last slot, so a non-finite
 * value still makes the margin non-finite.
 *
 * If the ids of a row are ascending, none occurs twice. In other rows a small hash table finds
 * repeated ids.
 *
 * Invariants (tracked_kernel.check): id_slots_check(); lower bounds are not above the keys; weights
 * are finite; padding is above every key.
 */
#include "tracked_step.h"

#include <assert.h>
#include <string.h>

#include "core/heap.h"
#include "core/mix64.h"

/* ---- random choices ---- */

static inline uint64_t tracked_random_of(uint64_t seed, uint64_t t, uint32_t i)
{
    return mix64(mix64(seed + t * MIX64_GOLDEN) + (i + 1) * 0xd1342543de82ef95u);
}

double tracked_draw(uint64_t seed, uint64_t t, uint32_t i)
{
    return ((double)(tracked_random_of(seed, t, i) >> 32) + 0.5) * 0x1p-32;
}

float tracked_priority(const struct linear_options *opt, double draw)
{
    double e = -loss_log(1.0 - draw);
    if (opt->product) return (float)e;
    return (float)(e > 1 / TRACKED_MAX_PRIORITY ? 1.0 / e : TRACKED_MAX_PRIORITY);
}

uint32_t tracked_pick(uint64_t seed, uint64_t t, uint32_t n)
{
    assert(n);
    return (uint32_t)((tracked_random_of(seed, t, 0) >> 32) * n >> 32);
}

/* ---- rows that repeat an id ---- */

/* Returns the index of the first entry with this id. If there is none, adds the id as entry i. */
static uint32_t tracked_first_with(struct tracked *m, size_t size, uint32_t id, uint32_t i)
{
    size_t h = id_slots_mix(m->s.opt.seed, id) & (size - 1);
    while (m->twice[h] && m->fid[m->twice[h] - 1] != id)
        h = (h + 1) & (size - 1);
    if (!m->twice[h]) m->twice[h] = i + 1;
    return m->twice[h] - 1;
}

/* Sums the values of ids that the row repeats. Returns false if a value is not finite, which
 * the sum might hide. */
static bool tracked_sum_repeats(struct tracked *m, const struct linear_row *row)
{
    size_t size = tracked_repeats(row->n);
    uint32_t n = 0;
    memset(m->twice, 0, size * sizeof *m->twice);
    for (uint32_t i = 0; i < row->n; i++) {
        if (!isfinite(row->x[i])) return false;
        uint32_t id = m->fid[i], first = tracked_first_with(m, size, id, n);
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

static bool tracked_gather(struct tracked *m, const struct linear_row *row)
{
    uint32_t repeats = 0;
    m->n = row->n;
    m->x = row->x;
    m->entry = NULL;
    for (uint32_t i = 0; i < row->n; i++)
        m->fid[i] = id_slots_fold(row->id[i]);
    for (uint32_t i = 1; i < row->n; i++)
        repeats |= m->fid[i] <= m->fid[i - 1];
    return !repeats || tracked_sum_repeats(m, row);
}

static inline __attribute__((always_inline)) double tracked_locate_each(struct tracked *m,
                                                                        const uint64_t *hash)
{
    const uint32_t outside = m->s.first_cell, n = m->n;
    const float *const x = m->x, *const w = m->s.member.weight;
    const struct id_slots s = m->s.set;
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

static double tracked_locate(struct tracked *m, const uint64_t *hash)
{
    return hash ? tracked_locate_each(m, hash) : tracked_locate_each(m, NULL);
}

/* ---- the penalty ---- */

static void tracked_apply_l1(struct tracked *m, uint32_t slot)
{
    m->s.member.weight[slot] = store_weight_now(&m->s, slot);
    m->s.l1_seen[slot] = (float)m->s.sgd.penalty;
}

/* Shrinks the row's features by their pending penalty (l1.h). Returns false, without any change, if
 * a value is not finite. */
static bool tracked_apply_l1_row(struct tracked *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (!isfinite(m->x[i])) return false;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t slot = id_slots_seek(&m->s.set, m->fid[i]);
        if (m->s.set.id[slot] == m->fid[i]) tracked_apply_l1(m, slot);
    }
    return true;
}

/* Adds the example's share to the penalty, and lowers the bound of keys accordingly. */
static void tracked_add_l1(struct tracked *m, double share)
{
    if (m->s.bound > 0 && !m->frequency)
        m->s.bound =
            m->priority ? 0 : lazy_min_bits(l1_lower(&m->s.sgd, tracked_float(m->s.bound), share));
    m->s.sgd.penalty += share;
}

int32_t tracked_key_now(const struct tracked *m, uint32_t s)
{
    if (m->frequency) return (int32_t)m->frequency[s];
    float w = store_weight_now(&m->s, s);
    return lazy_min_bits(m->priority ? w * m->priority[s] : w);
}

/* Finds the slot of the smallest key; if several are equal, the lowest slot. Sets s.bound to this
 * key. Pending penalties make stored weights useless as keys for lazy_min.h, so with an L1
 * penalty all keys are read. */
static uint32_t tracked_smallest_key(struct tracked *m)
{
    uint32_t slot = 0;
    if (!m->s.l1_seen || m->frequency) return lazy_min_find(&m->s.lightest, &m->s.bound);
    m->s.bound = INT32_MAX;
    for (uint32_t s = 0; s < m->s.set.n; s++) {
        int32_t v = tracked_key_now(m, s);
        slot = v < m->s.bound ? s : slot;
        m->s.bound = v < m->s.bound ? v : m->s.bound;
    }
    return slot;
}

/* ---- entering ---- */

void tracked_enter(struct tracked *m, uint32_t slot, uint32_t i, const struct sgd_step *step)
{
    uint32_t entry = m->entry ? m->entry[i] : i;
    store_enter(&m->s, slot, m->fid[i], entry, step->y);
    m->s.member.weight[slot] = 0;
    if (m->s.l1_seen) m->s.l1_seen[slot] = (float)m->s.sgd.penalty;
    if (m->s.member.sum) m->s.member.sum[slot] = 0;
    if (m->s.count)
        m->s.count[2 * (size_t)slot + (uint32_t)step->y] = 0; /* tracked_step() counts
                                                                           * this example */
    tracked_step(m, slot, m->x[i], step);
}

/* Heap of candidates, the largest at the root. */
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
        if (m->s.set.n + 1 == m->s.set.capacity) m->s.bound = 0;
        return tracked_free_slot(m);
    }
    uint32_t slot = tracked_smallest_key(m);
    if (key <= m->s.bound) return STORE_NONE;
    tracked_evict(m, slot);
    return slot;
}

/* ---- one example ---- */

/* Folds alpha (sgd.h) into the weights. Resets the bounds, because products with priorities round
 * differently now. */
static void tracked_fold_alpha(struct tracked *m)
{
    float a = (float)m->s.sgd.alpha;
    for (uint32_t s = 0; s < m->s.set.n; s++) {
        m->s.member.weight[s] = a * store_weight_now(&m->s, s);
        if (m->s.l1_seen) m->s.l1_seen[s] = 0;
    }
    sgd_folded(&m->s.sgd);
    if (m->frequency) return;
    lazy_min_forget(&m->s.lightest);
    if (m->s.bound > 0) m->s.bound = 0;
}

static void tracked_renew(struct tracked *m)
{
    sgd_renew_counts(&m->s.sgd, m->frequency, m->s.set.n);
    sgd_renew_counts(&m->s.sgd, m->counter, linear_cells(&m->s.shape));
    sgd_renew(&m->s.sgd, m->s.member.sum, m->s.count, m->s.set.n);
    if (!m->frequency) return;
    lazy_min_forget(&m->s.lightest);
    if (m->s.bound > 0) m->s.bound = 0;
}

/* Ends an example: adds its share to the penalty, and folds and renews if needed (sgd.h). */
static void tracked_tidy(struct tracked *m, double share)
{
    if (m->s.l1_seen) tracked_add_l1(m, share);
    if (sgd_must_fold(&m->s.sgd)) tracked_fold_alpha(m);
    if (sgd_must_renew(&m->s.sgd)) tracked_renew(m);
}

enum linear_result tracked_learn(struct store *s, const struct linear_row *row,
                                 const uint64_t *hash, double *margin)
{
    struct tracked *m = (struct tracked *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    if (!tracked_gather(m, row)) return LINEAR_NONFINITE;
    if (m->s.l1_seen && !tracked_apply_l1_row(m)) return LINEAR_NONFINITE;
    double z = tracked_locate(m, hash) * m->s.sgd.alpha + m->s.sgd.bias; /* step 1 of tracked.h */
    /* Checks all values at once. Weights are finite and 0 times a non-finite value is NaN, so a
     * non-finite value makes z non-finite. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    struct sgd_step step = sgd_advance(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    switch ((enum tracked_rule)m->s.opt.rule) { /* steps 2 and 3 of tracked.h */
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
    if (sgd_is_due(&m->s.sgd)) tracked_tidy(m, step.share);
#ifdef LEAT_CHECKS
    assert(!store_check(s));
#endif
    return LINEAR_OK;
}
