/* feature_counts.h -- exact counts of features among two kinds of records, in tables that grow.
 *
 * A feature_table without rows numbers the features. Arrays indexed by this number hold the counts,
 * and optionally the parts. The table grows by feature_table_grow(). When it may not grow, it
 * ignores new features and counts how many it ignored. Counts saturate at 2^32 - 1.
 */
#ifndef LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H
#define LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "redundancy.h"
#include "kernels/base/layout.h"

struct feature_counts {
    struct feature_table table;
    uint32_t *count; /* max_capacity x { negative, positive } */
    bool has_parts;
    struct redundancy_parts *parts; /* set by the caller if has_parts, else NULL */
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
/* Capacities are as in feature_table_init. `block` is feature_counts_block_bytes() zeroed bytes,
 * aligned to 64. */
static inline void feature_counts_init(struct feature_counts *t, uint32_t capacity,
                                       uint32_t max_capacity, bool parts, void *block)
{
    t->has_parts = parts;
    feature_table_init(&t->table, capacity, max_capacity, 0, block);
    feature_counts_lay_out(t, block);
}

/* Counts one more record of kind y (0: negative, 1: positive). Returns the feature's number, or
 * FEATURE_TABLE_NONE if it is new and no slot is free. The feature was new if the number equals the
 * previous `table.n`. */
static inline uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y)
{
    uint32_t f = feature_table_enroll(&t->table, id);
    if (f == FEATURE_TABLE_NONE) return f;
    uint32_t *count = &t->count[2 * (size_t)f + (y != 0)];
    if (*count != UINT32_MAX) ++*count;
    return f;
}

#endif
