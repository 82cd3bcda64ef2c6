/* column.h -- converts cells between a batch's columns and the values of a Lua function.
 *
 * A column specification of a script determines the Lua type of the cell's value:
 *
 *   "amount"          by the column's type: text and bytes become strings; numbers, floats;
 *                     integers, integers; booleans, booleans; times, integers (ns since 1970)
 *   "amount:number"   a float: text is parsed, a boolean is 0 or 1, a time is in seconds
 *   "zip:text"        a string
 *   "@raw"            the record's original bytes, a string; read-only
 *   "@label"          the label, a number
 *   "@end"            lua.flat only: true in the call at the end of the stream, otherwise nil
 *
 * A missing value (LEAT_NULL, NaN, …) is nil. With ":number", empty text is nil, too. */
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
    FROM_TEXT, /* column of type TEXT or BYTES */
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
    const char *name; /* column name within `spec`; ends after n_name bytes, without a NUL */
    uint32_t n_name;
    uint32_t index;        /* column's index in the schema */
    enum column_from from; /* FROM_COLUMN until column_find() has found the column */
    enum column_as as;
    struct grouped form; /* FROM_TEXT: decimal and thousands separators of numbers */
};

/* True if column_push() pushes the column's cells as strings. */
static inline bool column_is_text(const struct column *c)
{
    return (c->from == FROM_TEXT || c->from == FROM_RAW) && c->as != AS_NUMBER;
}

enum column_from column_from_type(uint32_t type);

/* Parses a column specification such as "amount:number". `c` keeps a pointer into `spec`. */
void column_parse(struct column *c, const char *spec);

/* Looks up c's name in `schema` and completes `c`. Returns false if there is no such column.
 * `schema` must not be open. */
bool column_find(struct column *c, const struct leat_schema *schema);

/* Pushes the cell of record r as a Lua value. Returns false and pushes nothing if c wants a number
 * (":number") and the cell's text is not one. */
bool column_push(lua_State *L, const struct leat_batch *b, uint32_t r, const struct column *c);

/* Reads the cell of record r as a number into *out. Returns 1 on success, 0 if the cell has no
 * value, or -1 if its text is not a number. */
int column_number(const struct leat_batch *b, uint32_t r, const struct column *c, double *out);

/* Reads a cell that holds a number as an exact integer into *out. Returns false if an int64_t
 * cannot hold the number, or if the column stores doubles. */
bool column_whole(const struct leat_batch *b, uint32_t r, const struct column *c, int64_t *out);

/* True if the cell of record r has no value; column_push() then pushes nil. */
bool column_is_missing(const struct leat_batch *b, uint32_t r, const struct column *c);

/* Returns the text of the cell of record r; its length is LEAT_NULL if the cell has no value. Only
 * for FROM_TEXT and FROM_RAW. */
struct leat_str column_text(const struct leat_batch *b, uint32_t r, const struct column *c);

/* Writes the Lua value at stack position `index` into the cell of record r. A nil writes a missing
 * value. Returns LEAT_R_NONE; or, if the value does not fit, the reason code for rejecting the
 * record, with its text in why[cap]. Raises a Lua error for a type that no cell can hold, such as a
 * table. */
int column_store(lua_State *L, int index, struct leat_batch *b, uint32_t r, const struct column *c,
                 char *why, size_t cap);

/* Writes the message for a cell that column_push() refused: "column 'amount': 'n/a' is not a
 * number". */
void column_no_number(const struct leat_batch *b, uint32_t r, const struct column *c, char *why,
                      size_t cap);

#endif
