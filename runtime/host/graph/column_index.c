/* column_index.c -- see column_index.h. */
#include "column_index.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/mix64.h"

static uint64_t hash(const char *name, size_t len)
{
    uint64_t h = len;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * MIX64_GOLDEN;
    return mix64(h);
}

static bool is_named(const struct leat_column *column, const char *name, size_t len)
{
    return strlen(column->name) == len && !memcmp(column->name, name, len);
}

/* The slot of the column, or the empty one where it belongs. */
static uint32_t probe(const struct column_index *x, const struct leat_column *column,
                      const char *name, size_t len)
{
    uint32_t mask = x->slots - 1, h = (uint32_t)hash(name, len) & mask;
    while (x->slot[h] && !is_named(&column[x->slot[h] - 1], name, len))
        h = (h + 1) & mask;
    return h;
}

static void enter(struct column_index *x, const struct leat_column *column, uint32_t i)
{
    uint32_t h = probe(x, column, column[i].name, strlen(column[i].name));
    assert(!x->slot[h]);
    x->slot[h] = i + 1;
}

void column_index_extend(struct column_index *x, struct arena *a, const struct leat_column *column,
                         uint32_t n)
{
    if (2 * n > x->slots) {
        if (!x->slots) x->slots = 64;
        while (2 * n > x->slots)
            x->slots *= 2;
        x->slot = arena_alloc(a, x->slots * sizeof *x->slot);
        x->n = 0;
    }
    while (x->n < n)
        enter(x, column, x->n++);
}

uint32_t column_index_find(const struct column_index *x, const struct leat_column *column,
                           const char *name, size_t len)
{
    return x->n ? x->slot[probe(x, column, name, len)] - 1 : COLUMN_NONE; /* 0 - 1 */
}
