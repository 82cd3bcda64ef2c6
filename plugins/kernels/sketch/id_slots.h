/* id_slots.h -- from the id of a feature to the slot that holds it, in a table of fixed size.
 *
 * Ids are folded to 32 bits; ids whose folds are equal are one feature. Chains through `next` start
 * at `head`. The head of an empty chain points at a guard, a slot past the end whose id belongs to
 * another chain, so a look-up compares one id and needs no test for "empty".
 *
 *   head[top bits of mix(id)] -> slot 7 -> slot 2 (next: 0, the last)      a chain of two
 *   head[...]                 -> guard                                     an empty one
 *
 * The arrays are the caller's; `id` is state, `next` and `head` can be built from it
 * (id_slots_rebuild). With `made_for`, heads are as many as so many slots need, and id_slots_take
 * doubles them: few ids then touch few heads of a large table.
 */
#ifndef LEAT_KERNELS_SKETCH_ID_SLOTS_H
#define LEAT_KERNELS_SKETCH_ID_SLOTS_H

#include <stdint.h>

#include "core/mix64.h"

#define ID_SLOTS_FEW 512u /* a made_for to begin with */

struct id_slots {
    uint32_t capacity, n; /* slots 0 .. n - 1 are in use */
    uint32_t made_for;    /* slots that the heads are for, <= capacity; 0: capacity */
    uint32_t head_shift;
    uint64_t seed;
    uint32_t *id;   /* capacity + 2: folded ids, then two guards              */
    uint32_t *next; /* capacity + 2: 1 + next slot of the chain; 0: the last  */
    uint32_t *head; /* id_slots_heads(): hash -> first slot of a chain, or guard */
};

static inline uint32_t id_slots_fold(uint64_t id) { return (uint32_t)(id ^ (id >> 32)); }

/* A 64-bit mix of a folded id. The table takes its top bits. */
static inline uint64_t id_slots_mix(uint64_t seed, uint32_t id)
{
    uint64_t h = (seed ^ id) * MIX64_GOLDEN;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/* id_slots_mix of all ids of a row, for models of one seed that learn the same rows. */
static inline void id_slots_mix_all(uint64_t seed, uint32_t n, const uint64_t *id, uint64_t *mix)
{
    for (uint32_t i = 0; i < n; i++)
        mix[i] = id_slots_mix(seed, id_slots_fold(id[i]));
}

/* The slot of a folded id, or a slot with another id (which may be a guard) when it has none. The
 * only branch is the one into a chain, and it is seldom taken; the id is compared without a branch.
 * mix: id_slots_mix of the id. */
static inline uint32_t id_slots_seek_mixed(const struct id_slots *s, uint32_t id, uint64_t mix)
{
    uint32_t at = s->head[mix >> s->head_shift];
    uint32_t other = -(uint32_t)(s->id[at] != id); /* all ones, or zero */
    if (other & s->next[at])
        while (s->id[at] != id && s->next[at])
            at = s->next[at] - 1;
    return at;
}

static inline uint32_t id_slots_seek(const struct id_slots *s, uint32_t id)
{
    return id_slots_seek_mixed(s, id, id_slots_mix(s->seed, id));
}

/* Length of `head`. */
uint32_t id_slots_heads(uint32_t capacity);
/* After capacity, made_for, n, seed and the arrays were set: make the index from id[0 .. n), with
 * made_for, unless it is 0, doubled until it holds them. */
void id_slots_rebuild(struct id_slots *s);
/* Where made_for is not 0 and n < capacity: slot n, to be linked before another is taken. O(1), and
 * O(n) where the heads are doubled. */
uint32_t id_slots_take(struct id_slots *s);
/* Makes slot `slot` findable by id[slot]; takes it out of the index again. */
void id_slots_link(struct id_slots *s, uint32_t slot);
void id_slots_unlink(struct id_slots *s, uint32_t slot);
/* NULL, or what is wrong with the index. */
const char *id_slots_check(const struct id_slots *s);

#endif
