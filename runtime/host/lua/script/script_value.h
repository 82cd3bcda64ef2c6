/* script_value.h -- tables of a script as settings of the graph, copied into its arena.
 *
 * `table` is a place on the stack, which is as it was afterwards. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_VALUE_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_VALUE_H

#include "builder_inside.h"

/* A field; NULL: it is no text. 0: it is no number. */
const char *script_value_text(struct builder *b, int table, const char *name);
int script_value_int(struct builder *b, int table, const char *name);
/* Its fields `file` and `line`. */
struct location script_value_location(struct builder *b, int table);

/* All fields as settings: first the unnamed values as one list with key NULL, then the others,
 * sorted by key, so that the order of a Lua table has no effect. What cannot be a value is reported
 * as at `at`. */
void script_value_settings(struct builder *b, int table, struct location at, struct setting **out,
                           size_t *n_out);

#endif
