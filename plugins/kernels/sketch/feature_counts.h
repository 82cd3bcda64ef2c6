/* feature_counts.h -- exact counts of features among two kinds of records, in tables that grow.
 *
 * Features are numbered in the order in which they are first seen; arrays by that number hold id,
 * counts, parts and the caller's tag, and a hash index leads from id to number.
 *
 * Memory grows with the number of distinct features: the caller gives a block for some capacity,
 * and a larger one when feature_counts_free_slots() is used up. When it gives none, new features
 * are ignored and counted in `ignored`. Counts stay at 2^32 - 1 once they are there.
 */
#ifndef LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H
#define LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redundancy.h"

#define FEATURE_COUNTS_NONE         UINT32_MAX
#define FEATURE_COUNTS_MAX_CAPACITY (1u << 30)

struct feature_counts {
    uint32_t n, capacity; /* features known; how many fit, a power of two */
    uint64_t ignored;     /* times that no slot was free for a feature    */
    uint64_t *id;
    uint32_t *count;                /* capacity x { negative, positive }           */
    uint32_t *tag;                  /* the caller's; 0 for a new feature           */
    struct redundancy_parts *parts; /* the caller's                   */
    uint32_t *index;                /* 2 capacity: hash -> feature + 1, 0 for empty */
};

size_t feature_counts_block_bytes(uint32_t capacity);
/* block: feature_counts_block_bytes(capacity) zeroed bytes, aligned to 64. */
void feature_counts_init(struct feature_counts *t, uint32_t capacity, void *block);
/* Moves the counts to a larger zeroed block. The caller frees the old one. */
void feature_counts_grow(struct feature_counts *t, uint32_t capacity, void *block);
static inline uint32_t feature_counts_free_slots(const struct feature_counts *t)
{
    return t->capacity - t->n;
}

/* One more of kind y (0: negative, 1: positive). The feature's number, or FEATURE_COUNTS_NONE: it
 * is new and no slot is free. It was new if the answer is the `n` of before. */
uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y);
/* The same without counting it. */
uint32_t feature_counts_enter(struct feature_counts *t, uint64_t id);
uint32_t feature_counts_find(const struct feature_counts *t, uint64_t id);

#endif
