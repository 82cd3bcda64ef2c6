/* view.h -- a batch for the function of lua.batch: a handle with bounds-checked access.
 *
 * A view is valid during one call. If the function keeps it, later use raises an error. */
#ifndef LEAT_HOST_LUA_VIEW_H
#define LEAT_HOST_LUA_VIEW_H

#include <stdbool.h>

#include <lua.h>

#include <leat/plugin.h>

/* Environment that all views of a stage share. The stage fills it before view_open(). */
struct view_env {
    struct leat_ctx *ctx;
    const char **names; /* names for "did you mean": the columns, @raw, @label */
    size_t n_names;
    bool may_label; /* true if the function may call set_label */
};

struct batch_view {
    const struct view_env *env;
    struct leat_batch *b; /* NULL after the call */
};

/* Prepares L for views of batches with the schema env->ctx->in. `env` must outlive L. May raise an
 * error. */
void view_open(lua_State *L, const struct view_env *env);

/* Pushes a view of `b` and returns it. The view stays allocated until the next view_push() into L
 * or the end of L. Set its `b` to NULL after the call of the function. May raise an error. */
struct batch_view *view_push(lua_State *L, const struct view_env *env, struct leat_batch *b);

#endif
