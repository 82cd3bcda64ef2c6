/* recent_keys.c -- implementation of recent_keys.h. */
#include "recent_keys.h"

#include <assert.h>
#include <string.h>

#include "layout.h"

enum { CAPACITY_MAX = 1 << 30, FEWEST_SLOTS = 16 };

static uint32_t recent_keys_slots_for(uint32_t capacity)
{
    uint32_t slots = FEWEST_SLOTS;
    while (slots / 4 * 3 < capacity)
        slots *= 2;
    return slots;
}

static size_t recent_keys_lay_out(struct recent_keys *t, void *block)
{
    struct layout l = {block, 0};
    t->high = layout_take(&l, t->capacity, sizeof *t->high);
    t->low = layout_take(&l, t->capacity, sizeof *t->low);
    t->value = layout_take(&l, t->capacity, sizeof *t->value);
    t->next = layout_take(&l, t->capacity, sizeof *t->next);
    t->before = layout_take(&l, t->capacity, sizeof *t->before);
    t->slot = layout_take(&l, t->slots, sizeof *t->slot);
    return l.used;
}

size_t recent_keys_bytes(uint32_t capacity)
{
    struct recent_keys t = {.capacity = capacity, .slots = recent_keys_slots_for(capacity)};
    return recent_keys_lay_out(&t, NULL);
}

/* Bisects the capacity, since recent_keys_bytes() grows with it. */
uint32_t recent_keys_capacity(uint64_t bytes)
{
    uint32_t fits = 0, above = CAPACITY_MAX + 1;
    while (above - fits > 1) {
        uint32_t middle = fits + (above - fits) / 2;
        if (recent_keys_bytes(middle) <= bytes)
            fits = middle;
        else
            above = middle;
    }
    return fits;
}

void recent_keys_init(struct recent_keys *t, uint32_t capacity, void *block)
{
    assert(capacity > 0 && capacity <= CAPACITY_MAX);
    *t = (struct recent_keys){.capacity = capacity,
                              .slots = recent_keys_slots_for(capacity),
                              .oldest = RECENT_KEYS_NONE,
                              .newest = RECENT_KEYS_NONE};
    recent_keys_lay_out(t, block);
}

/* ---- slots ---- */

static uint32_t recent_keys_home(const struct recent_keys *t, uint64_t low)
{
    return (uint32_t)low & (t->slots - 1);
}

/* Returns the slot of a key, or the empty slot where it would be inserted. */
static uint32_t slot_of(const struct recent_keys *t, struct recent_key k)
{
    uint32_t s = recent_keys_home(t, k.low);
    for (; t->slot[s]; s = (s + 1) & (t->slots - 1)) {
        uint32_t i = t->slot[s] - 1;
        if (t->low[i] == k.low && t->high[i] == k.high) break;
    }
    return s;
}

uint32_t recent_keys_find(const struct recent_keys *t, struct recent_key k)
{
    uint32_t entry = t->slot[slot_of(t, k)];
    return entry ? entry - 1 : RECENT_KEYS_NONE;
}

/* Empties slot s. Moves later entries back where the gap would end a search for them too early. */
static void empty_slot(struct recent_keys *t, uint32_t s)
{
    uint32_t mask = t->slots - 1;
    for (uint32_t k = (s + 1) & mask; t->slot[k]; k = (k + 1) & mask) {
        uint32_t from = recent_keys_home(t, t->low[t->slot[k] - 1]);
        if (((k - from) & mask) < ((k - s) & mask)) continue;
        t->slot[s] = t->slot[k];
        s = k;
    }
    t->slot[s] = 0;
}

/* ---- the list from the oldest to the newest ---- */

static void unlink_entry(struct recent_keys *t, uint32_t i)
{
    uint32_t before = t->before[i], next = t->next[i];
    if (before == RECENT_KEYS_NONE)
        t->oldest = next;
    else
        t->next[before] = next;
    if (next == RECENT_KEYS_NONE)
        t->newest = before;
    else
        t->before[next] = before;
}

static void link_newest(struct recent_keys *t, uint32_t i)
{
    t->before[i] = t->newest;
    t->next[i] = RECENT_KEYS_NONE;
    if (t->newest == RECENT_KEYS_NONE)
        t->oldest = i;
    else
        t->next[t->newest] = i;
    t->newest = i;
}

void recent_keys_touch(struct recent_keys *t, uint32_t i)
{
    assert(i < t->n);
    if (i == t->newest) return;
    unlink_entry(t, i);
    link_newest(t, i);
}

uint32_t recent_keys_add(struct recent_keys *t, struct recent_key k)
{
    uint32_t i = recent_keys_victim(t);
    if (i == RECENT_KEYS_NONE) {
        i = t->n++;
    } else {
        empty_slot(t, slot_of(t, (struct recent_key){t->high[i], t->low[i]}));
        unlink_entry(t, i);
    }
    t->high[i] = k.high;
    t->low[i] = k.low;
    t->slot[slot_of(t, k)] = i + 1;
    link_newest(t, i);
#ifdef LEAT_CHECKS
    assert(recent_keys_check(t));
#endif
    return i;
}

/* ---- completing a table that was read from a snapshot ---- */

static bool link_all(struct recent_keys *t)
{
    uint32_t before = RECENT_KEYS_NONE, met = 0, i = t->oldest;
    for (; i != RECENT_KEYS_NONE; before = i, i = t->next[i]) {
        struct recent_key k;
        if (i >= t->n || met++ == t->n) return false;
        k = (struct recent_key){t->high[i], t->low[i]};
        uint32_t s = slot_of(t, k);
        if (t->slot[s]) return false;
        t->slot[s] = i + 1;
        t->before[i] = before;
    }
    t->newest = before;
    return met == t->n;
}

bool recent_keys_link(struct recent_keys *t)
{
    memset(t->slot, 0, t->slots * sizeof *t->slot);
    if (t->n <= t->capacity && link_all(t)) return true;
    memset(t->slot, 0, t->slots * sizeof *t->slot);
    t->n = 0;
    t->oldest = t->newest = RECENT_KEYS_NONE;
    return false;
}

bool recent_keys_check(const struct recent_keys *t)
{
    uint32_t met = 0, used = 0, before = RECENT_KEYS_NONE;
    for (uint32_t s = 0; s < t->slots; s++)
        used += t->slot[s] != 0;
    for (uint32_t i = t->oldest; i != RECENT_KEYS_NONE; before = i, i = t->next[i]) {
        struct recent_key k = {t->high[i], t->low[i]};
        if (i >= t->n || met++ == t->n || t->before[i] != before) return false;
        if (recent_keys_find(t, k) != i) return false;
    }
    return met == t->n && used == t->n && t->newest == before;
}
