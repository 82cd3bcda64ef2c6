/* function.h -- a Lua function without a state: captured in the script, pushed into stages.
 *
 * The control thread captures a function once, while the script runs. The captured function lies in
 * the pipeline's arena and never changes; any thread may push it into any number of states. */
#ifndef LEAT_HOST_LUA_FUNCTION_H
#define LEAT_HOST_LUA_FUNCTION_H

#include <lua.h>

#include <leat/param.h>

#include "host/memory/arena.h"

struct captured;

/* The definition of `struct leat_function`, which is opaque in <leat/param.h>. */
struct leat_function {
    const char *source;                  /* for messages: "explain.lua"                    */
    int line;                            /* line of the word `function`, from 1            */
    const struct captured *first, *main; /* all functions and tables that it needs; itself */
    int n;
};

/* Copies the function at `index` of L with everything that it captures into the arena. Returns NULL
 * if it is not a Lua function, or if it captures something that cannot be copied; error[cap] then
 * gives the reason: "the function uses 'src' (userdata): …". Does not change the stack of L. May
 * raise a memory error in L: call it from a protected call. */
const struct leat_function *function_capture(lua_State *L, int index, struct arena *a, char *error,
                                             size_t cap);

/* Name of the i-th captured variable (from 1): a local of the script, or "_ENV"; NULL beyond the
 * last. */
const char *function_variable(const struct leat_function *f, int i);

/* Pushes a new copy onto the stack of `to`. It shares nothing with the script or with other copies;
 * its globals are the globals of `to`. May raise a memory error: call it from a protected call. */
void function_push(lua_State *to, const struct leat_function *f);

#endif
