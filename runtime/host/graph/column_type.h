/* column_type.h -- types of columns and their conversions; an index of columns by name. */
#ifndef LEAT_HOST_GRAPH_COLUMN_TYPE_H
#define LEAT_HOST_GRAPH_COLUMN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/schema.h>

#include "core/text/grouped.h"
#include "host/memory/arena.h"

/* A column that the host converts for one stage. */
struct conversion {
    uint32_t from, to; /* columns of the batch */
    uint32_t from_type, to_type;
    struct grouped form; /* format of numbers in text */
    const char *name;
    uint32_t next; /* 1 + an earlier conversion of the same column; 0: none */
};

/* Format of numbers in a text column. */
static inline struct grouped column_form(const struct leat_column *c)
{
    return (struct grouped){c->decimal, c->thousands};
}

bool column_type_is_known(uint32_t type);
/* "number"; NULL: unknown type. */
const char *column_type_name(uint32_t type);
/* Plural for messages: "numbers". */
const char *column_type_plural(uint32_t type);
/* "text or numbers", for a set of types. */
const char *column_types_text(uint32_t types, struct arena *a);
/* Bytes of a cell. */
size_t column_type_bytes(uint32_t type);
/* True if cells of this type point into the text of the batch. */
static inline bool column_type_is_slice(uint32_t type)
{
    return type == LEAT_TEXT || type == LEAT_BYTES;
}

/* Returns the type as which a stage that accepts `types` gets a column; 0: no conversion. */
uint32_t column_type_choose(uint32_t type, uint32_t types);
/* Most bytes of text that a conversion adds to each record. */
uint32_t column_type_text_bytes(uint32_t from, uint32_t to);

/* Columns by name: a lookup takes the same time for any number of columns.
 *
 * Open addressing with linear probing, at most half full. The slots live in an arena; smaller
 * tables stay there until the end. */

#define COLUMN_NONE UINT32_MAX

/* Index; a zeroed struct is empty. */
struct column_index {
    uint32_t n, slots; /* columns entered; 0 or a power of two, at least 2 n */
    uint32_t *slot;    /* number of the column + 1; 0: empty                 */
};

/* Enters the columns x->n .. n - 1. All names must differ. */
void column_index_extend(struct column_index *x, struct arena *a, const struct leat_column *column,
                         uint32_t n);
/* Returns the number of the column with this name of `len` bytes, or COLUMN_NONE. */
uint32_t column_index_find(const struct column_index *x, const struct leat_column *column,
                           const char *name, size_t len);

#endif
