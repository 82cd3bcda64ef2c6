/* recent_keys.h -- table of the 128-bit keys seen last, each with a number for the caller.
 *
 * If the table is full, a new key replaces the key that has not been seen for the longest time, and
 * takes its entry. Entries 0 .. n - 1 are in use. A list links them from the oldest to the newest.
 * A hash table (linear probing, removal by shifting back) finds the entry of a key:
 *
 *   slot    2  0  .  1       1 + entry; 0: empty. The search for a key starts at low mod slots.
 *   high    h0 h1            \
 *   low     l0 l1             >  arrays over the entries
 *   value   v0 v1            /
 *   next    1  NONE          next newer entry; `before` is the next older entry
 *
 * Example. A table of capacity 2 gets the keys A and B, in entries 0 and 1. Then A is touched, so B
 * is the oldest key. A new key C replaces B and takes entry 1.
 *
 * Find, add and touch take constant time on average and allocate nothing. */
#ifndef LEAT_KERNELS_BASE_RECENT_KEYS_H
#define LEAT_KERNELS_BASE_RECENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_KEYS_NONE UINT32_MAX

struct recent_key {
    uint64_t high, low; /* hashes whose bits look random */
};

struct recent_keys {
    uint32_t capacity, n, slots; /* slots: a power of two, at least 4/3 of the capacity */
    uint32_t oldest, newest;     /* RECENT_KEYS_NONE if the table is empty */
    uint64_t *high, *low, *value;
    uint32_t *next, *before;
    uint32_t *slot;
};

/* Returns the largest capacity, at most 2^30, whose block fits in `bytes`. */
uint32_t recent_keys_capacity(uint64_t bytes);
/* Bytes of the block for a capacity. */
size_t recent_keys_bytes(uint32_t capacity);
/* Makes an empty table of capacity > 0. block: recent_keys_bytes(capacity)
 * zeroed bytes, aligned to 64. */
void recent_keys_init(struct recent_keys *t, uint32_t capacity, void *block);

/* Returns the entry of a key, or RECENT_KEYS_NONE if the key is not in the table. */
uint32_t recent_keys_find(const struct recent_keys *t, struct recent_key k);
/* Makes entry i the newest. */
void recent_keys_touch(struct recent_keys *t, uint32_t i);
/* Returns the entry that the next new key replaces, or RECENT_KEYS_NONE if an entry is free. */
static inline uint32_t recent_keys_victim(const struct recent_keys *t)
{
    return t->n == t->capacity ? t->oldest : RECENT_KEYS_NONE;
}
/* Adds a key that is not in the table. Returns its entry, which becomes the newest. The
 * caller must set its value. */
uint32_t recent_keys_add(struct recent_keys *t, struct recent_key k);

/* Rebuilds slots and list after n, oldest, high, low and next were read from a snapshot. If they
 * are inconsistent, empties the table and returns false. */
bool recent_keys_link(struct recent_keys *t);

/* True if every entry is in the list exactly once and recent_keys_find() finds it. */
bool recent_keys_check(const struct recent_keys *t);

#endif
