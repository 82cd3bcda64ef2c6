/* space_saving.c -- the most frequent features of a stream keep their slots, by Space Saving.
 *
 * Source: A. Metwally, D. Agrawal, A. El Abbadi, Efficient Computation of Frequent and Top-k
 * Elements in Data Streams, ICDT 2005. A feature that has a slot is counted; one that has none
 * takes the slot with the smallest count, and that count plus one. Of N occurrences counted in K
 * slots no count is too high by more than the smallest, and that is at most N / K.
 *
 * An example counts each of its features once: those that have a slot first, then the others in the
 * order of the row. With churn_one only one of the others, drawn at random once the table is full,
 * takes a slot and the rest are not counted: features that come once no longer sweep through the
 * table, and counts say what share of examples had a feature since it entered.
 *
 * There is no list of buckets: `floor` is the smallest count, and all slots before `hand` are above
 * it, so the next slot to take is found by moving the hand, and counting is an increment. At the
 * end of the table the floor is looked for again. It has risen by at least one, and K slots at or
 * above it are K * floor occurrences: the searches cost O(1) an occurrence, over the whole stream.
 * Ties: the lowest slot is taken. With a half-life counts are seldom equal, and bounds of blocks
 * (lazy_min.h) lead to the smallest.
 */
#include "tracked_step.h"

static void raise_floor(struct tracked *m)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t s = 0; s < m->slots.n; s++)
        min = m->frequency[s] < min ? m->frequency[s] : min;
    m->floor = min;
    m->hand = 0;
}

/* The lowest slot with the smallest count, of a full table. */
static uint32_t least_frequent(struct tracked *m)
{
    int32_t min;
    if (m->sgd.opt.half_life > 0) return lazy_min_find(&m->low, &min);
    for (;;) {
        while (m->hand < m->slots.n && m->frequency[m->hand] != m->floor)
            m->hand++;
        if (m->hand < m->slots.n) return m->hand;
        raise_floor(m);
    }
}

static void replace(struct tracked *m, uint32_t i, const struct sgd_step *step)
{
    uint32_t slot = least_frequent(m);
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
        m->frequency[slot] = m->sgd.one;
        tracked_enter(m, slot, m->other[j], step);
    }
    if (j == m->n_others) return;
    if (m->opt.churn_one) {
        uint32_t pick = tracked_pick(m->opt.seed, m->sgd.t - 1, m->n_others - j);
        replace(m, m->other[j + pick], step);
        return;
    }
    for (; j < m->n_others; j++)
        replace(m, m->other[j], step);
}
