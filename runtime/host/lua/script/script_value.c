/* script_value.c -- converts tables of a script to settings of the graph. */
#include "script.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/lua/function.h"

enum { DEPTH_MAX = 4 }; /* most levels of nested lists */

const char *script_value_text(struct builder *b, int table, const char *name)
{
    lua_getfield(b->L, table, name);
    const char *s = lua_type(b->L, -1) == LUA_TSTRING
                        ? arena_strdup(b->g->arena, lua_tostring(b->L, -1))
                        : NULL;
    lua_pop(b->L, 1);
    return s;
}

int script_value_int(struct builder *b, int table, const char *name)
{
    lua_getfield(b->L, table, name);
    int n = (int)lua_tointeger(b->L, -1);
    lua_pop(b->L, 1);
    return n;
}

struct location script_value_location(struct builder *b, int table)
{
    const char *file = script_value_text(b, table, "file");
    bool is_known = file && strcmp(file, "?"); /* otherwise a module of leat made the stage */
    return (struct location){is_known ? file : NULL, script_value_int(b, table, "line")};
}

static struct value settings_take_value(struct builder *b, struct location at, const char *key,
                                        int depth);

/* Returns the text of a key for messages. The key lies below the value on top of the stack. */
static const char *settings_key_text(struct builder *b)
{
    const char *text = arena_strdup(b->g->arena, luaL_tolstring(b->L, -2, NULL));
    lua_pop(b->L, 1);
    return text;
}

static bool settings_is_place(lua_State *L, int index, size_t n)
{
    lua_Integer i = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
    return i >= 1 && (size_t)i <= n;
}

/* Takes the list part (indexes 1 .. n) of the table at stack index `top`. */
static struct value settings_take_places(struct builder *b, int top, struct location at,
                                         const char *param, int depth)
{
    struct value v = {.type = VALUE_LIST, .n = (size_t)lua_rawlen(b->L, top)};
    v.list = arena_alloc(b->g->arena, v.n * sizeof *v.list);
    for (size_t i = 0; i < v.n && depth < DEPTH_MAX; i++) {
        lua_geti(b->L, top, (lua_Integer)i + 1);
        v.list[i] = settings_take_value(b, at, param, depth + 1);
        lua_pop(b->L, 1);
    }
    return v;
}

static int settings_by_key(const void *a, const void *b)
{
    const struct setting *x = a, *y = b;
    if (!x->key || !y->key) /* the list of unnamed values comes first */
        return !y->key - !x->key;
    return strcmp(x->key, y->key);
}

/* Takes the values of the table at stack index `top` that are not in its list part, by key. */
static void settings_take_keyed(struct builder *b, int top, struct value *v, struct location at,
                                const char *param, int depth)
{
    lua_State *L = b->L;
    size_t most = 0;
    for (lua_pushnil(L); lua_next(L, top); lua_pop(L, 1))
        most++;
    struct setting *keyed = arena_alloc(b->g->arena, (most + 1) * sizeof *keyed);
    for (lua_pushnil(L); lua_next(L, top); lua_pop(L, 1)) {
        if (settings_is_place(L, -2, v->n)) continue;
        const char *key = settings_key_text(b);
        keyed[v->n_keyed++] = (struct setting){key, settings_take_value(b, at, param, depth + 1)};
    }
    if (v->n_keyed) qsort(keyed, v->n_keyed, sizeof *keyed, settings_by_key);
    v->keyed = keyed;
}

/* Copies the Lua value on top of the stack. `at` and `key` are only for messages. */
static struct value settings_take_value(struct builder *b, struct location at, const char *key,
                                        int depth)
{
    lua_State *L = b->L;
    struct value v = {.type = VALUE_NIL};
    int top = lua_gettop(L);
    switch (lua_type(L, top)) {
    case LUA_TNIL:
        break;
    case LUA_TBOOLEAN:
        v = (struct value){.type = VALUE_BOOL, .integer = lua_toboolean(L, top)};
        break;
    case LUA_TNUMBER:
        v.type = lua_isinteger(L, top) ? VALUE_INT : VALUE_FLOAT;
        v.integer = lua_isinteger(L, top) ? lua_tointeger(L, top) : 0;
        v.number = lua_tonumber(L, top);
        break;
    case LUA_TSTRING: {
        size_t n;
        const char *s = lua_tolstring(L, top, &n);
        v = (struct value){.type = VALUE_TEXT, .text = arena_strndup(b->g->arena, s, n), .n = n};
        break;
    }
    case LUA_TFUNCTION: {
        char why[256];
        v.function = function_capture(L, top, b->g->arena, why, sizeof why);
        v.type = VALUE_FUNCTION;
        if (!v.function)
            diag_add(b->d, DIAG_ERROR, at, NULL, key, "%s: %s", key ? key : "function", why);
        break;
    }
    case LUA_TTABLE:
        v = settings_take_places(b, top, at, key, depth);
        if (depth < DEPTH_MAX) settings_take_keyed(b, top, &v, at, key, depth);
        break;
    default:
        diag_add(b->d, DIAG_ERROR, at, NULL, key, "%s cannot be a %s", key ? key : "a value",
                 luaL_typename(L, top));
    }
    return v;
}

void script_value_settings(struct builder *b, int table, struct location at, struct setting **out,
                           size_t *n_out)
{
    lua_State *L = b->L;
    size_t n = 0, unnamed = (size_t)lua_rawlen(L, table);
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        n++;
    struct setting *s = arena_alloc(b->g->arena, (n + 1) * sizeof *s);
    n = 0;
    if (unnamed > 0) s[n++] = (struct setting){NULL, settings_take_places(b, table, at, NULL, 0)};

    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TNUMBER) continue;
        if (lua_type(L, -2) != LUA_TSTRING) {
            diag_add(b->d, DIAG_ERROR, at, NULL, NULL, "a parameter's name cannot be a %s",
                     luaL_typename(L, -2));
            continue;
        }
        const char *key = arena_strdup(b->g->arena, lua_tostring(L, -2));
        s[n++] = (struct setting){key, settings_take_value(b, at, key, 0)};
    }
    qsort(s, n, sizeof *s, settings_by_key);
    *out = s;
    *n_out = n;
}
