/* run_inside.h -- what run.c and flat.c share. */
#ifndef LEAT_HOST_LUA_RUN_INSIDE_H
#define LEAT_HOST_LUA_RUN_INSIDE_H

#include <stdbool.h>

#include "run.h"

/* What a stage has besides columns that its function reads. */
enum lua_run_has {
    HAS_RESULTS = 1, /* columns for results               */
    HAS_VIEWS = 2,   /* its function gets views of batches */
    HAS_END = 4      /* a call at the end of the stream    */
};

/* The stage's columns, its Lua state and its function; `has` of enum lua_run_has, or-ed. On failure
 * everything is given back. */
int lua_run_open(struct leat_ctx *ctx, struct lua_run *st, int has);

/* Pushes the columns of record r of st->b. False: one is not a number, and r is rejected. */
bool lua_run_push_columns(lua_State *L, struct lua_run *st, uint32_t r);

/* Writes the value at `index` into record r of `b`, which is new there. False: it does not go into
 * column c, and r is rejected. May raise an error. */
bool lua_run_store_new(lua_State *L, int index, struct lua_run *st, struct leat_batch *b,
                       uint32_t r, const struct column *c);

/* Rejects record r of st->b with the error that lua_pcall left on the stack. LEAT_OK, or a failure
 * of the run. */
int lua_run_reject(struct lua_run *st, uint32_t r, int status);

#endif
