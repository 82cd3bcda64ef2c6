/* id_slots.c -- implementation of id_slots.h
 *
 * Invariants (id_slots_check()): each slot < n is in the chain of its id and in no other chain;
 * look-ups find it.
 */
#include "id_slots.h"

#include <assert.h>
#include <stddef.h>

/* Number of heads: 8 or 4 for each slot, so that most chains are empty or have one slot. Large
 * tables have only 2 for each slot, so that their heads fit into the cache. */
static uint32_t log2_heads(uint32_t capacity)
{
    uint32_t bits = 2, per_slot = capacity > 16384 ? 2 : capacity > 1024 ? 4 : 8;
    while ((1ull << bits) < (uint64_t)capacity * per_slot)
        bits++;
    return bits;
}

uint32_t id_slots_heads(uint32_t capacity) { return 1u << log2_heads(capacity); }

static uint32_t id_slots_home(const struct id_slots *s, uint32_t id)
{
    return (uint32_t)(id_slots_mix(s->seed, id) >> s->head_shift);
}

/* Returns the guard for an empty chain h. The id of this guard belongs to another chain, so no
 * look-up in chain h matches it. */
static uint32_t guard_of(const struct id_slots *s, uint32_t h)
{
    return s->capacity + (h == id_slots_home(s, s->id[s->capacity]));
}

/* Returns the number of slots for which the number of heads was chosen. */
static uint32_t made_for(const struct id_slots *s)
{
    return s->made_for && s->made_for < s->capacity ? s->made_for : s->capacity;
}

void id_slots_rebuild(struct id_slots *s)
{
    uint32_t c = s->capacity;
    assert(s->n <= c);
    while (made_for(s) < s->n)
        s->made_for *= 2;
    uint32_t bits = log2_heads(made_for(s));
    s->head_shift = 64 - bits;
    s->id[c] = 0;
    s->id[c + 1] = 1;
    while (id_slots_home(s, s->id[c + 1]) == id_slots_home(s, 0))
        s->id[c + 1]++;
    s->next[c] = s->next[c + 1] = 0;
    for (uint32_t h = 0; h < 1u << bits; h++)
        s->head[h] = guard_of(s, h);
    for (uint32_t slot = 0; slot < s->n; slot++) {
        if (s->wide) s->id[slot] = id_slots_fold(s->wide[slot]);
        id_slots_link(s, slot);
    }
}

uint32_t id_slots_take(struct id_slots *s)
{
    assert(s->made_for && s->n < s->capacity);
    if (s->n == s->made_for) {
        s->made_for *= 2;
        id_slots_rebuild(s);
    }
    return s->n++;
}

void id_slots_link(struct id_slots *s, uint32_t slot)
{
    assert(slot < s->capacity);
    uint32_t *head = &s->head[id_slots_home(s, s->id[slot])];
    s->next[slot] = *head < s->capacity ? *head + 1 : 0;
    *head = slot;
}

void id_slots_unlink(struct id_slots *s, uint32_t slot)
{
    uint32_t h = id_slots_home(s, s->id[slot]), at = s->head[h];
    if (at == slot) {
        s->head[h] = s->next[at] ? s->next[at] - 1 : guard_of(s, h);
        return;
    }
    while (s->next[at] != slot + 1)
        at = s->next[at] - 1;
    s->next[at] = s->next[slot];
}

bool id_slots_shares(const struct id_slots *s, uint64_t id)
{
    const uint32_t fold = id_slots_fold(id);
    for (uint32_t at = s->head[id_slots_home(s, fold)];; at = s->next[at] - 1) {
        if (s->id[at] == fold && s->wide[at] != id) return true;
        if (!s->next[at]) return false;
    }
}

/* Returns the slot that a look-up of the id in a slot finds. */
static uint32_t id_slots_found(const struct id_slots *s, uint32_t slot)
{
    uint64_t mix = id_slots_mix(s->seed, s->id[slot]);
    return s->wide ? id_slots_find(s, s->wide[slot], mix)
                   : id_slots_seek_mixed(s, s->id[slot], mix);
}

const char *id_slots_check(const struct id_slots *s)
{
    uint32_t linked = 0;
    for (uint32_t h = 0; h < id_slots_heads(made_for(s)); h++)
        for (uint32_t at = s->head[h]; at < s->capacity; at = s->next[at] - 1) {
            if (at >= s->n || id_slots_home(s, s->id[at]) != h)
                return "a slot is in a chain not its own";
            if (++linked > s->n) return "a chain has a cycle";
            if (!s->next[at]) break;
        }
    if (linked != s->n) return "a slot is in no chain";
    for (uint32_t slot = 0; slot < s->n; slot++)
        if (id_slots_found(s, slot) != slot) return "an id has two slots";
    return NULL;
}
