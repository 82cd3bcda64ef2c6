/* column_index.h -- columns by name: a lookup takes the same time however many there are.
 *
 * Open addressing with linear probing, at most half full. The slots live in an arena; those of a
 * smaller table stay there until the end. */
#ifndef LEAT_HOST_GRAPH_COLUMN_INDEX_H
#define LEAT_HOST_GRAPH_COLUMN_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include <leat/schema.h>

#include "host/memory/arena.h"

#define COLUMN_NONE UINT32_MAX

/* A zeroed struct is an empty index. */
struct column_index {
    uint32_t n, slots; /* columns entered; 0 or a power of two, at least 2 n */
    uint32_t *slot;    /* number of the column + 1; 0: empty                 */
};

/* Enters the columns x->n .. n - 1; their names differ from each other and from those before. */
void column_index_extend(struct column_index *x, struct arena *a, const struct leat_column *column,
                         uint32_t n);
/* The number of the column with this name of `len` bytes, or COLUMN_NONE. */
uint32_t column_index_find(const struct column_index *x, const struct leat_column *column,
                           const char *name, size_t len);

#endif
