/* builder.c -- script → nodes and edges. The Lua module flattens the nested lists; this file
 * runs the script under limits and copies the flat tables into the graph's arena. */
#include "builder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/clock.h"
#include "function.h"
#include "plugin/param_type.h"

enum { BUILD_BYTES = 64 << 20, HOOK_EVERY = 100000, SCAN_BYTES = 1 << 20 };
#define BUILD_NS UINT64_C(2000000000)

struct builder {
    lua_State *L;
    struct graph *g;
    struct diag *d;
    const char *script;
    const struct registry *known;
    size_t bytes;
    uint64_t deadline;
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

static void time_limit(lua_State *L, lua_Debug *ar)
{
    if (clock_ns() <= builder_of(L)->deadline) return;
    lua_getinfo(L, "Sl", ar);
    lua_pushfstring(
        L, "%s:%d: the script ran for more than 2 seconds; it may only describe the pipeline",
        ar->short_src, ar->currentline);
    lua_error(L);
}

/* Splits "file:line: text" of a Lua error into location and text. */
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
    diag_add(b->d, DIAG_ERROR, at, NULL, NULL, "%s", text);
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

static void take_node(struct builder *b, int table, struct node *n)
{
    const char *kind = field_text(b, table, "kind");
    n->kind = !strcmp(kind, "tee")     ? NODE_TEE
              : !strcmp(kind, "merge") ? NODE_MERGE
              : !strcmp(kind, "route") ? NODE_ROUTE
                                       : NODE_STAGE;
    n->name = field_text(b, table, "name");
    n->at = field_location(b, table);
    n->by = field_text(b, table, "by");
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
    if (!id) return e->from < b->g->n_nodes && e->to < b->g->n_nodes;
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
        diag_add(b->d, DIAG_ERROR, field_location(b, t), NULL, NULL, "%s",
                 field_text(b, t, "text"));
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static void take_graph(struct builder *b, int flat)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    g->name = field_text(b, flat, "name");
    g->at = field_location(b, flat);
    lua_getfield(L, flat, "options");
    take_settings(b, lua_gettop(L), g->at, &g->settings, &g->n_settings);
    lua_getfield(L, flat, "nodes");
    g->n_nodes = (uint32_t)luaL_len(L, -1);
    g->node = arena_alloc(g->arena, g->n_nodes * sizeof *g->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        lua_geti(L, -1, i + 1);
        g->node[i].index = i;
        take_node(b, lua_gettop(L), &g->node[i]);
        lua_pop(L, 1);
    }
    lua_getfield(L, flat, "edges");
    uint32_t n = (uint32_t)luaL_len(L, -1);
    g->edge = arena_alloc(g->arena, (n + 1) * sizeof *g->edge);
    for (uint32_t i = 0; i < n; i++) {
        lua_geti(L, -1, i + 1);
        g->n_edges += (uint32_t)take_edge(b, lua_gettop(L), &g->edge[g->n_edges]);
        lua_pop(L, 1);
    }
    lua_pop(L, 3);
}

/* Every --set key must have been read by the script. */
static void check_arguments(struct builder *b, const struct argument *args, size_t n)
{
    lua_State *L = b->L;
    lua_getfield(L, -1, "_asked");
    int asked = lua_gettop(L);
    const char *names[256];
    size_t n_names = 0;
    for (lua_pushnil(L); lua_next(L, asked) && n_names < 256; lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            names[n_names++] = arena_strdup(b->g->arena, lua_tostring(L, -2));
    lua_settop(L, asked);
    for (size_t i = 0; i < n; i++) {
        if (lua_getfield(L, asked, args[i].key) == LUA_TNIL) {
            const char *near = diag_suggest(args[i].key, names, n_names);
            diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                     "--set %s: the script takes no argument '%s'%s%s%s", args[i].key, args[i].key,
                     near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
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

/* package.loaded.leat, made from lua/leat/init.lua; its `...` are the arguments, the folder and the
 * function above. */
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
    if (lua_pcall(L, 3, 1, 0) != LUA_OK) return false;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "leat");
    lua_pop(L, 1); /* the module stays on the stack */
    return true;
}

/* Scripts may `require` modules of their own folder and of the leat module's. */
static void open_libraries(struct builder *b, const char *lua_dir)
{
    lua_State *L = b->L;
    luaL_openlibs(L);
    /* A script must not end the program or remove its time limit. */
    static const char *const gone[][2] = {
        {"os", "exit"}, {"debug", "sethook"}, {"os", "setlocale"}};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        lua_getglobal(L, gone[i][0]);
        lua_pushnil(L);
        lua_setfield(L, -2, gone[i][1]);
        lua_pop(L, 1);
    }
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.lua;%s/?.lua;%s/?/init.lua", script_dir(b), lua_dir, lua_dir);
    lua_setfield(L, -2, "path");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_pop(L, 1);
}

/* Reports keys written twice in one table, of which Lua silently keeps the last. */
static int report_duplicates(lua_State *L)
{
    struct builder *b = builder_of(L);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "leat.scan");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "duplicates");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    int found = lua_gettop(L);
    for (lua_Integer i = 1; lua_geti(L, found, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        struct location at = {b->script, field_int(b, t, "line")};
        diag_add(b->d, DIAG_ERROR, at, NULL, NULL,
                 "key '%s' is written twice: first in line %d; remove one", field_text(b, t, "key"),
                 field_int(b, t, "first"));
        lua_settop(L, found);
    }
    return 0;
}

static void scan_script(struct builder *b)
{
    FILE *f = fopen(b->script, "re");
    char *text = arena_alloc(b->g->arena, SCAN_BYTES);
    size_t n = f ? fread(text, 1, SCAN_BYTES, f) : 0;
    if (f) fclose(f);
    lua_pushcfunction(b->L, report_duplicates);
    lua_pushlstring(b->L, text, n);
    if (lua_pcall(b->L, 1, 0, 0) != LUA_OK) report_lua_error(b, lua_tostring(b->L, -1));
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
static bool run_script(struct builder *b, int module)
{
    lua_State *L = b->L;
    lua_pushcfunction(L, message_handler);
    if (luaL_loadfilex(L, b->script, "t") != LUA_OK || lua_pcall(L, 0, 1, -2) != LUA_OK)
        return false;
    lua_getfield(L, module, "_flatten");
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 2, 0) != LUA_OK || !lua_istable(L, -2)) return false;
    lua_pop(L, 1);
    return true;
}

static int build(lua_State *L)
{
    struct builder *b = builder_of(L);
    take_problems(b, 1);
    take_graph(b, 1);
    return 0;
}

/* From the flat table on top of the stack, with the module at 1. */
static bool build_graph(struct builder *b, const struct argument *args, size_t n_args)
{
    lua_State *L = b->L;
    int flat = lua_gettop(L);
    scan_script(b);
    lua_settop(L, flat);
    lua_pushvalue(L, 1);
    check_arguments(b, args, n_args);
    lua_settop(L, flat);
    lua_pushcfunction(L, build);
    lua_pushvalue(L, flat);
    return lua_pcall(L, 1, 0, 0) == LUA_OK;
}

int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              const struct registry *known, struct graph *g, struct diag *d)
{
    struct builder b = {
        .g = g, .d = d, .script = script, .known = known, .deadline = clock_ns() + BUILD_NS};
    assert(script && g->arena && d->arena);
    g->script = script;
    lua_State *L = b.L = lua_newstate(limited_alloc, &b);
    if (!L) {
        diag_add(d, DIAG_ERROR, (struct location){script, 0}, NULL, NULL,
                 "there is not enough memory to read the script");
        return LEAT_ENOMEM;
    }
    lua_sethook(L, time_limit, LUA_MASKCOUNT, HOOK_EVERY);
    open_libraries(&b, lua_dir);
    bool built = load_module(&b, lua_dir, args, n_args) && run_script(&b, 1) &&
                 build_graph(&b, args, n_args);
    if (!built)
        report_lua_error(&b, lua_tostring(L, -1) ? lua_tostring(L, -1) : "the script failed");
    lua_close(L);
    return built ? LEAT_OK : LEAT_EARG;
}
