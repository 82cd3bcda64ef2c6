/* tracked_rules.c -- the four rules of tracked.h: steps, and which features keep their slots. */
#include "tracked_step.h"

/* ---- truncation ----
 *
 * The heaviest features keep their slots, or a random sample in which heavy features are likelier.
 *
 * Simple truncation (Algorithm 3 of the paper in tracked.h) has the key |w|; probabilistic
 * truncation (Algorithm 4) has |w|/e. After each example's steps, both rank the tracked features
 * and those of the row. The K features with the largest keys get the slots. If keys are equal, a
 * tracked feature precedes a new one, and an earlier entry of the row precedes a later one. Of
 * tracked features with equal keys, the one in the lowest slot leaves.
 *
 * New features are compared, the largest key first, with the smallest key of the table. The
 * smallest key only rises, so the loop ends at the first feature that fails. In most rows no
 * feature exceeds even a lower bound of the smallest key (s.bound), so the loop is skipped.
 *
 * For a random number v, e = -log(1 - v) lies between v and v / (1 - v). This shows for nearly all
 * entries, without a logarithm, that their key is below the bound.
 */

static void truncation_step_members(struct tracked *m, const struct sgd_step *step)
{
    int32_t low = m->s.bound;
    for (uint32_t k = 0; k < m->n_members; k++) {
        uint32_t i = m->member[k], slot = m->at[i];
        float w = tracked_step(m, slot, m->x[i], step);
        int32_t key = lazy_min_bits(m->priority ? w * m->priority[slot] : w); /* |w|, or |w|/e */
        lazy_min_lower(&m->s.lightest, slot, key);
        low = key < low ? key : low;
    }
    m->s.bound = low;
}

/* Returns the stored weight of entry i's feature if it enters: one step from 0. */
static inline float truncation_first_weight(const struct tracked *m, uint32_t i,
                                            const struct sgd_step *step)
{
    float a = 0;
    if (m->s.member.sum) return sgd_clamp(0 - sgd_own_rate_step(&m->s.sgd.opt, step, m->x[i], &a));
    return sgd_clamp(0 - step->u * m->x[i]);
}

static uint32_t truncation_collect(struct tracked *m, const struct sgd_step *step)
{
    uint32_t k = 0;
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        int32_t key = lazy_min_bits(truncation_first_weight(m, i, step));
        m->candidate[k] = tracked_candidate(key, i);
        k += key > m->s.bound;
    }
    return k;
}

/* Returns the random number of entry i in this example. Subtracts 1 because the clock has
 * already advanced. */
static double truncation_draw(const struct tracked *m, uint32_t i)
{
    return tracked_draw(m->s.opt.seed, m->s.sgd.t - 1, i);
}

/* True if the key is below the bound for certain, because |w|/e <= |w|/v, or with `product` |w|
 * e <= |w| v / (1 - v). */
static inline bool truncation_certainly_below(const struct tracked *m, double w, double v,
                                              double bound)
{
    return m->s.opt.product ? w * v < bound * (1 - v) : w < bound * v;
}

static uint32_t truncation_collect_sampled(struct tracked *m, const struct sgd_step *step)
{
    uint32_t k = 0;
    /* slightly lower than the bound, because the exact key is rounded twice */
    double bound = m->s.bound < 0 ? -1.0 : 0.9999 * (double)tracked_float(m->s.bound);
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        float w = truncation_first_weight(m, i, step);
        double v = truncation_draw(m, i);
        if (truncation_certainly_below(m, (double)tracked_float(lazy_min_bits(w)), v, bound))
            continue;
        int32_t key = lazy_min_bits(w * tracked_priority(&m->s.opt, v));
        m->candidate[k] = tracked_candidate(key, i);
        k += key > m->s.bound;
    }
    return k;
}

void truncation_update(struct tracked *m, const struct sgd_step *step)
{
    truncation_step_members(m, step);
    uint32_t k = m->priority ? truncation_collect_sampled(m, step) : truncation_collect(m, step);
    tracked_candidates(m, k);
    while (k) {
        int32_t key;
        uint32_t i = tracked_best(m, &k, &key), slot = tracked_take_slot(m, key);
        if (slot == UINT32_MAX) break;
        if (m->priority) m->priority[slot] = tracked_priority(&m->s.opt, truncation_draw(m, i));
        tracked_enter(m, slot, i, step);
        lazy_min_lower(&m->s.lightest, slot, key);
    }
}

/* ---- Space Saving ----
 *
 * The most frequent features of a stream keep their slots, by Space Saving.
 *
 * Source: A. Metwally, D. Agrawal, A. El Abbadi, Efficient Computation of Frequent and Top-k
 * Elements in Data Streams, ICDT 2005. A feature with a slot is counted. A feature without one
 * takes the slot with the smallest count, and starts with this count plus one. If K slots count N
 * occurrences, no count exceeds the true one by more than the smallest count, which is at most N /
 * K.
 *
 * An example counts each of its features once: first the features with a slot, then those without
 * one in the order of the row. With churn_one, once the table is full, only one random feature
 * without a slot takes a slot; the others are not counted. So features that occur once do not
 * replace the whole table, and the rise of a count since its feature entered is the number of
 * examples with the feature.
 *
 * Instead of a list of buckets, there are two numbers: `floor` is the smallest count, and the
 * counts of all slots below `hand` are above it. To find the slot to take, `hand` moves up to
 * the next slot with the count `floor`. At the end of the table a search finds the new floor,
 * which is higher by at least one. K slots with counts of at least `floor` have counted at least
 * K * floor occurrences, so over the stream the searches cost O(1) for each occurrence. Of slots
 * with equal counts the lowest is taken. With a half-life counts are rarely equal, so lazy_min.h
 * finds the smallest instead.
 */

static void space_saving_raise_floor(struct tracked *m)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        min = m->frequency[s] < min ? m->frequency[s] : min;
    m->floor = min;
    m->hand = 0;
}

/* Returns the slot with the smallest count; if several are equal, the lowest slot. The
 * table must be full. */
static uint32_t space_saving_least_frequent(struct tracked *m)
{
    int32_t min;
    if (m->s.sgd.opt.half_life > 0) return lazy_min_find(&m->s.lightest, &min);
    for (;;) {
        while (m->hand < m->s.set.n && m->frequency[m->hand] != m->floor)
            m->hand++;
        if (m->hand < m->s.set.n) return m->hand;
        space_saving_raise_floor(m);
    }
}

static void space_saving_replace(struct tracked *m, uint32_t i, const struct sgd_step *step)
{
    uint32_t slot = space_saving_least_frequent(m);
    tracked_evict(m, slot);
    m->frequency[slot] = tracked_plus_one(m, m->frequency[slot]);
    tracked_enter(m, slot, i, step);
}

void space_saving_update(struct tracked *m, const struct sgd_step *step)
{
    for (uint32_t k = 0; k < m->n_members; k++) {
        uint32_t i = m->member[k], slot = m->at[i];
        m->frequency[slot] = tracked_plus_one(m, m->frequency[slot]);
        tracked_step(m, slot, m->x[i], step);
    }
    uint32_t j = 0;
    for (; j < m->n_others && !tracked_full(m); j++) {
        uint32_t slot = tracked_free_slot(m);
        m->frequency[slot] = m->s.sgd.one;
        tracked_enter(m, slot, m->other[j], step);
    }
    if (j == m->n_others) return;
    if (m->s.opt.churn_one) {
        uint32_t pick = tracked_pick(m->s.opt.seed, m->s.sgd.t - 1, m->n_others - j);
        space_saving_replace(m, m->other[j + pick], step);
        return;
    }
    for (; j < m->n_others; j++)
        space_saving_replace(m, m->other[j], step);
}

/* ---- Count-Min ----
 *
 * The features that are most frequent by a Count-Min sketch keep their slots.
 *
 * Source: G. Cormode, S. Muthukrishnan, An Improved Data Stream Summary: The Count-Min Sketch and
 * its Applications, J. Algorithms 55, 2005. Each feature of an example adds one to its cell in
 * every row of the sketch. The estimate of its count is the smallest of these cells. The estimate
 * is never too low. The probability that it is too high by more than e N / width is below e^-depth.
 * Conservative update (C. Estan, G. Varghese, SIGCOMM 2002) raises only the cells below the new
 * estimate. This makes estimates lower or equal, but never too low.
 *
 * A feature without a slot takes the slot with the smallest count if its estimate is larger.
 * Features with larger estimates are tried first, equal ones in the order of the row. Of slots with
 * equal counts the lowest is taken. From then on the slot counts the feature's examples exactly,
 * starting from the estimate.
 *
 * Counts of slots never fall, so s.bound remains a lower bound of the smallest count.
 */

/* Returns the hash for the pair of rows that row j belongs to; each row uses half of its bits. */
static inline uint64_t count_min_hash_of_pair(const struct tracked *m, uint32_t j, uint32_t id)
{
    return id_slots_mix(m->s.opt.seed + (j / 2 + 1) * 0xa0761d6478bd642fu, id);
}

static inline uint32_t *count_min_cell_in(const struct tracked *m, uint32_t j, uint64_t h)
{
    uint32_t bits = (uint32_t)(h >> (j % 2 * 32));
    return m->counter + (size_t)j * m->s.shape.width + (bits & (m->s.shape.width - 1));
}

uint32_t count_min_cell(const struct tracked *m, uint32_t j, uint32_t id)
{
    return (uint32_t)(count_min_cell_in(m, j, count_min_hash_of_pair(m, j, id)) - m->counter);
}

uint32_t count_min_estimate(const struct tracked *m, uint32_t id)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        uint32_t count = m->counter[count_min_cell(m, j, id)];
        min = count < min ? count : min;
    }
    return min;
}

static inline uint32_t count_min_raise(const struct tracked *m, uint32_t count, uint32_t estimate)
{
    uint32_t raised = count > estimate ? count : estimate;
    return m->s.opt.conservative ? raised : tracked_plus_one(m, count);
}

/* Counts a feature in the sketch. Returns its new estimate. */
static inline uint32_t count_min_count_feature(struct tracked *m, uint32_t id)
{
    uint32_t *at[TRACKED_MAX_DEPTH], min = INT32_MAX, depth = m->s.shape.depth;
    uint64_t h = 0;
    for (uint32_t j = 0; j < depth; j++) {
        if (j % 2 == 0) h = count_min_hash_of_pair(m, j, id);
        at[j] = count_min_cell_in(m, j, h);
        min = *at[j] < min ? *at[j] : min;
    }
    uint32_t estimate = tracked_plus_one(m, min);
    for (uint32_t j = 0; j < depth; j++)
        *at[j] = count_min_raise(m, *at[j], estimate);
    return estimate;
}

static void count_min_step_members(struct tracked *m, const struct sgd_step *step)
{
    for (uint32_t k = 0; k < m->n_members; k++) {
        uint32_t i = m->member[k], slot = m->at[i];
        count_min_count_feature(m, m->fid[i]);
        m->frequency[slot] = tracked_plus_one(m, m->frequency[slot]);
        tracked_step(m, slot, m->x[i], step);
    }
}

/* Counts and estimates the features without a slot, in the order of the row. Returns the number of
 * candidates for slots. */
static uint32_t count_min_collect(struct tracked *m)
{
    uint32_t k = 0;
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        int32_t estimate = (int32_t)count_min_count_feature(m, m->fid[i]);
        m->candidate[k] = tracked_candidate(estimate, i);
        k += estimate > m->s.bound;
    }
    return k;
}

void count_min_update(struct tracked *m, const struct sgd_step *step)
{
    count_min_step_members(m, step);
    uint32_t k = count_min_collect(m);
    tracked_candidates(m, k);
    while (k) {
        int32_t estimate;
        uint32_t i = tracked_best(m, &k, &estimate), slot = tracked_take_slot(m, estimate);
        if (slot == UINT32_MAX) break;
        m->frequency[slot] = (uint32_t)estimate;
        tracked_enter(m, slot, i, step);
        lazy_min_lower(&m->s.lightest, slot, estimate);
    }
}
