/* column.h -- a column as a Lua function names it, and its cells as Lua values and back.
 *
 *     "amount"          what the schema says: text as a string, a number as a number
 *     "amount:number"   text that is to be read as a number
 *     "zip:text"        a number that is to be read as text
 *     "@raw"            the record as it arrived (read only)
 *     "@label"          the label, a number
 *
 * No value (LEAT_NULL, NaN) is nil; for ":number" so is empty text. Numbers arrive as floats
 * always.
 */
#ifndef LEAT_LUA_COLUMN_H
#define LEAT_LUA_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include <leat/batch.h>
#include <leat/schema.h>

enum column_from { FROM_COLUMN, FROM_TEXT, FROM_NUMBER, FROM_RAW, FROM_LABEL };
enum column_as { AS_IT_IS, AS_TEXT, AS_NUMBER };

struct column {
    const char *name; /* as in the schema: not ended by a NUL where the script gave a type */
    uint32_t n_name;
    uint32_t index;        /* among the schema's columns */
    enum column_from from; /* FROM_COLUMN: before column_find */
    enum column_as as;
};

/* Take `spec` apart; `c` points into it. */
void column_parse(struct column *c, const char *spec);

/* Look c up in `schema`, which is settled. Returns 0 when it has no such column. */
int column_find(struct column *c, const struct leat_schema *schema);

/* Push the cell of record r. Returns 0, with nothing pushed, when its text is no number. */
int column_push(lua_State *L, const struct leat_batch *b, uint32_t r, const struct column *c);

/* The cell of record r as a number: 1; 0: there is no value; -1: its text is no number. */
int column_number(const struct leat_batch *b, uint32_t r, const struct column *c, double *out);

/* Its text, LEAT_NULL where there is none; only for FROM_TEXT and FROM_RAW. */
struct leat_str column_text(const struct leat_batch *b, uint32_t r, const struct column *c);

/* Write the value at `index` of the stack, nil to none, into record r. Returns LEAT_R_NONE, or why
 * the record is to be rejected with a text for it. Raises an error for what is no value at all (a
 * table, say). */
int column_store(lua_State *L, int index, struct leat_batch *b, uint32_t r, const struct column *c,
                 char *why, size_t cap);

/* "column 'amount': 'n/a' is no number", for the record that column_push refused. */
void column_no_number(const struct leat_batch *b, uint32_t r, const struct column *c, char *why,
                      size_t cap);

#endif
