/* persist.h -- state of a Lua stage in snapshots: variables that `state` names, and math.random. */
#ifndef LEAT_HOST_LUA_PERSIST_H
#define LEAT_HOST_LUA_PERSIST_H

#include <leat/plugin.h>

struct leat_function;

/* Reports to the diag, for parameter `state`, each name that is not a variable of the function. */
void lua_persist_validate(const struct leat_function *fn, const struct leat_strings *names,
                          struct leat_diag *diag);

/* Calls of struct leat_stage; `self` is a struct lua_run. */
int lua_persist_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int lua_persist_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* Checks that a snapshot can hold the current values of all variables that `state` names. Returns
 * LEAT_OK, or a failure that is reported through ctx. */
int lua_persist_check(struct leat_ctx *ctx, void *self);

#endif
