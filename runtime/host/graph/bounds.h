/* bounds.h -- bounds of a schema: the sums of all stages' bounds on a batch. */
#ifndef LEAT_HOST_GRAPH_BOUNDS_H
#define LEAT_HOST_GRAPH_BOUNDS_H

#include <leat/schema.h>

/* Adds to `out` the bounds of a stage with the schema `in`. Sums and products saturate at
 * UINT32_MAX. */
void bounds_add(struct leat_schema *out, const struct leat_schema *in,
                const struct leat_bounds *made);

/* Most entries that `text` bytes make. */
static inline uint64_t bounds_entries_of_text(const struct leat_schema *s, uint64_t text)
{
    return (text * s->entries_per_256_bytes + 255) / 256;
}

#endif
