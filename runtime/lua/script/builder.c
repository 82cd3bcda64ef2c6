/* builder.c -- script → nodes and edges. The Lua module flattens the nested lists; this file
 * runs the script under limits and copies the flat tables into the graph's arena. */
#include "builder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <leat/plugin.h>

#include "base/log.h"
#include "lua/function.h"
#include "graph/files.h"
#include "lua/print.h"
#include "plugin/param_type.h"
#include "lua/undefined.h"
#include "script_library.h"
#include "script_time.h"

enum { BUILD_BYTES = 64 << 20, SCAN_BYTES = 1 << 20 };

/* On the stack from load_module on. The script has MODULE too, and may do with it what it
 * likes; not the others. */
enum { MODULE = 1, FLATTEN, ASKED, MISTAKES };
enum { NOT_GIVEN_MAX = 3 }; /* arguments in one message */

struct builder {
    lua_State *L;
    struct graph *g;
    struct diag *d;
    const char *script;
    struct registry *known;
    const struct lua_beginning *beginning;
    size_t bytes;
    const char *lua_dir;
    struct print print; /* by the script */
    bool unreadable;    /* the script is no Lua    */
    const char *advice; /* … of which this is said */
    struct not_given {  /* arguments that the script read and that were not given */
        const char *key;
        int line;
    } * not_given;
    size_t n_not_given;
};

static void *limited_alloc(void *ud, void *p, size_t old, size_t new)
{
    struct builder *b = ud;
    size_t had = p ? old : 0;
    if (new == 0) {
        free(p);
        b->bytes -= had;
        return NULL;
    }
    if (new > had && b->bytes + (new - had) > BUILD_BYTES) return NULL;
    void *q = realloc(p, new);
    if (q) b->bytes += new - had;
    return q;
}

static struct builder *builder_of(lua_State *L)
{
    void *ud;
    lua_getallocf(L, &ud);
    return ud;
}

/* The table that a script's pipeline was flattened to is as it should be, unless the script changed
 * the functions that the module calls. */
static void must(lua_State *L, bool is)
{
    if (!is) luaL_error(L, "the script changed functions of Lua or of leat that the module needs");
}

static void must_table(lua_State *L) { must(L, lua_istable(L, -1)); }

/* What other languages write where Lua's message gives no hint. */
static const char *syntax_hint(const char *text)
{
    if (strstr(text, "near '!'")) return " (Lua has ~= for 'is not equal', and `not` for '!')";
    if (strstr(text, "'}' expected near '='"))
        return " (a key that is no plain name is written [\"a.b\"] = …; Lua compares with ==)";
    if (strstr(text, "expected near '='")) return " (Lua compares with ==)";
    if (strstr(text, "unexpected symbol near '&'") || strstr(text, "unexpected symbol near '|'"))
        return " (Lua has `and` and `or` for && and ||)";
    if (strstr(text, "near '//'") || strstr(text, "near '#'")) return " (a comment begins with --)";
    return "";
}

static int by_argument(const void *a, const void *b)
{
    return strcmp(((const struct not_given *)a)->key, ((const struct not_given *)b)->key);
}

/* Outside of calls, where ASKED is a place on the stack. */
static void note_not_given(struct builder *b)
{
    lua_State *L = b->L;
    int top = lua_gettop(L);
    if (top < ASKED) return;
    size_t n = 0;
    for (lua_pushnil(L); lua_next(L, ASKED); lua_pop(L, 1))
        n++;
    b->not_given = arena_alloc(b->g->arena, (n + 1) * sizeof *b->not_given);
    for (lua_pushnil(L); lua_next(L, ASKED); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && lua_isinteger(L, -1))
            b->not_given[b->n_not_given++] = (struct not_given){
                arena_strdup(b->g->arena, lua_tostring(L, -2)), (int)lua_tointeger(L, -1)};
    lua_settop(L, top);
    qsort(b->not_given, b->n_not_given, sizeof *b->not_given, by_argument);
}

static bool is_near(struct builder *b, const struct not_given *a, int line, const char *text)
{
    return a->line == line || strstr(text, arena_printf(b->g->arena, "'%s'", a->key));
}

/* Text to append: "; leat.args.data was not given (--set data=VALUE)", of the arguments that `text`
 * quotes or that `line` reads, or else of all when they are few; "" where none may be meant. */
static const char *not_given(struct builder *b, int line, const char *text)
{
    const char *said = "";
    size_t near = 0;
    for (size_t i = 0; i < b->n_not_given; i++)
        near += is_near(b, &b->not_given[i], line, text);
    if ((near ? near : b->n_not_given) > NOT_GIVEN_MAX) return said;
    for (size_t i = 0; i < b->n_not_given; i++) {
        const struct not_given *a = &b->not_given[i];
        if (!near || is_near(b, a, line, text))
            said = arena_printf(b->g->arena, "%s; leat.args.%s was not given (--set %s=VALUE)",
                                said, a->key, a->key);
    }
    return said;
}

static bool has_problem(const struct diag *d, struct location at)
{
    const struct problem *p = d->first;
    while (p && (!at.line || p->at.line != at.line))
        p = p->next;
    return p != NULL;
}

/* ---- what the text of a script says (lua/leat/scan.lua) ---- */

/* Pushes a function of the module. */
static void push_scan(struct builder *b, const char *name)
{
    lua_State *L = b->L;
    if (luaL_loadfilex(L, arena_printf(b->g->arena, "%s/leat/scan.lua", b->lua_dir), "t") != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static void push_script(struct builder *b)
{
    struct stat st; /* a pipe can be read only once */
    FILE *f = !stat(b->script, &st) && S_ISREG(st.st_mode) ? fopen(b->script, "re") : NULL;
    char *text = arena_alloc(b->g->arena, SCAN_BYTES);
    size_t n = f ? fread(text, 1, SCAN_BYTES, f) : 0;
    if (f) fclose(f);
    lua_pushlstring(b->L, text, n);
}

/* advice(line, message): what a syntax error may come from, as text to append. */
static int advise(lua_State *L)
{
    struct builder *b = builder_of(L);
    push_scan(b, "advice");
    push_script(b);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 3, 1);
    if (lua_isstring(L, -1)) b->advice = arena_printf(b->g->arena, " (%s)", lua_tostring(L, -1));
    return 0;
}

static const char *advice(struct builder *b, int line, const char *text)
{
    const char *hint = syntax_hint(text);
    if (*hint || !b->unreadable || !line) return hint;
    b->advice = "";
    lua_pushcfunction(b->L, advise);
    lua_pushinteger(b->L, line);
    lua_pushstring(b->L, text);
    if (lua_pcall(b->L, 2, 0, 0) != LUA_OK) lua_pop(b->L, 1);
    return b->advice;
}

/* Splits "file:line: text" of a Lua error into location and text. What follows from a mistake that
 * is reported already, in the same line, is left out. */
static void report_lua_error(struct builder *b, const char *text)
{
    struct location at = {b->script, 0};
    const char *slash = strrchr(b->script, '/');
    const char *base = slash ? slash + 1 : b->script; /* Lua cuts long paths from the left */
    const char *found = strstr(text, base);
    size_t n = strlen(base);
    if (found && found[n] == ':') {
        char *end;
        long line = strtol(found + n + 1, &end, 10);
        if (*end == ':') {
            at.line = (int)line;
            text = end + 1 + (end[1] == ' ');
        }
    }
    if (has_problem(b->d, at)) return;
    if (script_time_waited()) text = script_time_waiting;
    if (b->unreadable && access(b->script, F_OK))
        text = arena_printf(b->g->arena, "%s%s", text, files_suggestion(b->script, b->g->arena));
    bool nil = strstr(text, "nil") || strstr(text, "no value");
    diag_add(b->d, DIAG_ERROR, at, NULL, NULL, "%s%s%s", text, advice(b, at.line, text),
             nil ? not_given(b, at.line, text) : "");
}

static const char *field_text(struct builder *b, int table, const char *name)
{
    lua_getfield(b->L, table, name);
    const char *s = lua_type(b->L, -1) == LUA_TSTRING
                        ? arena_strdup(b->g->arena, lua_tostring(b->L, -1))
                        : NULL;
    lua_pop(b->L, 1);
    return s;
}

static int field_int(struct builder *b, int table, const char *name)
{
    lua_getfield(b->L, table, name);
    int n = (int)lua_tointeger(b->L, -1);
    lua_pop(b->L, 1);
    return n;
}

static struct location field_location(struct builder *b, int table)
{
    return (struct location){field_text(b, table, "file"), field_int(b, table, "line")};
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

/* Copies the table at `table` as settings: first the unnamed values as one list with key NULL, then
 * the others sorted by key, so that the order of a Lua table has no effect. */
static void take_settings(struct builder *b, int table, struct location at, struct setting **out,
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

static enum node_kind kind_of(struct builder *b, int table)
{
    static const char *const names[] = {"stage", "tee", "merge", "route"};
    static const enum node_kind kinds[] = {NODE_STAGE, NODE_TEE, NODE_MERGE, NODE_ROUTE};
    const char *kind = field_text(b, table, "kind");
    size_t i = 0;
    while (i < 4 && kind && strcmp(names[i], kind))
        i++;
    must(b->L, kind && i < 4);
    return kinds[i];
}

static void take_node(struct builder *b, int table, struct node *n)
{
    n->kind = kind_of(b, table);
    n->name = field_text(b, table, "name");
    n->at = field_location(b, table);
    n->by = field_text(b, table, "by");
    n->not_given = not_given(b, n->at.line, "");
    lua_getfield(b->L, table, "reported");
    n->reported = lua_toboolean(b->L, -1);
    lua_pop(b->L, 1);
    must(b->L, n->name && (n->kind != NODE_ROUTE || n->by));
    lua_getfield(b->L, table, "args");
    if (lua_istable(b->L, -1))
        take_settings(b, lua_gettop(b->L), n->at, &n->settings, &n->n_settings);
    lua_pop(b->L, 1);
}

/* An edge names its origin by index, or by the id of a stage that the script makes later. */
static bool take_edge(struct builder *b, int table, struct edge *e)
{
    e->from = (uint32_t)field_int(b, table, "from") - 1;
    e->to = (uint32_t)field_int(b, table, "to") - 1;
    e->key = field_text(b, table, "key");
    const char *id = field_text(b, table, "id");
    must(b->L, e->to < b->g->n_nodes && (id || e->from < b->g->n_nodes));
    must(b->L, id || b->g->node[e->from].kind != NODE_ROUTE || e->key);
    if (!id) return true;
    for (uint32_t i = 0; i < b->g->n_nodes; i++)
        for (size_t j = 0; j < b->g->node[i].n_settings; j++) {
            const struct setting *s = &b->g->node[i].settings[j];
            if (s->key && !strcmp(s->key, "id") && s->value.type == VALUE_TEXT &&
                !strcmp(s->value.text, id)) {
                e->from = i;
                return true;
            }
        }
    diag_add(b->d, DIAG_ERROR, field_location(b, table), NULL, NULL,
             "leat.from(\"%s\"): no stage has id = \"%s\"", id, id);
    return false;
}

static void take_problems(struct builder *b, int flat)
{
    lua_State *L = b->L;
    lua_getfield(L, flat, "problems");
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        const char *text = field_text(b, t, "text");
        must(L, text);
        diag_add(b->d, DIAG_ERROR, field_location(b, t), NULL, NULL, "%s", text);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static void take_nodes(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    must_table(L);
    g->n_nodes = (uint32_t)lua_rawlen(L, -1);
    g->node = arena_alloc(g->arena, g->n_nodes * sizeof *g->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        lua_rawgeti(L, -1, i + 1);
        must_table(L);
        g->node[i].index = i;
        take_node(b, lua_gettop(L), &g->node[i]);
        lua_pop(L, 1);
    }
}

static void take_edges(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    must_table(L);
    uint32_t n = (uint32_t)lua_rawlen(L, -1);
    g->edge = arena_alloc(g->arena, (n + 1) * sizeof *g->edge);
    for (uint32_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, i + 1);
        must_table(L);
        g->n_edges += (uint32_t)take_edge(b, lua_gettop(L), &g->edge[g->n_edges]);
        lua_pop(L, 1);
    }
}

static void take_graph(struct builder *b, int flat)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    g->name = field_text(b, flat, "name");
    must(L, g->name);
    g->at = field_location(b, flat);
    lua_getfield(L, flat, "options");
    must_table(L);
    take_settings(b, lua_gettop(L), g->at, &g->settings, &g->n_settings);
    lua_getfield(L, flat, "nodes");
    take_nodes(b);
    lua_getfield(L, flat, "edges");
    take_edges(b);
    lua_pop(L, 3);
}

/* Every --set key must have been read by the script. */
static void check_arguments(struct builder *b, const struct argument *args, size_t n)
{
    lua_State *L = b->L;
    const char *names[256];
    size_t n_names = 0;
    int top = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, ASKED) && n_names < 256; lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            names[n_names++] = arena_strdup(b->g->arena, lua_tostring(L, -2));
    lua_settop(L, top);
    for (size_t i = 0; i < n; i++) {
        if (lua_getfield(L, ASKED, args[i].key) == LUA_TNIL) {
            const char *near = diag_suggest(args[i].key, names, n_names);
            diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                     "--set %s: the script takes no argument '%s'%s%s%s", args[i].key, args[i].key,
                     near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        lua_pop(L, 1);
    }
}

static const char *script_dir(struct builder *b)
{
    const char *slash = strrchr(b->script, '/');
    return slash ? arena_strndup(b->g->arena, b->script, (size_t)(slash - b->script)) : ".";
}

/* leat.parameters(stage): { name = type, … }, or nil when there is no such stage. */
static int parameters(lua_State *L)
{
    const struct stage_type *t = registry_find(builder_of(L)->known, luaL_checkstring(L, 1));
    if (!t) return 0;
    lua_createtable(L, 0, (int)t->stage->n_params);
    for (uint32_t i = 0; i < t->stage->n_params; i++) {
        lua_pushstring(L, param_type_name(t->stage->params[i].type));
        lua_setfield(L, -2, t->stage->params[i].name);
    }
    return 1;
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
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

/* The records of a stage of the script, a table at 1, as a list. It ends by itself. */
static int records_of(struct builder *b, size_t max)
{
    lua_State *L = b->L;
    const char *why, *name = field_text(b, 1, "name");
    struct setting *settings = NULL;
    size_t n = 0;
    lua_getfield(L, 1, "args");
    if (name && lua_istable(L, -1))
        take_settings(b, lua_gettop(L), (struct location){b->script, 0}, &settings, &n);
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

/* leat.beginning(path, max, encoding): the first text of files, or nil and why there is none; nil
 * alone: not all are regular files. leat.beginning(source, max): a list of records, or nil and
 * why. */
static int beginning(lua_State *L)
{
    struct builder *b = builder_of(L);
    size_t n, max = (size_t)luaL_checkinteger(L, 2);
    if (lua_istable(L, 1)) return records_of(b, max);
    const char *why, *path = luaL_checkstring(L, 1);
    const char *text =
        b->beginning->text(b->known, path, luaL_optstring(L, 3, NULL), max, b->g->arena, &n, &why);
    if (!text) return push_failure(L, why);
    lua_pushlstring(L, text, n);
    return 1;
}

/* leat.info(text): says something at level info. */
static int info(lua_State *L)
{
    log_message(LEAT_INFO, "%s", luaL_checkstring(L, 1));
    return 0;
}

static void say_printed(void *builder, const char *text)
{
    const struct builder *b = builder;
    log_line(arena_printf(b->g->arena, "leat: %s", text));
}

/* A field of the module that only this file uses: it moves to the stack. */
static void take_away(lua_State *L, const char *field)
{
    lua_getfield(L, MODULE, field);
    lua_pushnil(L);
    lua_setfield(L, MODULE, field);
}

/* package.loaded.leat, made from lua/leat/init.lua; its `...` are the arguments, the folder, the
 * function, the list and the functions above. */
static bool load_module(struct builder *b, const char *lua_dir, const struct argument *args,
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
    lua_pushstring(L, script_dir(b));
    lua_pushcfunction(L, parameters);
    push_groups(b);
    lua_pushcfunction(L, suggest);
    lua_pushcfunction(L, beginning);
    lua_pushcfunction(L, info);
    if (lua_pcall(L, 7, 1, 0) != LUA_OK) return false;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, MODULE);
    lua_setfield(L, -2, "leat");
    lua_pop(L, 1);
    take_away(L, "_flatten");
    take_away(L, "_asked");
    take_away(L, "_mistakes");
    return true;
}

/* Reports keys written twice in one table, of which Lua silently keeps the last. */
static int report_duplicates(lua_State *L)
{
    struct builder *b = builder_of(L);
    push_scan(b, "duplicates");
    push_script(b);
    lua_call(L, 1, 1);
    int found = lua_gettop(L);
    for (lua_Integer i = 1; lua_geti(L, found, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        struct location at = {b->script, field_int(b, t, "line")};
        const char *key = field_text(b, t, "key");
        must(L, key);
        diag_add(b->d, DIAG_ERROR, at, NULL, NULL,
                 "key '%s' is written twice: first in line %d; remove one", key,
                 field_int(b, t, "first"));
        lua_settop(L, found);
    }
    return 0;
}

static void scan_script(struct builder *b)
{
    lua_pushcfunction(b->L, report_duplicates);
    if (lua_pcall(b->L, 0, 0, 0) != LUA_OK) report_lua_error(b, lua_tostring(b->L, -1));
}

static int message_handler(lua_State *L)
{
    if (!lua_isstring(L, 1))
        lua_pushfstring(L, "the script raised a %s", luaL_typename(L, 1));
    else
        lua_settop(L, 1);
    return 1;
}

/* Runs the script; the flat table is left on the stack. */
static bool run_script(struct builder *b)
{
    lua_State *L = b->L;
    lua_pushcfunction(L, message_handler);
    b->unreadable = luaL_loadfilex(L, b->script, "t") != LUA_OK;
    if (b->unreadable || lua_pcall(L, 0, 1, -2) != LUA_OK) return false;
    lua_pushvalue(L, FLATTEN);
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 2, 0) != LUA_OK || !lua_istable(L, -2)) return false;
    lua_pop(L, 1);
    return true;
}

static int take_mistakes(lua_State *L)
{
    take_problems(builder_of(L), 1);
    return 0;
}

/* What the script got wrong before it failed. */
static void report_mistakes(struct builder *b)
{
    if (lua_gettop(b->L) < MISTAKES) return;
    lua_pushcfunction(b->L, take_mistakes);
    lua_pushvalue(b->L, MISTAKES);
    if (lua_pcall(b->L, 1, 0, 0) != LUA_OK) lua_pop(b->L, 1);
}

static int build(lua_State *L)
{
    struct builder *b = builder_of(L);
    take_problems(b, 1);
    take_graph(b, 1);
    return 0;
}

/* From the flat table on top of the stack. */
static bool build_graph(struct builder *b, const struct argument *args, size_t n_args)
{
    lua_State *L = b->L;
    int flat = lua_gettop(L);
    note_not_given(b);
    scan_script(b);
    lua_settop(L, flat);
    check_arguments(b, args, n_args);
    lua_settop(L, flat);
    lua_pushcfunction(L, build);
    lua_pushvalue(L, flat);
    return lua_pcall(L, 1, 0, 0) == LUA_OK;
}

/* What fails outside lua_pcall fails for want of memory; Lua's own answer is abort(). */
static int end_without_memory(lua_State *L)
{
    log_message(LEAT_ERROR, "%s: there is not enough memory to read the script",
                builder_of(L)->script);
    _exit(EXIT_FAILURE);
}

int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              struct registry *known, const struct lua_beginning *beginning_of, struct graph *g,
              struct diag *d)
{
    struct builder b = {.g = g,
                        .d = d,
                        .script = script,
                        .known = known,
                        .beginning = beginning_of,
                        .lua_dir = lua_dir};
    b.print = (struct print){.to = &b, .say = say_printed};
    assert(script && g->arena && d->arena);
    g->script = script;
    lua_State *L = b.L = lua_newstate(limited_alloc, &b);
    if (!L) {
        diag_add(d, DIAG_ERROR, (struct location){script, 0}, NULL, NULL,
                 "there is not enough memory to read the script");
        return LEAT_ENOMEM;
    }
    lua_atpanic(L, end_without_memory);
    script_time_start(L, script);
    script_library_open(L, script_dir(&b), lua_dir);
    lua_pushlightuserdata(L, &b.print);
    lua_pushcclosure(L, print_in_script, 1);
    lua_setglobal(L, "print");
    undefined_refuse(L);
    bool built =
        load_module(&b, lua_dir, args, n_args) && run_script(&b) && build_graph(&b, args, n_args);
    if (!built) {
        const char *why = lua_tostring(L, -1);
        if (!b.not_given) note_not_given(&b);
        report_mistakes(&b);
        report_lua_error(&b, why ? why : "the script failed");
    }
    lua_close(L);
    script_time_stop();
    print_end(&b.print, PRINT_SCRIPT);
    return built ? LEAT_OK : LEAT_EARG;
}
