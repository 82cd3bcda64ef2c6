/* column.h -- columns that a Lua function names, and their cells as Lua values and back.
 *
 *   "amount"          type of the schema: text and bytes are strings, numbers are floats, integers
 *                     are integers, booleans booleans, and times integers, ns since 1970
 *   "amount:number"   as a float: text is parsed; a boolean is 0 or 1, a time its seconds
 *   "zip:text"        as a string
 *   "@raw"            the record as it arrived (read-only)
 *   "@label"          the label, a number
 *   "@end"            lua.flat only: true in the call at the end of the stream, otherwise nil
 *
 * A missing value (LEAT_NULL, NaN, …) is nil; with ":number" empty text is nil, too. */
#ifndef LEAT_HOST_LUA_COLUMN_H
#define LEAT_HOST_LUA_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include <leat/batch.h>
#include <leat/schema.h>

#include "core/text/grouped.h"

enum column_from {
    FROM_COLUMN,
    FROM_TEXT, /* TEXT or BYTES */
    FROM_NUMBER,
    FROM_RAW,
    FROM_LABEL,
    FROM_END,
    FROM_INT64,
    FROM_BOOLEAN,
    FROM_TIME
};
enum column_as { AS_IT_IS, AS_TEXT, AS_NUMBER };

struct column {
    const char *name; /* name in the schema; without a closing NUL if the script added a type */
    uint32_t n_name;
    uint32_t index;        /* among the schema's columns */
    enum column_from from; /* FROM_COLUMN: not found yet */
    enum column_as as;
    struct grouped form; /* FROM_TEXT: format of numbers in the text */
};

/* True if a function gets its cells as strings. */
static inline bool column_is_text(const struct column *c)
{
    return (c->from == FROM_TEXT || c->from == FROM_RAW) && c->as != AS_NUMBER;
}

enum column_from column_from_type(uint32_t type);

/* Parses `spec`; `c` points into it. */
void column_parse(struct column *c, const char *spec);

/* Finds c in `schema`, which must not be open. False if it has no such column. */
bool column_find(struct column *c, const struct leat_schema *schema);

/* Pushes the cell of record r. Returns false, with nothing pushed, if its text is not a number. */
bool column_push(lua_State *L, const struct leat_batch *b, uint32_t r, const struct column *c);

/* Reads the cell of record r as a number. Returns 1; 0 if missing; -1 if its text is not a
 * number. */
int column_number(const struct leat_batch *b, uint32_t r, const struct column *c, double *out);

/* Reads the cell of record r, which is a number, as an exact integer. False if an int64_t cannot
 * hold it, or if the column has doubles. */
bool column_whole(const struct leat_batch *b, uint32_t r, const struct column *c, int64_t *out);

/* True if the cell of record r has no value, so the function would get nil. */
bool column_is_missing(const struct leat_batch *b, uint32_t r, const struct column *c);

/* Returns the cell's text, LEAT_NULL if missing; only for FROM_TEXT and FROM_RAW. */
struct leat_str column_text(const struct leat_batch *b, uint32_t r, const struct column *c);

/* Writes the value at `index` of the stack into record r; nil writes a missing value. Returns
 * LEAT_R_NONE, or the reason for rejecting the record, with its text in why[cap]. Raises an error
 * for a type that a cell cannot hold, such as a table. */
int column_store(lua_State *L, int index, struct leat_batch *b, uint32_t r, const struct column *c,
                 char *why, size_t cap);

/* Writes "column 'amount': 'n/a' is not a number" for a record that column_push refused. */
void column_no_number(const struct leat_batch *b, uint32_t r, const struct column *c, char *why,
                      size_t cap);

#endif
