/* column_type.h -- the types of columns: their names, and which becomes which for a stage. */
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
    struct grouped form; /* of numbers in text */
    const char *name;
    uint32_t next; /* 1 + an earlier conversion of the same column; 0: none */
};

/* How a number in the text of a column is written. */
static inline struct grouped column_form(const struct leat_column *c)
{
    return (struct grouped){c->decimal, c->thousands};
}

bool column_type_is_known(uint32_t type);
/* "number"; NULL: there is no such type. */
const char *column_type_name(uint32_t type);
/* For messages: "numbers". */
const char *column_type_plural(uint32_t type);
/* "text or numbers" */
const char *column_types_text(uint32_t types, struct arena *a);
/* Bytes of a cell. */
size_t column_type_bytes(uint32_t type);
/* Does a cell point into the text of the batch? */
static inline bool column_type_is_slice(uint32_t type)
{
    return type == LEAT_TEXT || type == LEAT_BYTES;
}

/* The type that a stage that takes `types` gets a column as; 0: there is none. */
uint32_t column_type_choose(uint32_t type, uint32_t types);
/* Bytes of text that a conversion adds to each record at most. */
uint32_t column_type_text_bytes(uint32_t from, uint32_t to);

/* Columns by name: a lookup takes the same time however many there are.
 *
 * Open addressing with linear probing, at most half full. The slots live in an arena; those of a
 * smaller table stay there until the end. */

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
