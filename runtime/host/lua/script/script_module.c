/* script_module.c -- see script_module.h. */
#include "script_module.h"

#include <string.h>

#include <lauxlib.h>

#include "host/log/log.h"
#include "host/plugin/describe.h"
#include "host/plugin/param_type.h"
#include "host/plugin/registry.h"
#include "host/plugin/stage_tables.h"
#include "script_time.h"
#include "script_value.h"

static void push_field(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text); /* nil of NULL */
    lua_setfield(L, -2, name);
}

static void push_flagged(lua_State *L, const char *name, const struct leat_stage *s, uint32_t flag)
{
    const struct leat_param *p = stage_tables_flagged(s, flag);
    push_field(L, name, p ? p->name : NULL);
}

/* What a stage is, as a table. */
static void push_facts(lua_State *L, const struct leat_stage *s)
{
    lua_createtable(L, 0, 8);
    push_field(L, "kind", describe_kind(s));
    push_field(L, "reads", stage_tables_reads(s));
    push_field(L, "writes", stage_tables_writes(s));
    push_flagged(L, "reads_file", s, LEAT_READS_FILE);
    push_flagged(L, "writes_file", s, LEAT_WRITES_FILE);
    push_flagged(L, "positional", s, LEAT_POSITIONAL);
    lua_pushboolean(L, stage_tables_learns(s));
    lua_setfield(L, -2, "learns");
    lua_pushboolean(L, (s->needs & LEAT_HAS_RECORDS) != 0);
    lua_setfield(L, -2, "needs_records");
    lua_pushboolean(L, (s->needs & LEAT_HAS_COLUMNS) != 0);
    lua_setfield(L, -2, "needs_columns");
    lua_createtable(L, 0, (int)s->n_params);
    for (uint32_t i = 0; i < s->n_params; i++)
        push_field(L, s->params[i].name, s->params[i].def);
    lua_setfield(L, -2, "defaults");
}

/* leat.parameters(stage): { name = type, … } and what the stage is; nil when there is no such
 * stage. */
static int parameters(lua_State *L)
{
    const struct stage_type *t = registry_find(builder_of(L)->known, luaL_checkstring(L, 1));
    if (!t) return 0;
    lua_createtable(L, 0, (int)t->stage->n_params);
    for (uint32_t i = 0; i < t->stage->n_params; i++) {
        lua_pushstring(L, param_type_name(t->stage->params[i].type));
        lua_setfield(L, -2, t->stage->params[i].name);
    }
    push_facts(L, t->stage);
    return 2;
}

/* The groups of all stages, as a list: "filter" of "filter.contains". */
static void push_groups(struct builder *b)
{
    lua_State *L = b->L;
    lua_Integer n = 0;
    lua_createtable(L, 0, 0);
    for (size_t i = 0; i < b->known->n; i++) {
        lua_pushlstring(L, b->known->name[i], strcspn(b->known->name[i], "."));
        lua_seti(L, -2, ++n);
    }
}

/* suggest(word, list): the element of the list that is most like the word, or nil. */
static int suggest(lua_State *L)
{
    const char *names[256];
    size_t n = 0;
    for (; n < 256 && lua_geti(L, 2, (lua_Integer)n + 1) == LUA_TSTRING; lua_pop(L, 1), n++)
        names[n] = lua_tostring(L, -1);
    lua_pushstring(L, diag_suggest(luaL_checkstring(L, 1), names, n));
    return 1;
}

static int push_failure(lua_State *L, const char *why)
{
    builder_of(L)->outside = why;
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

/* The records of a stage of the script, a table at 1, as a list. It ends by itself. */
static int records_of(struct builder *b, size_t max)
{
    lua_State *L = b->L;
    const char *why, *name = script_value_text(b, 1, "name");
    struct setting *settings = NULL;
    size_t n = 0;
    lua_getfield(L, 1, "args");
    if (name && lua_istable(L, -1))
        script_value_settings(b, lua_gettop(L), (struct location){b->script, 0}, &settings, &n);
    if (!name) return luaL_error(L, "leat.beginning takes a path, or a source");
    script_time_excuse(true);
    const struct value *list =
        b->beginning->records(b->known, name, settings, n, max, b->g->arena, &why);
    script_time_excuse(false);
    if (!list) return push_failure(L, why);
    lua_createtable(L, (int)list->n, 0);
    for (size_t i = 0; i < list->n; i++) {
        lua_pushlstring(L, list->list[i].text, list->list[i].n);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* leat.beginning(path, max, encoding): the first text of files, or nil and why there is none, and
 * the first bytes of a record if it is too long; nil alone: not all are regular files.
 * leat.beginning(source, max): a list of records, or nil and why. */
static int beginning(lua_State *L)
{
    struct builder *b = builder_of(L);
    size_t n, max = (size_t)luaL_checkinteger(L, 2);
    if (lua_istable(L, 1)) return records_of(b, max);
    const char *why, *path = luaL_checkstring(L, 1);
    const char *text =
        b->beginning->text(b->known, path, luaL_optstring(L, 3, NULL), max, b->g->arena, &n, &why);
    int pushed = text && !why ? 0 : push_failure(L, why);
    if (text) lua_pushlstring(L, text, n);
    return pushed + (text != NULL);
}

/* leat.info(text): says something at level info. */
static int info(lua_State *L)
{
    log_message(LEAT_INFO, "%s", luaL_checkstring(L, 1));
    return 0;
}

/* A field of the module that only this file uses: it moves to the stack. */
static void take_away(lua_State *L, const char *field)
{
    lua_getfield(L, MODULE, field);
    lua_pushnil(L);
    lua_setfield(L, MODULE, field);
}

bool script_module_load(struct builder *b, const char *lua_dir, const struct argument *args,
                        size_t n)
{
    lua_State *L = b->L;
    const char *path = arena_printf(b->g->arena, "%s/leat/init.lua", lua_dir);
    if (luaL_loadfilex(L, path, "t") != LUA_OK) return false;
    lua_createtable(L, 0, (int)n);
    for (size_t i = 0; i < n; i++) {
        lua_pushstring(L, args[i].value);
        lua_setfield(L, -2, args[i].key);
    }
    lua_pushstring(L, builder_dir(b));
    lua_pushcfunction(L, parameters);
    push_groups(b);
    lua_pushcfunction(L, suggest);
    lua_pushcfunction(L, beginning);
    lua_pushcfunction(L, info);
    lua_pushboolean(L, b->helps);
    if (lua_pcall(L, 8, 1, 0) != LUA_OK) return false;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, MODULE);
    lua_setfield(L, -2, "leat");
    lua_pop(L, 1);
    take_away(L, "_flatten");
    take_away(L, "_asked");
    take_away(L, "_mistakes");
    return true;
}
