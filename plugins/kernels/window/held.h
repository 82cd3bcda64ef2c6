/* held.h -- things of any size that are held in one block, and leave it in the order of a key.
 *
 *     entries   a heap of (key, place)                things of equal keys leave as they came
 *     bytes     [a 40][b  ][c 64][d  ][e 16]          in the order in which they came; b and d left
 *
 * A new thing is appended. Where the bytes are used up to their end, those that are still there are
 * moved together. Things may fill 15 of 16 parts, so that what moves is at most 16 times what comes
 * between two moves; the last part is for one thing above that, which may be the first to leave.
 * What is full, and what leaves next, depends only on what came and left.
 *
 * Cost: O(log n) to add or remove, and moving. */
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
    struct held_entry *entry; /* a heap: the lowest key, and of these the first that came, is [0] */
    char *bytes;
    uint64_t size, used, live; /* used: up to there; live: of them those of things that are there */
    uint32_t n, max;
};

/* block: `size` bytes, aligned to 8, held_least() or more. least: bytes of the smallest thing. */
void held_init(struct held *h, void *block, uint64_t size, uint32_t least);
static inline uint64_t held_least(uint32_t least) { return 64 * ((uint64_t)least + 32); }

/* The most bytes that a thing may have. */
uint32_t held_longest(const struct held *h);
/* Is there more than 15 of 16 parts? Then something must leave before the next thing comes. */
bool held_is_over(const struct held *h);

/* Space for a thing of n bytes, 1 .. held_longest(); not when held_is_over(). Aligned to 8; until
 * the next call. */
void *held_add(struct held *h, uint64_t key, uint32_t n);

static inline uint64_t held_key(const struct held *h) { return h->entry[0].key; }
/* The next to leave; there is one. */
void *held_first(const struct held *h, uint32_t *n);
void held_drop(struct held *h);
void held_clear(struct held *h);

/* Keys are forgotten: things leave as they came. */
void held_by_arrival(struct held *h);

/* Walks through all in the order in which they came, from *at = 0 on; NULL: no more. The key of
 * each is known after held_mark(). */
void held_mark(struct held *h);
void *held_next(const struct held *h, uint64_t *at, uint64_t *key, uint32_t *n);

/* Is it a heap of things that are there, and do their bytes add up? For tests. */
bool held_check(const struct held *h);

#endif
