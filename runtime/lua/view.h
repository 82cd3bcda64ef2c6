/* view.h -- a batch as a Lua function sees it in lua.batch: a handle with bounds-checked
 * access.
 *
 * A view is lent for one call. What the function keeps of it raises an error when used later.
 */
#ifndef LEAT_LUA_VIEW_H
#define LEAT_LUA_VIEW_H

#include <lua.h>

#include <leat/plugin.h>

/* What every view of one stage shares. Filled by the stage before view_open. */
struct view_env {
    struct leat_ctx *ctx;
    const char **names; /* for "did you mean": the columns, @raw, @label */
    size_t n_names;
    int may_label; /* set_label is allowed */
};

struct batch_view {
    const struct view_env *env;
    struct leat_batch *b; /* NULL once the call is over */
};

/* Prepare L for views on batches of env->ctx->in; `env` is to outlive L. May raise an error. */
void view_open(lua_State *L, const struct view_env *env);

/* Push a view on b. It stays valid memory until the next view_push into this L or its end; set its
 * `b` to NULL as soon as the call is over. May raise an error. */
struct batch_view *view_push(lua_State *L, const struct view_env *env, struct leat_batch *b);

#endif
