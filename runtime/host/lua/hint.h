/* hint.h -- guesses the mistake behind Lua's error message about a function of the stream. */
#ifndef LEAT_HOST_LUA_HINT_H
#define LEAT_HOST_LUA_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "run.h"

enum { HINT_BYTES = 300 };

/* Writes a hint to append to `message`, the error of the call for record r of st->b (or of a call
 * for a whole batch): " (…)". Writes "" if there is no hint. Allocates nothing in the Lua state. */
void hint_of(const struct lua_run *st, uint32_t r, const char *message, char out[HINT_BYTES]);

/* Returns the first of the function's columns that has no value in record r of st->b; NULL if all
 * have one. */
const struct column *hint_missing(const struct lua_run *st, uint32_t r);

#endif
