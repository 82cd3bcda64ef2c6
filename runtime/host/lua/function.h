/* function.h -- a Lua function without a Lua state: captured from a script, pushed into stages.
 *
 * The control thread captures a function once, while the script runs. The captured function lies in
 * the pipeline's arena and never changes. Any thread may push copies of it into any number of Lua
 * states. */
#ifndef LEAT_HOST_LUA_FUNCTION_H
#define LEAT_HOST_LUA_FUNCTION_H

#include <lua.h>

#include <leat/param.h>

#include "host/memory/arena.h"

struct captured;

/* The definition of `struct leat_function`, which is opaque in <leat/param.h>. */
struct leat_function {
    const char *source; /* file name for messages: "explain.lua" */
    int line;           /* line of the word `function`, from 1   */
    /* first: list of all captured functions and tables; main: the function itself */
    const struct captured *first, *main;
    int n;
};

/* Copies the function at `index` of L, with everything that it captures, into the arena. Returns
 * NULL if the value is not a Lua function, or if the function captures a value that cannot be
 * copied; error[cap] then has the reason: "the function uses 'src' (userdata): …". Leaves the stack
 * of L unchanged. May raise a memory error in L, so call it from a protected call. */
const struct leat_function *function_capture(lua_State *L, int index, struct arena *a, char *error,
                                             size_t cap);

/* Returns the name of captured variable i (from 1): a local of the script, or "_ENV". Returns NULL
 * if there are fewer than i variables. */
const char *function_variable(const struct leat_function *f, int i);

/* Pushes a new copy of the function onto the stack of `to`. The copy shares nothing with the script
 * or with other copies, and its globals are the globals of `to`. May raise a memory error, so call
 * it from a protected call. */
void function_push(lua_State *to, const struct leat_function *f);

#endif
