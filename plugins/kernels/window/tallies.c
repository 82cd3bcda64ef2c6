/* tallies.c -- implementation of tallies.h. */
#include "tallies.h"

#include <assert.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/sort.h"

#define LESS(a, b) ((a) < (b))
SORT(counts, uint64_t, LESS)

static uint32_t tallies_slots_for(uint32_t capacity)
{
    uint32_t slots = 4;
    while (slots < capacity + capacity / 3)
        slots *= 2;
    return slots;
}

size_t tallies_block_bytes(uint32_t capacity)
{
    return (size_t)capacity * sizeof(struct tallied) +
           tallies_slots_for(capacity) * sizeof(uint32_t);
}

void tallies_init(struct tallies *t, uint32_t capacity, uint32_t most, void *block, uint64_t *work)
{
    assert(capacity >= TALLIES_LEAST && most >= TALLIES_LEAST);
    *t = (struct tallies){.capacity = capacity,
                          .most = most,
                          .limit = most,
                          .slots = tallies_slots_for(capacity),
                          .entry = block,
                          .work = work};
    t->index = (uint32_t *)(void *)(t->entry + capacity);
}

/* ---- index ---- */

static uint32_t tallies_home(const struct tallies *t, const struct tally *of, uint64_t hash)
{
    return (uint32_t)mix64(hash + (uint64_t)(uintptr_t)of * MIX64_GOLDEN) & (t->slots - 1);
}

/* Returns the index slot of an entry, or the empty slot where it is to be inserted. */
static uint32_t tallies_slot_of(const struct tallies *t, const struct tally *of, uint64_t hash)
{
    uint32_t s = tallies_home(t, of, hash);
    for (; t->index[s]; s = (s + 1) & (t->slots - 1)) {
        const struct tallied *a = &t->entry[t->index[s] - 1];
        if (a->hash == hash && a->of == of) break;
    }
    return s;
}

/* Empties a slot. Moves entries in later slots up if a search could not find them otherwise. */
static void tallies_empty_slot(struct tallies *t, uint32_t s)
{
    uint32_t mask = t->slots - 1;
    for (uint32_t next = (s + 1) & mask; t->index[next]; next = (next + 1) & mask) {
        const struct tallied *a = &t->entry[t->index[next] - 1];
        uint32_t far = (next - tallies_home(t, a->of, a->hash)) & mask;
        if (far < ((next - s) & mask)) continue;
        t->index[s] = t->index[next];
        s = next;
    }
    t->index[s] = 0;
}

/* ---- entries ---- */

static uint32_t tallies_take_place(struct tallies *t)
{
    uint32_t i = t->free;
    if (!i) return ++t->fresh;
    t->free = t->entry[i - 1].next;
    return i;
}

static void tallies_link_text(struct tallies *t, struct tally *of, uint32_t i)
{
    t->entry[i - 1].next = 0;
    if (of->n++)
        t->entry[of->last - 1].next = i;
    else
        of->first = i;
    of->last = i;
}

/* Adds an entry to the tally `of`, and to the index at its empty slot `slot`. */
static struct tallied *tallies_enter(struct tallies *t, struct tally *of, uint64_t hash,
                                     uint32_t slot)
{
    assert(t->n < t->capacity);
    uint32_t i = tallies_take_place(t);
    struct tallied *a = &t->entry[i - 1];
    *a = (struct tallied){.hash = hash, .of = of};
    tallies_link_text(t, of, i);
    t->index[slot] = i;
    t->n++;
    return a;
}

static void tallies_release(struct tallies *t, uint32_t i)
{
    struct tallied *a = &t->entry[i - 1];
    tallies_empty_slot(t, tallies_slot_of(t, a->of, a->hash));
    a->of = NULL;
    a->next = t->free;
    t->free = i;
    t->n--;
}

/* ---- evicting ---- */

/* Returns the largest count of the texts to be evicted. Sets *equal to the number of texts with
 * this count that stay. */
static uint64_t tallies_eviction_count(struct tallies *t, const struct tally *of, uint32_t keep,
                                       uint32_t *equal)
{
    uint32_t n = 0, leave = of->n - keep;
    for (uint32_t i = of->first; i; i = t->entry[i - 1].next)
        t->work[n++] = t->entry[i - 1].count;
    counts_sort(t->work, n);
    uint64_t count = t->work[leave - 1];
    for (*equal = 0; leave < n && t->work[leave] == count; leave++)
        ++*equal;
    return count;
}

/* Keeps the `keep` texts with the largest counts, and evicts the others. Of texts with equal counts
 * the first to enter stay, because their excess is smaller. */
static void tallies_evict(struct tallies *t, struct tally *of, uint32_t keep)
{
    uint32_t equal, i = of->first;
    uint64_t count = tallies_eviction_count(t, of, keep, &equal), bound = of->bound;
    *of = (struct tally){.bound = count > bound ? count : bound};
    for (uint32_t next; i; i = next) {
        const struct tallied *a = &t->entry[i - 1];
        next = a->next;
        bool stays = a->count > count || (a->count == count && equal);
        equal -= stays && a->count == count;
        if (stays)
            tallies_link_text(t, of, i);
        else
            tallies_release(t, i);
    }
}

static uint32_t tallies_kept_of(uint32_t limit) { return limit - limit / 4; }

static void tallies_halve_limit(struct tallies *t)
{
    assert(t->limit > TALLIES_LEAST);
    t->limit = t->limit / 2 > TALLIES_LEAST ? t->limit / 2 : TALLIES_LEAST;
    for (uint32_t i = 0; i < t->fresh; i++) {
        struct tally *of = t->entry[i].of;
        if (of && of->n > t->limit) tallies_evict(t, of, tallies_kept_of(t->limit));
    }
}

static void tallies_make_space(struct tallies *t, struct tally *of)
{
    while (t->n == t->capacity && of->n < t->limit)
        tallies_halve_limit(t);
    if (of->n >= t->limit) tallies_evict(t, of, tallies_kept_of(t->limit));
}

void tallies_add(struct tallies *t, struct tally *of, const char *text, size_t len)
{
    uint64_t hash = feature_id_name(text, len);
    uint32_t slot = tallies_slot_of(t, of, hash);
    if (t->index[slot]) {
        t->entry[t->index[slot] - 1].count++;
        return;
    }
    if (t->n == t->capacity || of->n >= t->limit) {
        tallies_make_space(t, of);
        slot = tallies_slot_of(t, of, hash);
    }
    struct tallied *a = tallies_enter(t, of, hash, slot);
    a->count = of->bound + 1;
    a->excess = of->bound;
    a->len = (uint32_t)len;
    if (len) memcpy(a->text, text, tallied_text_bytes(a));
}

void tallies_forget(struct tallies *t, struct tally *of)
{
    for (uint32_t i = of->first, next; i; i = next) {
        next = t->entry[i - 1].next;
        tallies_release(t, i);
    }
    *of = (struct tally){.n = 0};
    if (t->n <= t->capacity / 4) t->limit = t->most;
}

void tallies_clear(struct tallies *t)
{
    memset(t->index, 0, t->slots * sizeof *t->index);
    t->n = t->fresh = t->free = 0;
    t->limit = t->most;
}

const struct tallied *tallies_next(const struct tallies *t, const struct tally *of,
                                   const struct tallied *after)
{
    uint32_t i = after ? after->next : of->first;
    return i ? &t->entry[i - 1] : NULL;
}

bool tallies_append(struct tallies *t, struct tally *of, const struct tallied *text)
{
    uint32_t slot = tallies_slot_of(t, of, text->hash);
    if (t->index[slot] || t->n == t->capacity || of->n == t->limit) return false;
    if (text->excess > of->bound || text->count < of->bound || text->count <= text->excess)
        return false;
    struct tallied *a = tallies_enter(t, of, text->hash, slot);
    a->count = text->count;
    a->excess = text->excess;
    a->len = text->len;
    memcpy(a->text, text->text, TALLY_TEXT);
    return true;
}

static bool tallies_is_whole(const struct tallies *t, const struct tally *of)
{
    uint32_t n = 0, last = 0;
    for (uint32_t i = of->first; i; last = i, i = t->entry[i - 1].next, n++)
        if (t->entry[i - 1].of != of || n == of->n) return false;
    return n == of->n && last == of->last;
}

bool tallies_check(const struct tallies *t)
{
    uint32_t used = 0, indexed = 0;
    for (uint32_t i = 0; i < t->fresh; i++) {
        const struct tallied *a = &t->entry[i];
        if (!a->of) continue;
        used++;
        if (t->index[tallies_slot_of(t, a->of, a->hash)] != i + 1 || !tallies_is_whole(t, a->of))
            return false;
        if (a->excess > a->of->bound || a->count < a->of->bound || a->count <= a->excess)
            return false;
    }
    for (uint32_t s = 0; s < t->slots; s++)
        indexed += t->index[s] != 0;
    return used == t->n && indexed == t->n && t->n <= t->capacity && t->fresh <= t->capacity;
}
