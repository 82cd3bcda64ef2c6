/* tracked_step.h -- steps, slots and candidates; only for the .c files of this folder. */
#ifndef LEAT_KERNELS_LINEAR_TRACKED_TRACKED_STEP_H
#define LEAT_KERNELS_LINEAR_TRACKED_TRACKED_STEP_H

#include "core/bits.h"
#include "tracked.h"

/* Do steps 2 and 3 of tracked.h, for the rules in tracked_rules.c. */
void truncation_update(struct tracked *m, const struct sgd_step *step);
void space_saving_update(struct tracked *m, const struct sgd_step *step);
void count_min_update(struct tracked *m, const struct sgd_step *step);

enum linear_result tracked_learn(struct store *s, const struct linear_row *row,
                                 const uint64_t *hash, double *margin);
/* Returns the current key of a slot: its count, or |w|, or |w| times the priority, according to
 * the rule. */
int32_t tracked_key_now(const struct tracked *m, uint32_t slot);

/* Returns the length of `twice` for n entries: a power of two, so that at most half is used. */
static inline size_t tracked_repeats(uint32_t n)
{
    size_t size = 4;
    while (size < 2 * (size_t)n)
        size *= 2;
    return size;
}

static inline float tracked_float(int32_t bits) { return float_of_bits((uint32_t)bits); }

/* Makes the gradient step of the feature in a slot. Returns its new stored weight. */
static inline float tracked_step(struct tracked *m, uint32_t slot, float x,
                                 const struct sgd_step *step)
{
    float d = m->s.member.sum ? sgd_own_rate_step(&m->s.sgd.opt, step, x, &m->s.member.sum[slot])
                              : step->u * x;
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)step->y]);
    return m->s.member.weight[slot] = sgd_clamp(m->s.member.weight[slot] - d); /* w_i -= step */
}

/* Returns `count` after one more example, limited to INT32_MAX. */
static inline uint32_t tracked_plus_one(const struct tracked *m, uint32_t count)
{
    return count < INT32_MAX - m->s.sgd.one ? count + m->s.sgd.one : INT32_MAX;
}

static inline bool tracked_full(const struct tracked *m) { return m->s.set.n == m->s.set.capacity; }

/* Takes the next free slot and returns it. */
static inline uint32_t tracked_free_slot(struct tracked *m) { return m->s.set.n++; }

/* Removes the feature of a slot from the index. */
static inline void tracked_evict(struct tracked *m, uint32_t slot)
{
    id_slots_unlink(&m->s.set, slot);
    m->replaced++;
}

/* Puts the feature of entry i into a slot that was taken for it. Its weight starts at 0
 * and takes one step. */
void tracked_enter(struct tracked *m, uint32_t slot, uint32_t i, const struct sgd_step *step);

/* Packs the key and entry of a candidate into one number. The larger key gives the larger number;
 * if keys are equal, the earlier entry does. */
static inline uint64_t tracked_candidate(int32_t key, uint32_t i)
{
    return (uint64_t)(uint32_t)key << 32 | (UINT32_MAX - i);
}
/* Makes a heap of the k candidates, the largest at the root. */
void tracked_candidates(struct tracked *m, uint32_t k);
/* Removes the largest of *k > 0 candidates from the heap. Decrements *k, sets *key and returns the
 * candidate's entry. */
uint32_t tracked_best(struct tracked *m, uint32_t *k, int32_t *key);
/* Returns a slot for a new feature with this key. Returns a free slot if there is one. Otherwise,
 * if the key exceeds the smallest key of the slots, evicts that slot's feature and returns its
 * slot. Otherwise returns STORE_NONE. */
uint32_t tracked_take_slot(struct tracked *m, int32_t key);

#endif
