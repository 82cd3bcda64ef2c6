/* feature_table.c -- implementation of feature_table.h. */
#include "feature_table.h"

#include <assert.h>
#include <string.h>

#include "layout.h"
#include "power_of_two.h"
#include "core/secret.h"

static size_t feature_table_lay_out(struct feature_table *t, void *block)
{
    struct layout c = {block, 0};
    size_t n = t->max_capacity;
    t->id = layout_take(&c, n, 8);
    t->tag = layout_take(&c, n, 4);
    t->index = layout_take(&c, 2 * n, 4);
    t->row = layout_take(&c, n * t->stride, 8);
    return c.used;
}

size_t feature_table_bytes(uint32_t max_capacity, uint32_t stride)
{
    struct feature_table t = {.max_capacity = max_capacity, .stride = stride};
    return feature_table_lay_out(&t, NULL);
}

void feature_table_init(struct feature_table *t, uint32_t capacity, uint32_t max_capacity,
                        uint32_t stride, void *block)
{
    assert(is_power_of_two(capacity) && is_power_of_two(max_capacity));
    assert(capacity <= max_capacity && max_capacity <= FEATURE_TABLE_MAX);
    *t = (struct feature_table){.capacity = capacity,
                                .max_capacity = max_capacity,
                                .stride = stride,
                                .secret = secret_odd()};
    feature_table_lay_out(t, block);
}

static uint32_t feature_table_hash(const struct feature_table *t, uint64_t id)
{
    return (uint32_t)(secret_hash(t->secret, id) >> 32) & (2 * t->capacity - 1);
}

/* Returns the position of the id in `index`, or the empty position where it would be inserted. */
static uint32_t feature_table_probe(const struct feature_table *t, uint64_t id)
{
    uint32_t h = feature_table_hash(t, id), mask = 2 * t->capacity - 1;
    while (t->index[h] && t->id[t->index[h] - 1] != id)
        h = (h + 1) & mask;
    return h;
}

void feature_table_grow(struct feature_table *t, uint32_t capacity)
{
    assert(is_power_of_two(capacity) && capacity >= t->capacity && capacity <= t->max_capacity);
    memset(t->index, 0, 2 * (size_t)t->capacity * sizeof *t->index); /* all later entries are 0 */
    t->capacity = capacity;
    for (uint32_t f = 0; f < t->n; f++)
        t->index[feature_table_probe(t, t->id[f])] = f + 1;
}

uint32_t feature_table_find(const struct feature_table *t, uint64_t id)
{
    /* For an empty position, 0u - 1 is FEATURE_TABLE_NONE. */
    return t->index[feature_table_probe(t, id)] - 1;
}

void feature_table_fetch(const struct feature_table *t, uint64_t id)
{
    __builtin_prefetch(&t->index[feature_table_hash(t, id)]);
}

uint32_t feature_table_fetch_id(const struct feature_table *t, uint64_t id)
{
    const uint32_t f = t->index[feature_table_hash(t, id)] - 1;
    if (f != FEATURE_TABLE_NONE) __builtin_prefetch(&t->id[f]);
    return f;
}

uint32_t feature_table_enroll(struct feature_table *t, uint64_t id)
{
    uint32_t h = feature_table_probe(t, id);
    if (t->index[h]) return t->index[h] - 1;
    if (t->n == t->capacity) {
        t->ignored++;
        return FEATURE_TABLE_NONE;
    }
    t->id[t->n] = id;
    t->index[h] = ++t->n;
    return t->n - 1;
}

uint64_t feature_table_union(const struct feature_table *a, const struct feature_table *b)
{
    uint64_t n = a->n;
    for (uint32_t f = 0; f < b->n; f++)
        n += feature_table_find(a, b->id[f]) == FEATURE_TABLE_NONE;
    return n;
}
