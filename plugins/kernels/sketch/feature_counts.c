/* feature_counts.c -- exact counts of features; see feature_counts.h.
 *
 * The block holds the table, then counts, then parts.
 */
#include "feature_counts.h"

#include "kernels/base/layout.h"

static size_t lay_out(struct feature_counts *t, void *block)
{
    size_t n = t->table.max_capacity;
    struct layout c = {block, feature_table_bytes(t->table.max_capacity, 0)};
    t->count = layout_take(&c, n, 2 * sizeof *t->count);
    t->parts = t->has_parts ? layout_take(&c, n, sizeof *t->parts) : NULL;
    return c.used;
}

size_t feature_counts_block_bytes(uint32_t max_capacity, bool parts)
{
    struct feature_counts t = {.table.max_capacity = max_capacity, .has_parts = parts};
    return lay_out(&t, NULL);
}

void feature_counts_init(struct feature_counts *t, uint32_t capacity, uint32_t max_capacity,
                         bool parts, void *block)
{
    t->has_parts = parts;
    feature_table_init(&t->table, capacity, max_capacity, 0, block);
    lay_out(t, block);
}

uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y)
{
    uint32_t f = feature_table_enroll(&t->table, id);
    if (f == FEATURE_TABLE_NONE) return f;
    uint32_t *count = &t->count[2 * (size_t)f + (y != 0)];
    if (*count != UINT32_MAX) ++*count;
    return f;
}
