/* function.h -- a Lua function without its state: taken out of the script, put into a stage.
 *
 * Capture happens once, on the control thread, while the script runs. What comes out lies in the
 * pipeline's arena, never changes, and may be pushed into any number of states by any thread.
 */
#ifndef LEAT_LUA_FUNCTION_H
#define LEAT_LUA_FUNCTION_H

#include <lua.h>

#include <leat/param.h>

#include "base/arena.h"

struct captured;

/* What `struct leat_function` of <leat/param.h> is on this side of the fence. */
struct leat_function {
    const char *source;                  /* for messages: "explain.lua"       */
    int line;                            /* where `function` stands; from 1   */
    const struct captured *first, *main; /* every function and table it needs; itself */
    int n;
};

/* Take the function at `index` of L, with all that it captures. NULL when something captured cannot
 * go into the stream; then `error` says what, by name: "the function captures 'src' (userdata): …".
 * Leaves the stack of L as it was. May raise a memory error in L: call it from a protected call. */
const struct leat_function *function_capture(lua_State *L, int index, struct arena *a, char *error,
                                             size_t cap);

/* Name of its i-th variable (from 1): a local of the script, or "_ENV"; NULL: it has no more. */
const char *function_variable(const struct leat_function *f, int i);

/* Push a fresh copy onto the stack of `to`: nothing is shared with the script nor with any other
 * copy. Globals are those of `to`. May raise a memory error: call it from a protected call. */
void function_push(lua_State *to, const struct leat_function *f);

#endif
