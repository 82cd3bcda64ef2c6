/* id_slots.h -- maps the ids of features to the slots that hold them, in a table of fixed size
 *
 * Ids are folded to 32 bits. Ids with the same fold are one feature, unless the table also has the
 * ids as a whole (`wide`). The hash of a folded id selects a chain of slots. It starts at its
 * `head` and continues through `next`. The head of an empty chain is a guard: a slot past the end
 * of the table, whose id belongs to another chain. So a look-up compares one id and does not test
 * whether the chain is empty.
 *
 *   head[top bits of mix(id)] -> slot 7 -> slot 2 (next: 0, the last)      a chain of two
 *   head[...]                 -> guard                                     an empty chain
 *
 * The caller provides the arrays. A snapshot needs only `id` or `wide`, from which
 * id_slots_rebuild() makes the others. If made_for is not 0, the number of heads is chosen for that
 * many slots, and id_slots_take() doubles made_for as needed. So a large table with few ids touches
 * few heads.
 */
#ifndef LEAT_KERNELS_SUMMARIES_ID_SLOTS_H
#define LEAT_KERNELS_SUMMARIES_ID_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/mix64.h"

#define ID_SLOTS_FEW  512u /* suitable first value of made_for */
#define ID_SLOTS_NONE UINT32_MAX

struct id_slots {
    uint32_t capacity, n; /* n: slots in use, which are 0 .. n - 1 */
    uint32_t made_for;    /* number of slots for which `head` is sized; 0: capacity */
    uint32_t head_shift;
    uint64_t seed;
    uint32_t *id;   /* [capacity + 2]: folded ids, then two guards */
    uint32_t *next; /* [capacity + 2]: 1 + next slot of the chain; 0: end */
    uint32_t *head; /* [id_slots_heads()]: first slot of each chain, or a guard */
    uint64_t *wide; /* [capacity]: whole ids; NULL: ids with the same fold are one */
};

static inline uint32_t id_slots_fold(uint64_t id) { return (uint32_t)(id ^ (id >> 32)); }

/* Returns a 64-bit mix of a folded id. The top bits select the chain. */
static inline uint64_t id_slots_mix(uint64_t seed, uint32_t id)
{
    uint64_t h = (seed ^ id) * MIX64_GOLDEN;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/* Computes id_slots_mix() of all ids of a row. Several models with the same seed that learn the
 * same rows can share the result. */
static inline void id_slots_mix_all(uint64_t seed, uint32_t n, const uint64_t *id, uint64_t *mix)
{
    for (uint32_t i = 0; i < n; i++)
        mix[i] = id_slots_mix(seed, id_slots_fold(id[i]));
}

/* Returns the slot of a folded id. If the id has no slot, returns a slot with another id, perhaps a
 * guard: the caller compares id[slot]. `mix` is id_slots_mix() of the id. The only branch enters a
 * chain of several slots and is rarely taken; the first comparison has no branch. */
static inline uint32_t id_slots_seek_mixed(const struct id_slots *s, uint32_t id, uint64_t mix)
{
    uint32_t at = s->head[mix >> s->head_shift];
    uint32_t other = -(uint32_t)(s->id[at] != id); /* all ones if the id differs, else 0 */
    if (other & s->next[at])
        while (s->id[at] != id && s->next[at])
            at = s->next[at] - 1;
    return at;
}

static inline uint32_t id_slots_seek(const struct id_slots *s, uint32_t id)
{
    return id_slots_seek_mixed(s, id, id_slots_mix(s->seed, id));
}

/* Returns the slot of an id in a table with `wide`; ID_SLOTS_NONE if it has none. `mix` is
 * id_slots_mix() of its fold. */
static inline uint32_t id_slots_find(const struct id_slots *s, uint64_t id, uint64_t mix)
{
    const uint32_t fold = id_slots_fold(id);
    for (uint32_t at = s->head[mix >> s->head_shift];; at = s->next[at] - 1) {
        if (s->id[at] == fold && s->wide[at] == id) return at; /* no guard has this fold */
        if (!s->next[at]) return ID_SLOTS_NONE;
    }
}

/* Sets the id of a slot that is not linked, in a table with `wide`. */
static inline void id_slots_set(const struct id_slots *s, uint32_t slot, uint64_t id)
{
    s->wide[slot] = id;
    s->id[slot] = id_slots_fold(id);
}

#define ID_SLOTS_FORESEEN 32u
/* Fetches into the cache what looking up n <= ID_SLOTS_FORESEEN ids reads, and writes to slot[i]
 * the first slot of each chain, perhaps a guard. Only saves time. `mix`: id_slots_mix() of each. */
static inline void id_slots_foresee(const struct id_slots *s, uint32_t n, const uint64_t *mix,
                                    uint32_t *slot)
{
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(&s->head[mix[i] >> s->head_shift]);
    for (uint32_t i = 0; i < n; i++) {
        slot[i] = s->head[mix[i] >> s->head_shift];
        __builtin_prefetch(&s->id[slot[i]]);
        __builtin_prefetch(&s->next[slot[i]]);
        if (s->wide) __builtin_prefetch(&s->wide[slot[i]]);
    }
}

/* Returns the id of a slot: the whole one if the table has it, otherwise the folded one. */
static inline uint64_t id_slots_id(const struct id_slots *s, uint32_t slot)
{
    return s->wide ? s->wide[slot] : s->id[slot];
}

/* Returns the length of the array `head`. */
uint32_t id_slots_heads(uint32_t capacity);
/* Builds the index from the ids of slots 0 .. n - 1: from `wide` if the table has it, otherwise
 * from `id`. The caller has set capacity, made_for, n, seed and the arrays.
 * If made_for is neither 0 nor at least n, it is doubled until it is. */
void id_slots_rebuild(struct id_slots *s);
/* Returns a free slot, which is slot n. Requires made_for != 0 and n < capacity. The caller must
 * link the slot before the next take. O(1), or O(n) if the number of heads is doubled. */
uint32_t id_slots_take(struct id_slots *s);
/* id_slots_link() enters a slot into the index under id[slot]; id_slots_unlink() removes it. */
void id_slots_link(struct id_slots *s, uint32_t slot);
void id_slots_unlink(struct id_slots *s, uint32_t slot);
/* True if a slot has another id with the same fold, in a table with `wide`. */
bool id_slots_shares(const struct id_slots *s, uint64_t id);
/* Returns a message about a broken invariant, or NULL if all hold. */
const char *id_slots_check(const struct id_slots *s);

#endif
