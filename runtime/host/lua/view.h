/* view.h -- a batch for the function of lua.batch: a handle with bounds-checked access.
 *
 * A view is valid during one call. If the function keeps it, a later use raises an error. */
#ifndef LEAT_HOST_LUA_VIEW_H
#define LEAT_HOST_LUA_VIEW_H

#include <stdbool.h>

#include <lua.h>

#include <leat/plugin.h>

/* Environment shared by all views of a stage, which fills it before view_open. */
struct view_env {
    struct leat_ctx *ctx;
    const char **names; /* candidates for "did you mean": the columns, @raw, @label */
    size_t n_names;
    bool may_label; /* set_label is allowed */
};

struct batch_view {
    const struct view_env *env;
    struct leat_batch *b; /* NULL once the call is over */
};

/* Prepares L for views on batches of env->ctx->in; `env` must outlive L. May raise an error. */
void view_open(lua_State *L, const struct view_env *env);

/* Pushes a view on b. The result stays allocated until the next view_push into L or the end of L;
 * set its `b` to NULL when the call is over. May raise an error. */
struct batch_view *view_push(lua_State *L, const struct view_env *env, struct leat_batch *b);

#endif
