/* feature_counts.h -- exact counts of features among two kinds of records, in tables that grow.
 *
 * A feature_table without rows numbers the features; arrays by that number hold counts, and parts
 * where they are wanted.
 * It grows by feature_table_grow(); when it may not, new features are ignored and counted there.
 * Counts stay at 2^32 - 1 once they are there.
 */
#ifndef LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H
#define LEAT_KERNELS_SKETCH_FEATURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "redundancy.h"

struct feature_counts {
    struct feature_table table;
    uint32_t *count; /* max_capacity x { negative, positive } */
    bool has_parts;
    struct redundancy_parts *parts; /* the caller's, with has_parts; or NULL */
};

size_t feature_counts_block_bytes(uint32_t max_capacity, bool parts);
/* Capacities: as of feature_table_init; block: feature_counts_block_bytes() zeroed bytes,
 * aligned to 64. */
void feature_counts_init(struct feature_counts *t, uint32_t capacity, uint32_t max_capacity,
                         bool parts, void *block);

/* One more of kind y (0: negative, 1: positive). The feature's number, or FEATURE_TABLE_NONE: it is
 * new and no slot is free. It was new if the answer is the `table.n` of before. */
uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y);

#endif
