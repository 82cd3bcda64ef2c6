/* bounds.h -- sums the bounds of all stages into the schema's bounds of a batch. */
#ifndef LEAT_HOST_GRAPH_BOUNDS_H
#define LEAT_HOST_GRAPH_BOUNDS_H

#include <leat/schema.h>

/* Adds the bounds `made` of a stage with input schema `in` to the schema `out`. Sums and products
 * saturate at UINT32_MAX. */
void bounds_add(struct leat_schema *out, const struct leat_schema *in,
                const struct leat_bounds *made);

/* Most entries that stages can make from `text` bytes of text. */
static inline uint64_t bounds_entries_of_text(const struct leat_schema *s, uint64_t text)
{
    return (text * s->entries_per_256_bytes + 255) / 256;
}

#endif
