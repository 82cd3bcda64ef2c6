/* recent_keys.h -- table of the 128-bit keys seen last, each with a number of the caller.
 *
 * If the table is full, a new key replaces the key that has not been seen for longest. Entries
 * 0 .. n - 1 are live, and a new key takes the entry of the key that it replaces. A list links the
 * entries from the oldest to the newest. A hash table (linear probing, removal by shifting back)
 * finds the entry of a key:
 *
 *   slot    2  0  .  1       entry + 1; 0: empty
 *   high    h0 h1            \
 *   low     l0 l1             >  entry i; the key's slot is the first free one from low mod slots
 *   value   v0 v1            /
 *   next    1  NONE          next newer entry; `before` is the next older one
 *
 * Example. A table of capacity 2 gets the keys A and B, in entries 0 and 1. A is touched, so B is
 * now the oldest key. A new key C replaces B and takes entry 1.
 *
 * A find, an add and a touch take constant time on average. Nothing is allocated. */
#ifndef LEAT_KERNELS_BASE_RECENT_KEYS_H
#define LEAT_KERNELS_BASE_RECENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_KEYS_NONE UINT32_MAX

struct recent_key {
    uint64_t high, low; /* hashes, whose bits must look random */
};

struct recent_keys {
    uint32_t capacity, n, slots; /* slots: a power of two, at least 4/3 of the capacity */
    uint32_t oldest, newest;     /* RECENT_KEYS_NONE if there is no key                 */
    uint64_t *high, *low, *value;
    uint32_t *next, *before;
    uint32_t *slot;
};

/* Largest capacity that fits in these bytes, at most 2^30. */
uint32_t recent_keys_capacity(uint64_t bytes);
/* Bytes of a block for this capacity. */
size_t recent_keys_bytes(uint32_t capacity);
/* block: recent_keys_bytes(capacity) zeroed bytes, aligned to 64. capacity > 0. */
void recent_keys_init(struct recent_keys *t, uint32_t capacity, void *block);

/* Entry of a key, or RECENT_KEYS_NONE if it is not known. */
uint32_t recent_keys_find(const struct recent_keys *t, struct recent_key k);
/* Makes entry i the newest. */
void recent_keys_touch(struct recent_keys *t, uint32_t i);
/* Entry that the next new key replaces, or RECENT_KEYS_NONE if there is room. */
static inline uint32_t recent_keys_victim(const struct recent_keys *t)
{
    return t->n == t->capacity ? t->oldest : RECENT_KEYS_NONE;
}
/* Adds a key that is not known. Returns its entry, the newest; its value is undefined. */
uint32_t recent_keys_add(struct recent_keys *t, struct recent_key k);

/* Completes a table whose n, oldest, high, low and next were read from elsewhere. If they are
 * inconsistent, empties the table and returns false. */
bool recent_keys_link(struct recent_keys *t);

/* True if every entry is in the list once and is found by its key. */
bool recent_keys_check(const struct recent_keys *t);

#endif
