/* label.c -- lua.label: a Lua function gives the label.
 *
 * Not here: calls and columns (run.c, column.c). */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "column.h"
#include "function.h"
#include "run_inside.h"

const char *const lua_missing_names[] = {"none", "filter", "reject", NULL};
enum { MISSING_NONE, MISSING_FILTER, MISSING_REJECT };
enum { WHY_BYTES = 480, SHOWN_BYTES = 60 };

static void take_none(const struct lua_run *st, uint32_t r)
{
    if (st->cfg->missing == MISSING_FILTER)
        leat_filter(st->b, r);
    else if (st->cfg->missing == MISSING_REJECT)
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL, "the function returned no label");
    else
        st->b->label[r] = NAN;
}

/* The name of a class; without `classes` the text of a number, which column_store reads. */
static void take_class(const struct lua_run *st, uint32_t r, const char *name, size_t n)
{
    const struct leat_strings *classes = &st->cfg->classes;
    uint32_t i = 0;
    while (i < classes->n && (strlen(classes->v[i]) != n || memcmp(classes->v[i], name, n) != 0))
        i++;
    if (i < classes->n)
        st->b->label[r] = (float)i;
    else
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL,
                              "the function returned '%.*s', which is none of the %u classes that "
                              "`classes` names",
                              (int)(n < SHOWN_BYTES ? n : SHOWN_BYTES), name, (unsigned)classes->n);
}

static void take_value(lua_State *L, const struct lua_run *st, uint32_t r)
{
    static const struct column label = {.name = "@label", .n_name = 6, .from = FROM_LABEL};
    char why[WHY_BYTES];
    int reason = column_store(L, 3, st->b, r, &label, why, sizeof why);
    if (reason == LEAT_R_NUMBER)
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL,
                              "the function returned the text '%.*s': return a number, or name the "
                              "classes, as in { classes = { \"low\", \"high\" } }",
                              SHOWN_BYTES, lua_tostring(L, 3));
    else if (reason)
        st->ctx->host->reject(st->ctx, st->b, r, reason, "%s", why);
}

static void take_label(lua_State *L, struct lua_run *st, uint32_t r)
{
    size_t n;
    int values = lua_gettop(L) - 2;
    if (values > 1)
        luaL_error(L, "%s:%d: the function returned %d values: a label is one", st->cfg->fn->source,
                   st->cfg->fn->line, values);
    if (lua_isnoneornil(L, 3))
        take_none(st, r);
    else if (st->cfg->classes.n && lua_type(L, 3) != LUA_TSTRING)
        luaL_error(L, "%s:%d: the function returned a %s: return one of the texts in `classes`",
                   st->cfg->fn->source, st->cfg->fn->line, luaL_typename(L, 3));
    else if (st->cfg->classes.n) {
        const char *name = lua_tolstring(L, 3, &n);
        take_class(st, r, name, n);
    } else
        take_value(L, st, r);
}

int lua_run_label_open(struct leat_ctx *ctx, void *self)
{
    struct lua_run *st = self;
    st->take = take_label;
    return lua_run_open(ctx, st, 0);
}
