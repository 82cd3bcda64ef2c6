/* hint.h -- guesses the mistake behind Lua's own message about a function of the stream. */
#ifndef LEAT_HOST_LUA_HINT_H
#define LEAT_HOST_LUA_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "run.h"

enum { HINT_BYTES = 300 };

/* Writes a hint on an error in the call for record r of st->b, or for a batch: " (…)", to follow
 * `message`; "" if there is nothing to add. Takes nothing from the state's memory. */
void hint_of(const struct lua_run *st, uint32_t r, const char *message, char out[HINT_BYTES]);

/* Returns the function's first column without a value in record r of st->b; NULL if all have
 * one. */
const struct column *hint_missing(const struct lua_run *st, uint32_t r);

#endif
