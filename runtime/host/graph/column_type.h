/* column_type.h -- types of columns, conversions between types, and an index of columns by name. */
#ifndef LEAT_HOST_GRAPH_COLUMN_TYPE_H
#define LEAT_HOST_GRAPH_COLUMN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/schema.h>

#include "core/text/grouped.h"
#include "host/memory/arena.h"

/* Conversion of one column that the host does for one stage. */
struct conversion {
    uint32_t from, to; /* column indexes in the batch: original, converted copy */
    uint32_t from_type, to_type;
    struct grouped form; /* decimal and thousands separators of numbers in text */
    const char *name;
    uint32_t next; /* 1 + index of an earlier conversion of the same column; 0 if none */
};

/* Returns the decimal and thousands separators of a text column. */
static inline struct grouped column_form(const struct leat_column *c)
{
    return (struct grouped){c->decimal, c->thousands};
}

bool column_type_is_known(uint32_t type);
/* Returns the type's name, such as "number"; NULL if the type is unknown. */
const char *column_type_name(uint32_t type);
/* Returns the plural of the type's name for messages, such as "numbers". */
const char *column_type_plural(uint32_t type);
/* Returns a set of types as text, such as "text or numbers". */
const char *column_types_text(uint32_t types, struct arena *a);
/* Bytes of one cell of the type. */
size_t column_type_bytes(uint32_t type);
/* True if cells of this type point into the text of the batch. */
static inline bool column_type_is_slice(uint32_t type)
{
    return type == LEAT_TEXT || type == LEAT_BYTES;
}

/* Returns the type in which a stage that accepts the set `types` gets a column of type `type`; 0 if
 * no conversion exists. */
uint32_t column_type_choose(uint32_t type, uint32_t types);
/* Most bytes of text per record that the conversion adds to the batch. */
uint32_t column_type_text_bytes(uint32_t from, uint32_t to);

/* Hash index of columns by name. A lookup takes the same time for any number of columns.
 *
 * It uses open addressing with linear probing and is at most half full. The slots live in an arena.
 * When the table grows, the old slots stay in the arena, unused, until the arena ends. */

#define COLUMN_NONE UINT32_MAX

/* A zeroed struct is an empty index. */
struct column_index {
    uint32_t n, slots; /* n: columns in the index; slots: a power of two >= 2 n, or 0 */
    uint32_t *slot;    /* column's index + 1; 0 in an empty slot                      */
};

/* Adds the columns x->n .. n - 1 to the index. All names must differ. */
void column_index_extend(struct column_index *x, struct arena *a, const struct leat_column *column,
                         uint32_t n);
/* Returns the index of the column with this name of `len` bytes; COLUMN_NONE if there is none. */
uint32_t column_index_find(const struct column_index *x, const struct leat_column *column,
                           const char *name, size_t len);

#endif
