/* persist.h -- what a Lua stage has in snapshots: the variables of its function that `state`
 * names, and where math.random is in its sequence.
 *
 * Fields: "random", four numbers; "state.NAME" for each variable, as setting.h writes it.
 */
#ifndef LEAT_LUA_PERSIST_H
#define LEAT_LUA_PERSIST_H

#include <leat/plugin.h>

struct leat_function;

/* Are they variables of the function? Told to the diag, against parameter `state`. */
void lua_persist_validate(const struct leat_function *fn, const struct leat_strings *names,
                          struct leat_diag *diag);

/* As in struct leat_stage; `self` is a struct lua_run. */
int lua_persist_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int lua_persist_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* LEAT_OK when all that `state` names can be kept now; else it is told. */
int lua_persist_check(struct leat_ctx *ctx, void *self);

#endif
