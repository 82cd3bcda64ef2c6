/* persist.h -- saves a Lua stage's state: the variables listed in `state`, and math.random. */
#ifndef LEAT_HOST_LUA_PERSIST_H
#define LEAT_HOST_LUA_PERSIST_H

#include <leat/plugin.h>

struct leat_function;

/* Reports an error about parameter `state` for each name that is not a variable of the function. */
void lua_persist_validate(const struct leat_function *fn, const struct leat_strings *names,
                          struct leat_diag *diag);

/* Snapshot and restore functions of struct leat_state; `self` is a struct lua_run. */
int lua_persist_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int lua_persist_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* Checks that a snapshot can hold the current values of all variables listed in `state`. Returns
 * LEAT_OK; otherwise reports the failure through ctx and returns its status. */
int lua_persist_check(struct leat_ctx *ctx, void *self);

#endif
