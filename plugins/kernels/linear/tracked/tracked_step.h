/* tracked_step.h -- steps, slots and candidates, for the .c files of this folder only.
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
/* Current key of a slot: its count, or |w|, or |w| times the priority. */
int32_t tracked_key_now(const struct tracked *m, uint32_t slot);

/* Length of `twice`: a power of two, of which at most half is used. */
static inline size_t tracked_repeats(uint32_t n)
{
    size_t size = 4;
    while (size < 2 * (size_t)n)
        size *= 2;
    return size;
}

static inline float tracked_float(int32_t bits) { return float_of_bits((uint32_t)bits); }

/* Does step 2 for the feature in a slot. Returns its new stored weight. */
static inline float tracked_step(struct tracked *m, uint32_t slot, float x,
                                 const struct sgd_step *step)
{
    float d = m->s.member.sum ? sgd_own_rate_step(&m->s.sgd.opt, step, x, &m->s.member.sum[slot])
                              : step->u * x;
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)step->y]);
    return m->s.member.weight[slot] = sgd_clamp(m->s.member.weight[slot] - d); /* w_i -= step */
}

/* Count after one more occurrence. */
static inline uint32_t tracked_plus_one(const struct tracked *m, uint32_t count)
{
    return count < INT32_MAX - m->s.sgd.one ? count + m->s.sgd.one : INT32_MAX;
}

static inline bool tracked_full(const struct tracked *m) { return m->s.set.n == m->s.set.capacity; }

/* Takes the next free slot. */
static inline uint32_t tracked_free_slot(struct tracked *m) { return m->s.set.n++; }

/* Removes the feature of a slot. */
static inline void tracked_evict(struct tracked *m, uint32_t slot)
{
    id_slots_unlink(&m->s.set, slot);
    m->replaced++;
}

/* Puts entry i of the row into a taken slot, with weight 0 and then one step. */
void tracked_enter(struct tracked *m, uint32_t slot, uint32_t i, const struct sgd_step *step);

/* Candidate: key and entry in one number, larger for larger keys, then for earlier entries. */
static inline uint64_t tracked_candidate(int32_t key, uint32_t i)
{
    return (uint64_t)(uint32_t)key << 32 | (UINT32_MAX - i);
}
/* Makes a heap of the k candidates, the largest at the root. */
void tracked_candidates(struct tracked *m, uint32_t k);
/* Removes the best of *k > 0 candidates and returns its entry. Decrements *k. */
uint32_t tracked_best(struct tracked *m, uint32_t *k, int32_t *key);
/* Takes a slot for a feature with this key: a free slot, or else the slot of the smallest key if
 * this key is larger; its feature is evicted. Otherwise returns STORE_NONE. */
uint32_t tracked_take_slot(struct tracked *m, int32_t key);

#endif
