/* tallies.c -- implementation of tallies.h. */
#include "tallies.h"

#include <assert.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/sort.h"

#define LESS(a, b) ((a) < (b))
SORT_PARTS(counts, uint64_t, LESS)
SELECT(counts, uint64_t)

enum { TALLIES_FIRST_SLOTS = 64 };

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
                          .numbers = UINT32_MAX >> __builtin_clz(capacity),
                          .entry = block,
                          .work = work};
    t->used_slots = t->slots < TALLIES_FIRST_SLOTS ? t->slots : TALLIES_FIRST_SLOTS;
    t->index = (uint32_t *)(void *)(t->entry + capacity);
}

/* ---- index ---- */

static uint64_t tallies_mix(const struct tally *of, uint64_t hash)
{
    return mix64(hash + (uint64_t)(uintptr_t)of * MIX64_GOLDEN);
}

/* Returns a slot for entry i: the highest bits of the mix above its number. */
static uint32_t tallies_slot(const struct tallies *t, uint64_t mix, uint32_t i)
{
    return ((uint32_t)(mix >> 32) & ~t->numbers) | i;
}

static struct tallied *tallies_entry_of(const struct tallies *t, uint32_t slot)
{
    return &t->entry[(slot & t->numbers) - 1];
}

/* Returns the index slot of an entry, or the empty slot where it is to be inserted. */
static uint32_t tallies_slot_of(const struct tallies *t, const struct tally *of, uint64_t hash)
{
    const uint64_t mix = tallies_mix(of, hash);
    const uint32_t like = tallies_slot(t, mix, 0), mask = t->used_slots - 1;
    uint32_t s = (uint32_t)mix & mask;
    for (uint32_t slot; (slot = t->index[s]); s = (s + 1) & mask) {
        if ((slot & ~t->numbers) != like) continue;
        const struct tallied *a = tallies_entry_of(t, slot);
        if (a->hash == hash && a->of == of) break;
    }
    return s;
}

/* Empties a slot. Moves entries in later slots up if a search could not find them otherwise. */
static void tallies_empty_slot(struct tallies *t, uint32_t s)
{
    const uint32_t mask = t->used_slots - 1;
    for (uint32_t next = (s + 1) & mask; t->index[next]; next = (next + 1) & mask) {
        const struct tallied *a = tallies_entry_of(t, t->index[next]);
        uint32_t far = (next - (uint32_t)tallies_mix(a->of, a->hash)) & mask;
        if (far < ((next - s) & mask)) continue;
        t->index[s] = t->index[next];
        s = next;
    }
    t->index[s] = 0;
}

/* Indexes entry i, which the index does not have. */
static void tallies_index(struct tallies *t, uint32_t i)
{
    const uint64_t mix = tallies_mix(t->entry[i - 1].of, t->entry[i - 1].hash);
    const uint32_t mask = t->used_slots - 1;
    uint32_t s = (uint32_t)mix & mask;
    while (t->index[s])
        s = (s + 1) & mask;
    t->index[s] = tallies_slot(t, mix, i);
}

static void tallies_index_all(struct tallies *t)
{
    memset(t->index, 0, t->used_slots * sizeof *t->index);
    for (uint32_t i = 1; i <= t->fresh; i++)
        if (t->entry[i - 1].of) tallies_index(t, i);
}

static void tallies_widen(struct tallies *t)
{
    t->used_slots *= 2;
    tallies_index_all(t);
}

/* True if a quarter of the slots is taken, and the index may have more. */
static bool tallies_is_narrow(const struct tallies *t)
{
    return 4 * (uint64_t)t->n >= t->used_slots && t->used_slots < t->slots;
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

/* Adds an entry to the tally `of`, and to the index at its empty slot `slot`. The caller sets the
 * counts and the text. */
static struct tallied *tallies_enter(struct tallies *t, struct tally *of, uint64_t hash,
                                     uint32_t slot)
{
    assert(t->n < t->capacity);
    uint32_t i = tallies_take_place(t);
    struct tallied *a = &t->entry[i - 1];
    a->hash = hash;
    a->of = of;
    tallies_link_text(t, of, i);
    t->index[slot] = tallies_slot(t, tallies_mix(of, hash), i);
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

/* Returns the largest of the n counts in t->work that are to be evicted. Sets *equal to the number
 * of texts with this count that stay. */
static uint64_t tallies_eviction_count(struct tallies *t, uint32_t n, uint32_t keep,
                                       uint32_t *equal)
{
    const uint64_t count = counts_select(t->work, n, n - keep - 1);
    uint32_t up_to = 0;
    for (uint32_t i = 0; i < n; i++)
        up_to += t->work[i] <= count;
    *equal = up_to - (n - keep);
    return count;
}

/* True if a text stays. `equal` further texts with the count `count` may stay. */
static bool tallies_stays(const struct tallied *a, uint64_t count, uint32_t *equal)
{
    bool stays = a->count > count || (a->count == count && *equal);
    *equal -= stays && a->count == count;
    return stays;
}

/* Copies the counts of the n texts of `of` to t->work. Returns false if `of` shares the pool, or if
 * its entries are not the first of the pool in the order of the list. */
static bool tallies_is_alone(struct tallies *t, const struct tally *of)
{
    if (of->n != t->fresh || of->first != 1) return false;
    for (uint32_t i = 0; i < of->n; i++) {
        if (t->entry[i].next != (i + 1 < of->n ? i + 2 : 0)) return false;
        t->work[i] = t->entry[i].count;
    }
    return true;
}

/* Evicts texts of a tally that is alone. Moves the others together, so that it stays in order. */
static void tallies_evict_alone(struct tallies *t, struct tally *of, uint32_t keep)
{
    const uint32_t n = of->n;
    uint32_t equal;
    const uint64_t count = tallies_eviction_count(t, n, keep, &equal), bound = of->bound;
    *of = (struct tally){.bound = count > bound ? count : bound};
    for (uint32_t i = 0; i < n; i++) {
        if (!tallies_stays(&t->entry[i], count, &equal)) continue;
        if (of->n < i) t->entry[of->n] = t->entry[i];
        tallies_link_text(t, of, of->n + 1);
    }
    t->n = t->fresh = keep;
    tallies_index_all(t);
}

static void tallies_evict_shared(struct tallies *t, struct tally *of, uint32_t keep)
{
    uint32_t equal, n = 0, i = of->first;
    for (uint32_t k = i; k; k = t->entry[k - 1].next)
        t->work[n++] = t->entry[k - 1].count;
    const uint64_t count = tallies_eviction_count(t, n, keep, &equal), bound = of->bound;
    *of = (struct tally){.bound = count > bound ? count : bound};
    for (uint32_t next; i; i = next) {
        const struct tallied *a = &t->entry[i - 1];
        next = a->next;
        if (tallies_stays(a, count, &equal))
            tallies_link_text(t, of, i);
        else
            tallies_release(t, i);
    }
}

/* Keeps the `keep` texts with the largest counts, and evicts the others. Of texts with equal counts
 * the first to enter stay, because their excess is smaller. */
static void tallies_evict(struct tallies *t, struct tally *of, uint32_t keep)
{
    if (tallies_is_alone(t, of))
        tallies_evict_alone(t, of, keep);
    else
        tallies_evict_shared(t, of, keep);
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
    if (tallies_is_narrow(t)) tallies_widen(t);
}

void tallies_add(struct tallies *t, struct tally *of, const char *text, size_t len)
{
    uint64_t hash = feature_id_name(text, len);
    uint32_t slot = tallies_slot_of(t, of, hash);
    if (t->index[slot]) {
        tallies_entry_of(t, t->index[slot])->count++;
        return;
    }
    if (t->n == t->capacity || of->n >= t->limit || tallies_is_narrow(t)) {
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
    if (!t->n) t->fresh = t->free = 0;
    if (t->n <= t->capacity / 4) t->limit = t->most;
}

void tallies_clear(struct tallies *t)
{
    memset(t->index, 0, t->used_slots * sizeof *t->index);
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
    if (tallies_is_narrow(t)) {
        tallies_widen(t);
        slot = tallies_slot_of(t, of, text->hash);
    }
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
        if ((t->index[tallies_slot_of(t, a->of, a->hash)] & t->numbers) != i + 1 ||
            !tallies_is_whole(t, a->of))
            return false;
        if (a->excess > a->of->bound || a->count < a->of->bound || a->count <= a->excess)
            return false;
    }
    for (uint32_t s = 0; s < t->used_slots; s++)
        indexed += t->index[s] != 0;
    return used == t->n && indexed == t->n && t->n <= t->capacity && t->fresh <= t->capacity;
}
