/* value.c -- writes and reads plain Lua values.
 *
 * Pairs of a table are first written in Lua's order and then sorted by bytes. Sorting the keys
 * before writing would need a new Lua string for each key, and thus produce garbage.
 *
 * Not here: the choice of values (persist.c). */
#include "value.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "core/bits.h"

/* ---- writing a Lua value as bytes ---- */

static bool value_fail(struct lua_bytes *b, const char *wrong)
{
    b->wrong = wrong;
    return false;
}

static bool value_reserve(struct lua_bytes *b, size_t n)
{
    if (b->cap - b->n >= n) return true;
    size_t cap = 2 * b->cap > b->n + n ? 2 * b->cap : b->n + n + 64;
    unsigned char *more = realloc(b->p, cap);
    if (!more) return value_fail(b, "too large: there is no memory");
    b->p = more;
    b->cap = cap;
    return true;
}

static bool value_put(struct lua_bytes *b, const void *p, size_t n)
{
    if (!value_reserve(b, n)) return false;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static void value_store(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> (56 - 8 * i));
}

static bool value_put_tagged(struct lua_bytes *b, char tag, uint64_t v)
{
    unsigned char bytes[9] = {(unsigned char)tag};
    value_store(bytes + 1, v);
    return value_put(b, bytes, sizeof bytes);
}

static bool value_put_number(lua_State *L, struct lua_bytes *b)
{
    if (lua_isinteger(L, -1))
        return value_put_tagged(b, 'I', (uint64_t)lua_tointeger(L, -1) ^ UINT64_C(1) << 63);
    return value_put_tagged(b, 'D', bits_of_double(lua_tonumber(L, -1)));
}

static bool value_put_string(lua_State *L, struct lua_bytes *b)
{
    size_t n;
    const char *s = lua_tolstring(L, -1, &n);
    return value_put_tagged(b, 'S', n) && value_put(b, s, n);
}

size_t lua_path_add_key(lua_State *L, char *path, size_t cap)
{
    size_t before = strlen(path), left = cap - before;
    if (lua_type(L, -2) == LUA_TSTRING)
        snprintf(path + before, left, ".%s", lua_tostring(L, -2));
    else if (lua_isinteger(L, -2))
        snprintf(path + before, left, "[%lld]", lua_tointeger(L, -2));
    else
        snprintf(path + before, left, "[%s]", luaL_typename(L, -2));
    return before;
}

static struct lua_pair *value_new_pair(struct lua_bytes *b)
{
    if (b->n_pairs == b->cap_pairs) {
        size_t cap = b->cap_pairs ? 2 * b->cap_pairs : 64;
        struct lua_pair *more = realloc(b->pair, cap * sizeof *more);
        if (!more) return NULL;
        b->pair = more;
        b->cap_pairs = cap;
    }
    return &b->pair[b->n_pairs++];
}

static bool value_write_value(lua_State *L, int seen, int depth, struct lua_bytes *b);

/* Writes a pair of a table: the key at stack index -2, the value at -1. */
static bool value_write_pair(lua_State *L, int seen, int depth, struct lua_bytes *b)
{
    size_t at = b->n, before = lua_path_add_key(L, b->path, sizeof b->path), mine = b->n_pairs;
    if (lua_istable(L, -2)) return value_fail(b, "under a key that is a table");
    if (!value_new_pair(b)) return value_fail(b, "too large: there is no memory");
    lua_pushvalue(L, -2);
    bool ok = value_write_value(L, seen, depth, b);
    lua_pop(L, 1);
    size_t key_end = b->n;
    if (!ok || !value_write_value(L, seen, depth, b)) return false;
    b->pair[mine] = (struct lua_pair){at, key_end, b->n};
    b->path[before] = 0;
    return true;
}

static int value_compare_keys(const void *x, const void *y, void *bytes)
{
    const struct lua_pair *a = x, *b = y;
    const unsigned char *p = bytes;
    size_t n_a = a->key_end - a->at, n_b = b->key_end - b->at;
    int c = memcmp(p + a->at, p + b->at, n_a < n_b ? n_a : n_b);
    return c ? c : (n_a > n_b) - (n_a < n_b);
}

/* Sorts the pairs of one table. They occupy the bytes of the buffer from offset `from` to the end,
 * and their offsets begin at b->pair[first]. */
static bool value_sort_pairs(struct lua_bytes *b, size_t from, size_t first)
{
    size_t n = b->n - from;
    if (!n) return true;
    if (!value_reserve(b, n)) return false;
    qsort_r(b->pair + first, b->n_pairs - first, sizeof *b->pair, value_compare_keys, b->p);
    unsigned char *to = b->p + b->n;
    for (size_t i = first; i < b->n_pairs; i++) {
        size_t bytes = b->pair[i].end - b->pair[i].at;
        memcpy(to, b->p + b->pair[i].at, bytes);
        to += bytes;
    }
    memcpy(b->p + from, b->p + b->n, n);
    return true;
}

/* Notes that a table has been written. Refuses one that occurs twice: the copy would contain two
 * tables, or never end. */
static bool value_note_seen(lua_State *L, int seen, struct lua_bytes *b)
{
    if (lua_rawgetp(L, seen, lua_topointer(L, -1)) != LUA_TNIL)
        return value_fail(b, "a table that occurs twice, or inside itself");
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, seen, lua_topointer(L, -2));
    return true;
}

static bool value_write_table(lua_State *L, int seen, int depth, struct lua_bytes *b)
{
    if (depth == LUA_VALUE_DEPTH) return value_fail(b, "a table nested more than 16 deep");
    if (lua_getmetatable(L, -1)) return value_fail(b, "a table with a metatable");
    if (!value_note_seen(L, seen, b)) return false;
    size_t head = b->n, first = b->n_pairs;
    bool ok = value_put_tagged(b, '{', 0);
    size_t from = b->n;
    luaL_checkstack(L, 6, "a table to be kept");
    for (lua_pushnil(L); ok && lua_next(L, -2); lua_pop(L, 1))
        ok = value_write_pair(L, seen, depth + 1, b);
    if (!ok) return false;
    value_store(b->p + head + 1, b->n_pairs - first);
    ok = value_sort_pairs(b, from, first);
    b->n_pairs = first;
    return ok;
}

/* Writes the value on top of the stack. On failure the caller must reset the stack. */
static bool value_write_value(lua_State *L, int seen, int depth, struct lua_bytes *b)
{
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        return value_put(b, "N", 1);
    case LUA_TBOOLEAN:
        return value_put(b, lua_toboolean(L, -1) ? "T" : "F", 1);
    case LUA_TNUMBER:
        return value_put_number(L, b);
    case LUA_TSTRING:
        return value_put_string(L, b);
    case LUA_TTABLE:
        return value_write_table(L, seen, depth, b);
    case LUA_TFUNCTION:
        return value_fail(b, "a function");
    case LUA_TTHREAD:
        return value_fail(b, "a coroutine");
    default:
        return value_fail(b, "userdata");
    }
}

bool lua_value_write(lua_State *L, const char *name, struct lua_bytes *b)
{
    int top = lua_gettop(L);
    assert(top > 0 && name);
    b->n = b->n_pairs = 0;
    snprintf(b->path, sizeof b->path, "%s", name);
    luaL_checkstack(L, 8, "a value to be kept");
    lua_newtable(L);
    lua_pushvalue(L, top);
    bool ok = value_write_value(L, top + 1, 0, b);
    lua_settop(L, top);
    return ok;
}

void lua_bytes_free(struct lua_bytes *b)
{
    free(b->p);
    free(b->pair);
    *b = (struct lua_bytes){0};
}

/* ---- reading a Lua value from bytes ---- */

struct value_reading {
    const unsigned char *p, *end;
};

static bool value_take_u64(struct value_reading *r, uint64_t *v)
{
    if (r->end - r->p < 8) return false;
    *v = 0;
    for (int i = 0; i < 8; i++)
        *v = *v << 8 | *r->p++;
    return true;
}

static bool value_read_value(lua_State *L, struct value_reading *r, int depth);

static bool value_is_key(lua_State *L)
{
    int type = lua_type(L, -1);
    if (type == LUA_TNUMBER) return lua_tonumber(L, -1) == lua_tonumber(L, -1);
    return type == LUA_TSTRING || type == LUA_TBOOLEAN;
}

static bool value_read_table(lua_State *L, struct value_reading *r, uint64_t pairs, int depth)
{
    luaL_checkstack(L, 4, "a table that was kept");
    lua_newtable(L);
    for (uint64_t i = 0; i < pairs; i++) {
        if (!value_read_value(L, r, depth + 1) || !value_is_key(L) ||
            !value_read_value(L, r, depth + 1))
            return false;
        lua_rawset(L, -3);
    }
    return true;
}

/* Reads a value and pushes it. On failure the caller must reset the stack. */
static bool value_read_value(lua_State *L, struct value_reading *r, int depth)
{
    uint64_t v = 0;
    double d;
    if (r->p == r->end) return false;
    int tag = *r->p++;
    if (strchr("IDS{", tag) && !value_take_u64(r, &v)) return false;
    switch (tag) {
    case 'N':
        lua_pushnil(L);
        return true;
    case 'T':
    case 'F':
        lua_pushboolean(L, tag == 'T');
        return true;
    case 'I':
        lua_pushinteger(L, (lua_Integer)(v ^ UINT64_C(1) << 63));
        return true;
    case 'D':
        memcpy(&d, &v, sizeof d);
        lua_pushnumber(L, d);
        return true;
    case 'S':
        if (v > (uint64_t)(r->end - r->p)) return false;
        lua_pushlstring(L, (const char *)r->p, (size_t)v);
        r->p += v;
        return true;
    case '{':
        return depth < LUA_VALUE_DEPTH && value_read_table(L, r, v, depth);
    default:
        return false;
    }
}

bool lua_value_read(lua_State *L, const void *bytes, size_t n)
{
    struct value_reading r = {bytes, (const unsigned char *)bytes + n};
    int top = lua_gettop(L);
    luaL_checkstack(L, 8, "a value that was kept");
    bool ok = value_read_value(L, &r, 0) && r.p == r.end;
    if (!ok) lua_settop(L, top);
    return ok;
}
