/* recent_keys.h -- the keys of 128 bits that were seen last, each with a number of the caller's;
 * when there is no room for another one, the key that was not seen for longest is forgotten.
 *
 * Entries 0 .. n - 1 are live; a new key takes the place of the one that it makes forgotten. They
 * are linked from the oldest to the newest. Slots of a hash table (linear probing, removal by
 * shifting back) lead from a key to its entry:
 *
 *   slot    2  0  .  1       entry + 1, 0: none
 *   high    h0 h1            \
 *   low     l0 l1             >  entry i; the key's slot is the first free one from low mod slots
 *   value   v0 v1            /
 *   next    1  NONE          the next newer; `before` is the next older
 *
 * A find, an add and a touch take constant time on average. Nothing is allocated. */
#ifndef LEAT_KERNELS_BASE_RECENT_KEYS_H
#define LEAT_KERNELS_BASE_RECENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_KEYS_NONE UINT32_MAX

struct recent_key {
    uint64_t high, low; /* hashes: their bits must look random */
};

struct recent_keys {
    uint32_t capacity, n, slots; /* slots: a power of two, at least 4/3 of the capacity */
    uint32_t oldest, newest;     /* RECENT_KEYS_NONE when there is no key               */
    uint64_t *high, *low, *value;
    uint32_t *next, *before;
    uint32_t *slot;
};

/* The most keys that so many bytes hold, at most 2^30; and the bytes of so many keys. */
uint32_t recent_keys_capacity(uint64_t bytes);
size_t recent_keys_bytes(uint32_t capacity);
/* In a zeroed block of recent_keys_bytes(capacity), aligned to 64 bytes. capacity > 0. */
void recent_keys_init(struct recent_keys *t, uint32_t capacity, void *block);

/* The entry of a key; RECENT_KEYS_NONE: it is not known. */
uint32_t recent_keys_find(const struct recent_keys *t, struct recent_key k);
/* The entry becomes the newest. */
void recent_keys_touch(struct recent_keys *t, uint32_t i);
/* The entry that the next new key makes forgotten; RECENT_KEYS_NONE: there is room. */
static inline uint32_t recent_keys_victim(const struct recent_keys *t)
{
    return t->n == t->capacity ? t->oldest : RECENT_KEYS_NONE;
}
/* Adds a key that is not known. Returns its entry, the newest; its value is undefined. */
uint32_t recent_keys_add(struct recent_keys *t, struct recent_key k);

/* After n, oldest, high, low and next were read from elsewhere: makes the rest of it. false: they
 * are no such table, and it is empty now. */
bool recent_keys_link(struct recent_keys *t);

/* Every entry is in the list once and found by its key. */
bool recent_keys_check(const struct recent_keys *t);

#endif
