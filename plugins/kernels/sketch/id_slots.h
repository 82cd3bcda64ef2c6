/* id_slots.h -- from the id of a feature to the slot that holds it, in a table of fixed size
 *
 * Ids are folded to 32 bits; ids with equal folds are one feature. A chain starts at its `head` and
 * continues through `next`. The head of an empty chain points at a guard: a slot past the end whose
 * id belongs to another chain. A look-up therefore compares one id and needs no test for "empty".
 *
 *   head[top bits of mix(id)] -> slot 7 -> slot 2 (next: 0, the last)      a chain of two
 *   head[...]                 -> guard                                     an empty chain
 *
 * The caller provides the arrays. `id` is state; id_slots_rebuild makes `next` and `head` from it.
 * With `made_for`, the number of heads is right for that many slots, and id_slots_take doubles it
 * as needed: few ids then touch few heads of a large table.
 */
#ifndef LEAT_KERNELS_SKETCH_ID_SLOTS_H
#define LEAT_KERNELS_SKETCH_ID_SLOTS_H

#include <stdint.h>

#include "core/mix64.h"

#define ID_SLOTS_FEW 512u /* a first value of made_for */

struct id_slots {
    uint32_t capacity, n; /* slots 0 .. n - 1 are in use */
    uint32_t made_for;    /* slots that the heads are for, <= capacity; 0: capacity */
    uint32_t head_shift;
    uint64_t seed;
    uint32_t *id;   /* capacity + 2: folded ids, then two guards              */
    uint32_t *next; /* capacity + 2: 1 + next slot of the chain; 0 ends it    */
    uint32_t *head; /* id_slots_heads(): hash -> first slot of a chain, or guard */
};

static inline uint32_t id_slots_fold(uint64_t id) { return (uint32_t)(id ^ (id >> 32)); }

/* Returns a 64-bit mix of a folded id. The table uses its top bits. */
static inline uint64_t id_slots_mix(uint64_t seed, uint32_t id)
{
    uint64_t h = (seed ^ id) * MIX64_GOLDEN;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/* Computes id_slots_mix of all ids of a row, for several models with one seed that learn the same
 * rows. */
static inline void id_slots_mix_all(uint64_t seed, uint32_t n, const uint64_t *id, uint64_t *mix)
{
    for (uint32_t i = 0; i < n; i++)
        mix[i] = id_slots_mix(seed, id_slots_fold(id[i]));
}

/* Returns the slot of a folded id. If the id has no slot, returns a slot with another id, which may
 * be a guard. `mix` is the id_slots_mix of the id. The only branch, into a chain, is seldom taken;
 * the ids are compared without a branch. */
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

/* Returns the length of `head`. */
uint32_t id_slots_heads(uint32_t capacity);
/* Builds the index from id[0 .. n). The caller has set capacity, made_for, n, seed and the arrays.
 * A made_for other than 0 is first doubled until it is at least n. */
void id_slots_rebuild(struct id_slots *s);
/* Takes slot n; needs made_for != 0 and n < capacity. The caller must link it before the next take.
 * O(1), or O(n) if the heads are doubled. */
uint32_t id_slots_take(struct id_slots *s);
/* id_slots_link makes `slot` findable by id[slot]; id_slots_unlink removes it from the index. */
void id_slots_link(struct id_slots *s, uint32_t slot);
void id_slots_unlink(struct id_slots *s, uint32_t slot);
/* Returns NULL, or the fault of the index. */
const char *id_slots_check(const struct id_slots *s);

#endif
