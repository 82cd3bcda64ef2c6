/* feature_counts.h -- exact counts of features in two kinds of records, in a table that grows.
 *
 * A feature_table without rows numbers the features. Arrays indexed by this number hold the counts
 * and, if has_parts, the parts for redundancy.h. feature_table_grow() makes room. When the table is
 * full, new features are ignored and counted in table.ignored. Counts saturate at 2^32 - 1.
 */
#ifndef LEAT_KERNELS_SUMMARIES_FEATURE_COUNTS_H
#define LEAT_KERNELS_SUMMARIES_FEATURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "redundancy.h"
#include "kernels/base/layout.h"

struct feature_counts {
    struct feature_table table;
    uint32_t *count; /* [max_capacity][2]: negative records, positive records */
    bool has_parts;
    struct redundancy_parts *parts; /* [max_capacity], filled by the caller; NULL if !has_parts */
};

static inline size_t feature_counts_lay_out(struct feature_counts *t, void *block)
{
    size_t n = t->table.max_capacity;
    struct layout c = {block, feature_table_bytes(t->table.max_capacity, 0)};
    t->count = layout_take(&c, n, 2 * sizeof *t->count);
    t->parts = t->has_parts ? layout_take(&c, n, sizeof *t->parts) : NULL;
    return c.used;
}

static inline size_t feature_counts_block_bytes(uint32_t max_capacity, bool parts)
{
    struct feature_counts t = {.table.max_capacity = max_capacity, .has_parts = parts};
    return feature_counts_lay_out(&t, NULL);
}
/* Makes an empty table with the capacities of feature_table_init(). block:
 * feature_counts_block_bytes() zeroed bytes, aligned to 64. */
static inline void feature_counts_init(struct feature_counts *t, uint32_t capacity,
                                       uint32_t max_capacity, bool parts, void *block)
{
    t->has_parts = parts;
    feature_table_init(&t->table, capacity, max_capacity, 0, block);
    feature_counts_lay_out(t, block);
}

enum { FEATURE_COUNTS_NEAR = 8, FEATURE_COUNTS_FAR = 16, FEATURE_COUNTS_CACHED = 1 << 15 };

/* Begins to fetch what feature_counts_add() needs for later ids of a list, unless the table fits in
 * a cache. left: ids from id[0] on. */
static inline void feature_counts_fetch(const struct feature_counts *t, const uint64_t *id,
                                        uint32_t left)
{
    if (left <= FEATURE_COUNTS_FAR || t->table.n < FEATURE_COUNTS_CACHED) return;
    feature_table_fetch(&t->table, id[FEATURE_COUNTS_FAR]);
    const uint32_t f = feature_table_fetch_id(&t->table, id[FEATURE_COUNTS_NEAR]);
    if (f != FEATURE_TABLE_NONE) __builtin_prefetch(&t->count[2 * (size_t)f], 1);
}

/* Counts a record with the feature. y is the kind of the record: 0 negative, 1 positive. Returns
 * the feature's number, which is the old `table.n` if the feature is new. Returns
 * FEATURE_TABLE_NONE if it is new and the table is full. */
static inline uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y)
{
    uint32_t f = feature_table_enroll(&t->table, id);
    if (f == FEATURE_TABLE_NONE) return f;
    uint32_t *count = &t->count[2 * (size_t)f + (y != 0)];
    if (*count != UINT32_MAX) ++*count;
    return f;
}

#endif
