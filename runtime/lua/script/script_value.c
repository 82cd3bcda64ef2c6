/* script_value.c -- see script_value.h. */
#include "script_value.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "lua/function.h"

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
    return (struct location){script_value_text(b, table, "file"),
                             script_value_int(b, table, "line")};
}

/* Copies the value on top of the stack; `at` and `key` are only for messages. */
static struct value take_value(struct builder *b, struct location at, const char *key, int depth)
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
        v.type = VALUE_LIST;
        v.n = (size_t)lua_rawlen(L, top);
        v.list = arena_alloc(b->g->arena, v.n * sizeof *v.list);
        for (size_t i = 0; i < v.n && depth < 4; i++) {
            lua_geti(L, top, (lua_Integer)i + 1);
            v.list[i] = take_value(b, at, key, depth + 1);
            lua_pop(L, 1);
        }
        break;
    default:
        diag_add(b->d, DIAG_ERROR, at, NULL, key, "%s cannot be a %s", key ? key : "a value",
                 luaL_typename(L, top));
    }
    return v;
}

static int by_key(const void *a, const void *b)
{
    const struct setting *x = a, *y = b;
    if (!x->key || !y->key) /* the list of unnamed values comes first */
        return !y->key - !x->key;
    return strcmp(x->key, y->key);
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
    if (unnamed > 0) {
        lua_pushvalue(L, table);
        s[n++] = (struct setting){NULL, take_value(b, at, NULL, 0)};
        lua_pop(L, 1);
    }
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TNUMBER) continue;
        if (lua_type(L, -2) != LUA_TSTRING) {
            diag_add(b->d, DIAG_ERROR, at, NULL, NULL, "a parameter's name cannot be a %s",
                     luaL_typename(L, -2));
            continue;
        }
        const char *key = arena_strdup(b->g->arena, lua_tostring(L, -2));
        s[n++] = (struct setting){key, take_value(b, at, key, 0)};
    }
    qsort(s, n, sizeof *s, by_key);
    *out = s;
    *n_out = n;
}
