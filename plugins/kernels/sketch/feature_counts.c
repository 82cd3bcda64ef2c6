/* feature_counts.c -- exact counts of features; see feature_counts.h.
 *
 * The index is an open-addressing table with linear probing at a load of at most one half; nothing
 * is ever removed.
 */
#include "feature_counts.h"

#include <assert.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/base/feature_id.h"
#include "base/mix64.h"

static size_t lay_out(struct feature_counts *t, void *block)
{
    struct layout c = {block, 0};
    size_t n = t->capacity;
    t->id = layout_take(&c, n, sizeof *t->id);
    t->count = layout_take(&c, n, 2 * sizeof *t->count);
    t->tag = layout_take(&c, n, sizeof *t->tag);
    t->parts = layout_take(&c, n, sizeof *t->parts);
    t->index = layout_take(&c, 2 * n, sizeof *t->index);
    return c.used;
}

size_t feature_counts_block_bytes(uint32_t capacity)
{
    struct feature_counts t = {.capacity = capacity};
    return lay_out(&t, NULL);
}

void feature_counts_init(struct feature_counts *t, uint32_t capacity, void *block)
{
    assert(capacity && !(capacity & (capacity - 1)) && capacity <= FEATURE_COUNTS_MAX_CAPACITY);
    *t = (struct feature_counts){.capacity = capacity};
    lay_out(t, block);
}

/* The cell of the index where id is, or the empty one where it belongs. */
static uint32_t probe(const struct feature_counts *t, uint64_t id)
{
    uint32_t mask = 2 * t->capacity - 1, h = (uint32_t)mix64(id) & mask;
    while (t->index[h] && t->id[t->index[h] - 1] != id)
        h = (h + 1) & mask;
    return h;
}

void feature_counts_grow(struct feature_counts *t, uint32_t capacity, void *block)
{
    struct feature_counts old = *t;
    assert(capacity >= t->capacity && !(capacity & (capacity - 1)));
    t->capacity = capacity;
    lay_out(t, block);
    memcpy(t->id, old.id, old.n * sizeof *t->id);
    memcpy(t->count, old.count, old.n * 2 * sizeof *t->count);
    memcpy(t->tag, old.tag, old.n * sizeof *t->tag);
    memcpy(t->parts, old.parts, old.n * sizeof *t->parts);
    for (uint32_t f = 0; f < t->n; f++)
        t->index[probe(t, t->id[f])] = f + 1;
}

uint32_t feature_counts_find(const struct feature_counts *t, uint64_t id)
{
    return t->index[probe(t, id)] - 1; /* 0 - 1 is FEATURE_COUNTS_NONE */
}

uint32_t feature_counts_enter(struct feature_counts *t, uint64_t id)
{
    uint32_t h = probe(t, id), f = t->index[h] - 1;
    if (f != FEATURE_COUNTS_NONE) return f;
    if (t->n == t->capacity) {
        t->ignored++;
        return FEATURE_COUNTS_NONE;
    }
    f = t->n++;
    t->id[f] = id;
    t->index[h] = f + 1;
    return f;
}

uint32_t feature_counts_add(struct feature_counts *t, uint64_t id, int y)
{
    uint32_t f = feature_counts_enter(t, id);
    if (f == FEATURE_COUNTS_NONE) return f;
    uint32_t *count = &t->count[2 * (size_t)f + (y != 0)];
    if (*count != UINT32_MAX) ++*count;
    return f;
}
