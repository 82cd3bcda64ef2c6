/* held.h -- priority queue of items of any size, in one block: the lowest key leaves first.
 *
 *     entries   a heap of (key, place)                items of equal keys leave as they arrived
 *     bytes     [a 40][b  ][c 64][d  ][e 16]          in the order of arrival; b and d have left
 *
 * A new item is appended. When the bytes are used up to their end, the live items move together.
 * Live items fill at most 15/16 of the bytes, so each move copies at most 16 times the bytes added
 * since the last move. The remaining 1/16 has room for one more item. The order of items, and when
 * the block is full, depend only on the items that were added and removed.
 *
 * Example. Items a, b, c have the keys 30, 10, 20 and 40, 5, 64 bytes. With a header of 8 bytes and
 * rounded up to multiples of 8 they take 48, 16, 72 bytes. They leave in the order b, c, a.
 *
 * Cost: O(log n) to add or remove, plus the moves. */
#ifndef LEAT_KERNELS_WINDOW_HELD_H
#define LEAT_KERNELS_WINDOW_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/heap.h"

enum { HELD_MAX = 1 << 30 };

struct held_entry {
    uint64_t key, at;
};

struct held {
    struct held_entry *entry; /* heap; [0] has the lowest key, the oldest of equal ones */
    char *bytes;
    uint64_t size, used, live; /* used: end of the last item; live: bytes of items not removed */
    uint32_t n, max;
};

/* Initialises an empty queue. block: `size` bytes, aligned to 8; size is at least
 * held_least(least). least: bytes of the smallest item. */
void held_init(struct held *h, void *block, uint64_t size, uint32_t least);
static inline uint64_t held_least(uint32_t least) { return 64 * ((uint64_t)least + 32); }

/* Returns the largest number of bytes that an item may have. */
uint32_t held_longest(const struct held *h);
/* True if live items fill more than 15/16 of the bytes, or all entries are taken. The caller must
 * then remove an item before it adds one. */
bool held_is_over(const struct held *h);

/* Adds an item of n bytes, 1 .. held_longest(). Returns its space, aligned to 8, which is valid
 * until the next call. Must not be called while held_is_over(). */
void *held_add(struct held *h, uint64_t key, uint32_t n);

static inline uint64_t held_key(const struct held *h) { return h->entry[0].key; }
/* Returns the item that leaves next, and sets *n to its bytes. There must be an item. */
void *held_first(const struct held *h, uint32_t *n);
void held_drop(struct held *h);
void held_clear(struct held *h);

/* Discards the keys, so that items leave in the order of arrival. */
void held_by_arrival(struct held *h);

/* Links each item to its entry. Call it before held_next(), which reads keys through these
 * links. */
void held_mark(struct held *h);
/* Returns the next item in the order of arrival, or NULL after the last; sets *key and *n. Set *at
 * to 0 before the first call. */
void *held_next(const struct held *h, uint64_t *at, uint64_t *key, uint32_t *n);

/* True if the entries are a heap of the live items, and `live` is the sum of their bytes.
 * For tests. */
bool held_check(const struct held *h);

#endif
