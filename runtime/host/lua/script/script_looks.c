/* script_looks.c -- functions with which a script looks at its data before it chooses its stages:
 * leat.beginning, leat.pieces and leat.parsed. */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "host/memory/arena.h"
#include "script.h"
#include "script_library.h"

static int looks_push_failure(lua_State *L, const char *why)
{
    builder_of(L)->outside = why;
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

static int looks_push_texts(lua_State *L, const struct value *list)
{
    lua_createtable(L, (int)list->n, 0);
    for (size_t i = 0; i < list->n; i++) {
        lua_pushlstring(L, list->list[i].text, list->list[i].n);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* Sets the name and the settings of the stage that is the table at stack index 1. Returns false if
 * it is none. */
static bool looks_stage(struct builder *b, const char **name, struct setting **settings, size_t *n)
{
    lua_State *L = b->L;
    *name = script_value_text(b, 1, "name");
    lua_getfield(L, 1, "args");
    if (*name && lua_istable(L, -1))
        script_value_settings(b, lua_gettop(L), (struct location){b->script, 0}, settings, n);
    return *name != NULL;
}

/* Returns the first records of a source stage, which is the table at stack index 1, as a list.
 * Reading has its own time limit, not the script's. */
static int looks_records_of(struct builder *b, size_t max)
{
    lua_State *L = b->L;
    const char *why, *name;
    struct setting *settings = NULL;
    size_t n = 0;
    if (!looks_stage(b, &name, &settings, &n))
        return luaL_error(L, "leat.beginning takes a path, or a source");
    script_time_excuse(true);
    const struct value *list =
        b->beginning->records(b->known, name, settings, n, max, b->g->arena, &why);
    script_time_excuse(false);
    return list ? looks_push_texts(L, list) : looks_push_failure(L, why);
}

/* leat.beginning(path, max, encoding): returns the first text of the files. On failure returns nil
 * and the reason, and the first bytes of the record if a record is too long. Returns a single nil
 * if some of the files are not regular files. leat.beginning(source, max): returns a list of the
 * source's first records, or nil and the reason. */
static int looks_beginning(lua_State *L)
{
    struct builder *b = builder_of(L);
    size_t n, max = (size_t)luaL_checkinteger(L, 2);
    if (lua_istable(L, 1)) return looks_records_of(b, max);
    const char *why, *path = luaL_checkstring(L, 1);
    const char *text =
        b->beginning->text(b->known, path, luaL_optstring(L, 3, NULL), max, b->g->arena, &n, &why);
    int pushed = text && !why ? 0 : looks_push_failure(L, why);
    if (text) lua_pushlstring(L, text, n);
    return pushed + (text != NULL);
}

/* leat.pieces(path, max, encoding, ends): returns a list of texts from places spread over files. On
 * failure returns nil and the reason, or a single nil if some of the files are not regular. */
static int looks_pieces(lua_State *L)
{
    struct builder *b = builder_of(L);
    const char *why, *path = luaL_checkstring(L, 1), *encoding = luaL_optstring(L, 3, NULL);
    size_t max = (size_t)luaL_checkinteger(L, 2);
    script_time_excuse(true);
    const struct value *list =
        b->beginning->pieces(b->known, path, encoding, max, lua_toboolean(L, 4), b->g->arena, &why);
    script_time_excuse(false);
    return list ? looks_push_texts(L, list) : looks_push_failure(L, why);
}

static void looks_push_value(lua_State *L, const struct value *v)
{
    if (v->type == VALUE_TEXT) {
        lua_pushlstring(L, v->text, v->n);
        return;
    }
    if (v->type != VALUE_LIST) {
        lua_pushboolean(L, false);
        return;
    }
    lua_createtable(L, (int)v->n, 0);
    for (size_t i = 0; i < v->n; i++) {
        looks_push_value(L, &v->list[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

/* leat.parsed(parser, records): returns a list of what the parser makes of each record, and the
 * names of its columns. On failure returns nil and the reason. */
static int looks_parsed(lua_State *L)
{
    struct builder *b = builder_of(L);
    const char *why, *name;
    struct setting *settings = NULL;
    size_t n_settings = 0, n = (size_t)luaL_len(L, 2);
    if (!lua_istable(L, 1) || !looks_stage(b, &name, &settings, &n_settings))
        return luaL_error(L, "leat.parsed takes a parser, and a list of records");
    struct value *records = arena_alloc(b->g->arena, (n + 1) * sizeof *records);
    for (size_t i = 0; i < n; i++, lua_pop(L, 1)) {
        lua_geti(L, 2, (lua_Integer)i + 1);
        records[i].text = luaL_checklstring(L, -1, &records[i].n);
    }
    script_time_excuse(true);
    const struct value *all =
        b->beginning->parsed(b->known, name, settings, n_settings, records, n, b->g->arena, &why);
    script_time_excuse(false);
    if (!all) return looks_push_failure(L, why);
    struct value rows = {.type = VALUE_LIST, .list = all->list + 1, .n = all->n - 1};
    looks_push_value(L, &rows);
    looks_push_value(L, &all->list[0]);
    return 2;
}

void script_looks_push(lua_State *L)
{
    lua_pushcfunction(L, looks_beginning);
    lua_pushcfunction(L, looks_pieces);
    lua_pushcfunction(L, looks_parsed);
}
