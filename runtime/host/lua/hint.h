/* hint.h -- what is probably meant, where Lua's own message about a function of the stream does not
 * say it. */
#ifndef LEAT_HOST_LUA_HINT_H
#define LEAT_HOST_LUA_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "run.h"

enum { HINT_BYTES = 300 };

/* For an error of the call for record r of st->b, or of a batch: " (…)", to follow `message`; "":
 * there is nothing to add. Takes nothing from the state's memory. */
void hint_of(const struct lua_run *st, uint32_t r, const char *message, char out[HINT_BYTES]);

/* The first column of the function that has no value in record r of st->b; NULL: all have one. */
const struct column *hint_missing(const struct lua_run *st, uint32_t r);

#endif
