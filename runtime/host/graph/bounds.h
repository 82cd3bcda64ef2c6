/* bounds.h -- how much stages make of a batch: the bounds of a schema, as sums. */
#ifndef LEAT_HOST_GRAPH_BOUNDS_H
#define LEAT_HOST_GRAPH_BOUNDS_H

#include <leat/schema.h>

/* Adds what a stage with the schema `in` makes to `out`. Sums and products stop at UINT32_MAX. */
void bounds_add(struct leat_schema *out, const struct leat_schema *in,
                const struct leat_bounds *made);

/* Entries that `text` bytes make at most. */
static inline uint64_t bounds_entries_of_text(const struct leat_schema *s, uint64_t text)
{
    return (text * s->entries_per_256_bytes + 255) / 256;
}

#endif
