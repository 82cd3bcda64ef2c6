/* count_min.c -- the features that a Count-Min sketch calls the most frequent keep their slots.
 *
 * Source: G. Cormode, S. Muthukrishnan, An Improved Data Stream Summary: The Count-Min Sketch and
 * its Applications, J. Algorithms 55, 2005. Each feature of an example adds one to a cell in every
 * row of the sketch. The estimate of its count is the smallest of these cells: never too low, and
 * too high by more than e N / width with a probability below e^-depth. Conservative update (C.
 * Estan, G. Varghese, SIGCOMM 2002) raises only the cells that are below the new estimate:
 * estimates are never higher, and still never too low.
 *
 * A feature without a slot whose estimate exceeds the smallest count of a slot takes that slot,
 * largest estimate first (equal ones: in the order of the row; of equal slots the lowest is taken).
 * After that the slot counts the feature itself, one an example, starting from the estimate.
 *
 * Counts of slots never fall, so a lower bound of the smallest one holds until it is exceeded.
 */
#include "tracked_step.h"

/* One hash serves two rows of cells: half of its bits each. */
static inline uint64_t hash_of_pair(const struct tracked *m, uint32_t j, uint32_t id)
{
    return id_slots_mix(m->opt.seed + (j / 2 + 1) * 0xa0761d6478bd642fu, id);
}

static inline uint32_t *cell_in(const struct tracked *m, uint32_t j, uint64_t h)
{
    uint32_t bits = (uint32_t)(h >> (j % 2 * 32));
    return m->cell + (size_t)j * m->shape.width + (bits & (m->shape.width - 1));
}

uint32_t count_min_cell(const struct tracked *m, uint32_t j, uint32_t id)
{
    return (uint32_t)(cell_in(m, j, hash_of_pair(m, j, id)) - m->cell);
}

uint32_t count_min_estimate(const struct tracked *m, uint32_t id)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t count = m->cell[count_min_cell(m, j, id)];
        min = count < min ? count : min;
    }
    return min;
}

static inline uint32_t raise(const struct tracked *m, uint32_t count, uint32_t estimate)
{
    uint32_t raised = count > estimate ? count : estimate;
    return m->opt.conservative ? raised : tracked_plus_one(m, count);
}

/* Counts a feature; its estimate. */
static inline uint32_t count_feature(struct tracked *m, uint32_t id)
{
    uint32_t *at[TRACKED_MAX_DEPTH], min = INT32_MAX, depth = m->shape.depth;
    uint64_t h = 0;
    for (uint32_t j = 0; j < depth; j++) {
        if (j % 2 == 0) h = hash_of_pair(m, j, id);
        at[j] = cell_in(m, j, h);
        min = *at[j] < min ? *at[j] : min;
    }
    uint32_t estimate = tracked_plus_one(m, min);
    for (uint32_t j = 0; j < depth; j++)
        *at[j] = raise(m, *at[j], estimate);
    return estimate;
}

static void step_members(struct tracked *m, const struct sgd_step *step)
{
    for (uint32_t k = 0; k < m->n_members; k++) {
        uint32_t i = m->member[k], slot = m->at[i];
        count_feature(m, m->fid[i]);
        m->frequency[slot] = tracked_plus_one(m, m->frequency[slot]);
        tracked_step(m, slot, m->x[i], step);
    }
}

/* Other features are counted after the members, in the order of the row, and estimated then. */
static uint32_t collect(struct tracked *m)
{
    uint32_t k = 0;
    for (uint32_t j = 0; j < m->n_others; j++) {
        uint32_t i = m->other[j];
        int32_t estimate = (int32_t)count_feature(m, m->fid[i]);
        m->candidate[k] = tracked_candidate(estimate, i);
        k += estimate > m->bound;
    }
    return k;
}

void count_min_update(struct tracked *m, const struct sgd_step *step)
{
    step_members(m, step);
    uint32_t k = collect(m);
    tracked_candidates(m, k);
    while (k) {
        int32_t estimate;
        uint32_t i = tracked_best(m, &k, &estimate), slot = tracked_take_slot(m, estimate);
        if (slot == UINT32_MAX) break;
        m->frequency[slot] = (uint32_t)estimate;
        tracked_enter(m, slot, i, step);
        lazy_min_lower(&m->low, slot, estimate);
    }
}
