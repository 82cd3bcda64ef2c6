/* held.h -- priority queue of items of any size, in one block: items leave in the order of a key.
 *
 *     entries   a heap of (key, place)                items of equal keys leave as they came
 *     bytes     [a 40][b  ][c 64][d  ][e 16]          in the order of arrival; b and d have left
 *
 * A new item is appended. When the bytes are used up to their end, the items still there move
 * together. Items may fill 15 of 16 parts, so each move copies at most 16 times the bytes that came
 * since the last one. The last part has room for one more item, which may be the first to leave.
 * The order, and when the block is full, depend only on the items that came and left.
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
    struct held_entry *entry; /* heap; [0] has the lowest key, and came first among equal keys */
    char *bytes;
    uint64_t size, used, live; /* used: end of the last item; live: bytes of items still there */
    uint32_t n, max;
};

/* block: `size` bytes, aligned to 8, at least held_least(). least: bytes of the smallest item. */
void held_init(struct held *h, void *block, uint64_t size, uint32_t least);
static inline uint64_t held_least(uint32_t least) { return 64 * ((uint64_t)least + 32); }

/* Most bytes that an item may have. */
uint32_t held_longest(const struct held *h);
/* True if more than 15 of 16 parts are full, or all entries are taken. An item must then leave
 * before the next one comes. */
bool held_is_over(const struct held *h);

/* Adds an item of n bytes, 1 .. held_longest(), and returns its space, aligned to 8, which is valid
 * until the next call. Not while held_is_over(). */
void *held_add(struct held *h, uint64_t key, uint32_t n);

static inline uint64_t held_key(const struct held *h) { return h->entry[0].key; }
/* Item that leaves next. There must be one. */
void *held_first(const struct held *h, uint32_t *n);
void held_drop(struct held *h);
void held_clear(struct held *h);

/* Forgets the keys, so items leave in the order of arrival. */
void held_by_arrival(struct held *h);

/* Prepares held_next(), which needs it for the keys. */
void held_mark(struct held *h);
/* Next item in the order of arrival, from *at = 0 on, or NULL after the last. */
void *held_next(const struct held *h, uint64_t *at, uint64_t *key, uint32_t *n);

/* True if the entries are a heap of live items, and their bytes add up. For tests. */
bool held_check(const struct held *h);

#endif
