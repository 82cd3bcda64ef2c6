/* tracked_step.h -- what the rules of tracked.h share with the model they belong to.
 *
 * Only for tracked.c, tracked_rules.c and tracked_state.c.
 */
#ifndef LEAT_KERNELS_LINEAR_TRACKED_TRACKED_STEP_H
#define LEAT_KERNELS_LINEAR_TRACKED_TRACKED_STEP_H

#include "core/bits.h"
#include "tracked.h"

/* The rules: steps 2 and 3 of tracked.h. */
void truncation_update(struct tracked *m, const struct sgd_step *step);
void space_saving_update(struct tracked *m, const struct sgd_step *step);
void count_min_update(struct tracked *m, const struct sgd_step *step);

enum linear_result tracked_learn(struct store *s, const struct linear_row *row,
                                 const uint64_t *hash, double *margin);
/* The key of a slot as it is now: its count, or |w|, or |w| times the priority. */
int32_t tracked_key_now(const struct tracked *m, uint32_t slot);

/* Length of `twice`: a power of two, at most half of which is used. */
static inline size_t tracked_repeats(uint32_t n)
{
    size_t size = 4;
    while (size < 2 * (size_t)n)
        size *= 2;
    return size;
}

static inline float tracked_float(int32_t bits) { return float_of_bits((uint32_t)bits); }

/* Step 2 for the feature in a slot. Returns its new stored weight. */
static inline float tracked_step(struct tracked *m, uint32_t slot, float x,
                                 const struct sgd_step *step)
{
    float d = m->s.member.sum ? sgd_own_rate_step(&m->s.sgd.opt, step, x, &m->s.member.sum[slot])
                              : step->u * x;
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)step->y]);
    return m->s.member.weight[slot] = sgd_clamp(m->s.member.weight[slot] - d); /* w_i -= step */
}

/* A count after one more occurrence. */
static inline uint32_t tracked_plus_one(const struct tracked *m, uint32_t count)
{
    return count < INT32_MAX - m->s.sgd.one ? count + m->s.sgd.one : INT32_MAX;
}

static inline bool tracked_full(const struct tracked *m) { return m->s.set.n == m->s.set.capacity; }

/* The next free slot, which is then in use. */
static inline uint32_t tracked_free_slot(struct tracked *m) { return m->s.set.n++; }

/* Its feature loses the slot. */
static inline void tracked_evict(struct tracked *m, uint32_t slot)
{
    id_slots_unlink(&m->s.set, slot);
    m->replaced++;
}

/* Entry i of the row takes a slot that is free or was evicted: weight 0, then one step. */
void tracked_enter(struct tracked *m, uint32_t slot, uint32_t i, const struct sgd_step *step);

/* Candidates: entries of the row in a heap, largest key first, equal ones in the row's order. */
static inline uint64_t tracked_candidate(int32_t key, uint32_t i)
{
    return (uint64_t)(uint32_t)key << 32 | (UINT32_MAX - i);
}
void tracked_candidates(struct tracked *m, uint32_t k);
/* Remove the best of k candidates, k > 0, and return its entry. k becomes one less. */
uint32_t tracked_best(struct tracked *m, uint32_t *k, int32_t *key);
/* The slot that a feature with this key takes: a free one, or that of the smallest key in `low` if
 * this key is larger, its feature evicted; else UINT32_MAX. */
uint32_t tracked_take_slot(struct tracked *m, int32_t key);

#endif
