/* features.c -- lua.features: a Lua function returns the features of a record.
 *
 *     return "city=" .. city, "night", "amount", 2.5          city=Bonn 1, night 1, amount 2.5
 *     return { "night", ["city=" .. city] = 1, amount = 2.5 }      equivalent
 *
 * A list of results keeps its order, and so do the elements 1, 2, … of a table. A table's other
 * keys are sorted by their bytes, because Lua's own order differs from run to run.
 *
 * The stage first collects and checks all features of a call, and only then adds an example to the
 * batch. So a refused record leaves no half-made example. The collected names point to Lua strings,
 * which stay valid because the function's results are still on the Lua stack.
 *
 * Feature ids equal those of feature.columns and feature.tokens
 * (plugins/kernels/base/feature_id.h): "city=Bonn" is the text Bonn in a column city, and "night"
 * is a token.
 *
 * Not here: calls and columns (run.c, column.c). */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "column.h"
#include "function.h"
#include "host/flow/name_id.h"
#include "run.h"

enum { SHOWN_BYTES = 60 };

struct lua_feature {
    const char *name;
    size_t n;
    double value;
};

/* ---- collecting the features from the function's results ---- */

static void features_fail(lua_State *L, const struct lua_run *st, const char *what,
                          const char *kind)
{
    luaL_error(L, "%s:%d: %s%s", st->cfg->fn->source, st->cfg->fn->line, what, kind);
}

static void features_add(lua_State *L, struct lua_run *st, const char *name, size_t n, double value)
{
    if (!n) features_fail(L, st, "a feature has an empty name", "");
    if (value == 0) return; /* a feature with value 0 is absent */
    if (st->n_features < (uint64_t)st->cfg->max_entries)
        st->feature[st->n_features] = (struct lua_feature){name, n, value};
    st->n_features++;
}

/* Reads a feature's value at stack position `index`: a number; or a boolean, as 1 or 0. */
static double features_value_at(lua_State *L, const struct lua_run *st, int index)
{
    if (lua_type(L, index) == LUA_TBOOLEAN) return lua_toboolean(L, index);
    if (lua_type(L, index) != LUA_TNUMBER)
        features_fail(L, st, "the value of a feature must be a number or a boolean, not a ",
                      luaL_typename(L, index));
    return lua_tonumber(L, index);
}

static bool features_is_value(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TBOOLEAN;
}

/* Adds the elements 1 .. m of the Lua table at stack position `table`: feature names, each with
 * value 1. */
static void features_add_elements(lua_State *L, struct lua_run *st, int table, lua_Integer m)
{
    for (lua_Integer i = 1; i <= m; i++, lua_pop(L, 1)) {
        size_t n;
        int type = lua_rawgeti(L, table, i);
        if (type == LUA_TNIL || (type == LUA_TBOOLEAN && !lua_toboolean(L, -1))) continue;
        if (type != LUA_TSTRING)
            features_fail(L, st, "an element of the features must be a name, not a ",
                          luaL_typename(L, -1));
        const char *name = lua_tolstring(L, -1, &n);
        features_add(L, st, name, n, 1);
    }
}

static bool features_comes_before(const struct lua_feature *a, const struct lua_feature *b)
{
    int by = memcmp(a->name, b->name, a->n < b->n ? a->n : b->n);
    return by < 0 || (by == 0 && a->n < b->n);
}

/* Sorts features by name with a Shell sort. qsort() might allocate memory. */
static void features_sort(struct lua_feature *f, uint64_t n)
{
    for (uint64_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (uint64_t i = gap; i < n; i++) {
            struct lua_feature x = f[i];
            uint64_t j = i;
            for (; j >= gap && features_comes_before(&x, &f[j - gap]); j -= gap)
                f[j] = f[j - gap];
            f[j] = x;
        }
}

/* Adds the features whose names are keys of the table. Skips the keys 1 .. m, which
 * features_add_elements() adds. */
static void features_add_keys(lua_State *L, struct lua_run *st, int table, lua_Integer m)
{
    uint64_t first = st->n_features;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        size_t n;
        sandbox_charge(L, 1);
        if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= m)
            continue;
        if (lua_type(L, -2) != LUA_TSTRING)
            features_fail(L, st, "the name of a feature must be text, not a ",
                          luaL_typename(L, -2));
        const char *name = lua_tolstring(L, -2, &n);
        features_add(L, st, name, n, features_value_at(L, st, lua_gettop(L)));
    }
    if (st->n_features <= (uint64_t)st->cfg->max_entries)
        features_sort(st->feature + first, st->n_features - first);
}

/* Collects the features from the function's results, which are at stack positions 3 .. top. Skips
 * nil and false. */
static void features_collect(lua_State *L, struct lua_run *st, int top)
{
    for (int i = 3; i <= top; i++) {
        size_t n;
        int type = lua_type(L, i);
        if (type == LUA_TNIL || (type == LUA_TBOOLEAN && !lua_toboolean(L, i))) continue;
        if (type == LUA_TSTRING) {
            bool valued = i < top && features_is_value(L, i + 1);
            const char *name = lua_tolstring(L, i, &n);
            features_add(L, st, name, n, valued ? features_value_at(L, st, i + 1) : 1);
            i += valued;
        } else if (type == LUA_TTABLE) {
            lua_Integer m = (lua_Integer)lua_rawlen(L, i);
            features_add_elements(L, st, i, m);
            features_add_keys(L, st, i, m);
        } else {
            features_fail(L, st, "a feature must be a name, or a table of names and values, not a ",
                          luaL_typename(L, i));
        }
    }
}

/* ---- making the example from the collected features ---- */

static uint64_t features_id_of(const struct lua_feature *f)
{
    const char *equals = memchr(f->name, '=', f->n);
    size_t n = equals ? (size_t)(equals - f->name) : f->n;
    return equals ? name_id(f->name, n, equals + 1, f->n - n - 1) : name_id(NULL, 0, f->name, n);
}

static bool features_reject(struct lua_run *st, uint32_t r, int reason, const struct lua_feature *f)
{
    int shown = (int)(f->n < SHOWN_BYTES ? f->n : SHOWN_BYTES);
    st->ctx->host->reject(st->ctx, st->b, r, reason, "feature '%.*s' has the value %g%s", shown,
                          f->name, f->value,
                          isfinite(f->value) ? ", which is too large" : ", which is not finite");
    return false;
}

/* Checks that the batch can take the features as one example. Otherwise rejects record r and
 * returns false. */
static bool features_check(struct lua_run *st, uint32_t r)
{
    const struct leat_batch *b = st->b;
    uint64_t n = st->n_features, bytes = 0;
    if (n > (uint64_t)st->cfg->max_entries) {
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_TOO_LARGE,
                              "the function returned %llu features, more than max_entries = %lld",
                              (unsigned long long)n, (long long)st->cfg->max_entries);
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!(fabs(st->feature[i].value) <= (double)FLT_MAX))
            return features_reject(st, r, LEAT_R_NONFINITE, &st->feature[i]);
        bytes += st->feature[i].n;
    }
    if (bytes <= b->cap_bytes - b->n_bytes && n <= b->cap_entries - b->n_entries &&
        n <= b->cap_parts - b->n_parts && b->n_examples < b->cap_examples)
        return true;
    st->ctx->host->reject(
        st->ctx, st->b, r, LEAT_R_TOO_LARGE,
        "the names of its features have %llu bytes, and the batch has less room: raise "
        "'text_bytes'",
        (unsigned long long)bytes);
    return false;
}

static void features_give(struct leat_batch *b, const struct lua_feature *f)
{
    struct leat_str name = {leat_add_bytes(b, (uint32_t)f->n), (uint32_t)f->n};
    memcpy(b->bytes + name.off, f->name, f->n);
    uint32_t part = leat_add_part(b, LEAT_NO_FIELD, name);
    int i = leat_add_entry(b, features_id_of(f), (float)f->value);
    if (b->name && i >= 0) b->name[i] = (struct leat_name){{part}};
}

static void features_take_features(lua_State *L, struct lua_run *st, uint32_t r)
{
    int top = lua_gettop(L);
    st->n_features = 0;
    /* nothing or nil returned: no example for this record */
    if (top < 3 || (top == 3 && lua_isnil(L, 3))) return;
    luaL_checkstack(L, 4, "features");
    features_collect(L, st, top);
    if (!features_check(st, r)) return;
    leat_add_example(st->b, r);
    for (uint64_t i = 0; i < st->n_features; i++)
        features_give(st->b, &st->feature[i]);
}

int lua_run_features_open(struct leat_ctx *ctx, void *self)
{
    struct lua_run *st = self;
    const struct lua_cfg *cfg = ctx->cfg;
    st->take = features_take_features;
    st->feature = ctx->host->alloc(ctx, (size_t)cfg->max_entries * sizeof *st->feature);
    if (!st->feature)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %lld features",
                               (long long)cfg->max_entries);
    return lua_run_open(ctx, st, 0);
}

uint64_t lua_features_bytes(const struct lua_cfg *cfg)
{
    return (uint64_t)cfg->max_entries * sizeof(struct lua_feature);
}
