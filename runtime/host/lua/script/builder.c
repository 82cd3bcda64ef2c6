/* builder.c -- builds the graph from a pipeline script.
 *
 * Runs the script under limits of time and memory. The Lua module flattens the script's nested
 * lists into tables; this file copies these tables into the graph's arena. */
#include "builder.h"

#include <assert.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "core/process_end.h"
#include "host/log/log.h"
#include "host/lua/sandbox_library.h"
#include "host/plugin/describe.h"
#include "host/params/param_type.h"
#include "host/plugin/registry.h"
#include "host/plugin/stage_tables.h"
#include "script.h"
#include "script_chunks.h"
#include "script_json.h"
#include "script_library.h"

/* ---- nodes and edges from the flat table of a pipeline ---- */

static void graph_must_table(lua_State *L) { builder_must(L, lua_istable(L, -1)); }

static enum node_kind graph_kind_of(struct builder *b, int table)
{
    static const char *const names[] = {"stage", "tee", "merge", "route"};
    static const enum node_kind kinds[] = {NODE_STAGE, NODE_TEE, NODE_MERGE, NODE_ROUTE};
    const char *kind = script_value_text(b, table, "kind");
    size_t i = 0;
    while (i < 4 && kind && strcmp(names[i], kind))
        i++;
    builder_must(b->L, kind && i < 4);
    return kinds[i];
}

static void graph_take_node(struct builder *b, int table, struct node *n)
{
    n->kind = graph_kind_of(b, table);
    n->name = script_value_text(b, table, "name");
    n->at = script_value_location(b, table);
    n->by = script_value_text(b, table, "by");
    n->not_given = script_arguments_not_given(b, n->at.line, "");
    lua_getfield(b->L, table, "reported");
    n->reported = lua_toboolean(b->L, -1);
    lua_pop(b->L, 1);
    builder_must(b->L, n->name && (n->kind != NODE_ROUTE || n->by));
    lua_getfield(b->L, table, "args");
    if (lua_istable(b->L, -1))
        script_value_settings(b, lua_gettop(b->L), n->at, &n->settings, &n->n_settings);
    lua_pop(b->L, 1);
}

/* Takes an edge from the flat table. The table names the stage that the edge comes from by an index
 * or, if the script makes this stage later, by its id. */
static bool graph_take_edge(struct builder *b, int table, struct edge *e)
{
    e->from = (uint32_t)script_value_int(b, table, "from") - 1;
    e->to = (uint32_t)script_value_int(b, table, "to") - 1;
    e->key = script_value_text(b, table, "key");
    const char *id = script_value_text(b, table, "id");
    builder_must(b->L, e->to < b->g->n_nodes && (id || e->from < b->g->n_nodes));
    builder_must(b->L, id || b->g->node[e->from].kind != NODE_ROUTE || e->key);
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
    diag_add(b->d, DIAG_ERROR, script_value_location(b, table), NULL, NULL,
             "leat.from(\"%s\"): no stage has id = \"%s\"", id, id);
    return false;
}

static void graph_problems(struct builder *b, int flat)
{
    lua_State *L = b->L;
    lua_getfield(L, flat, "problems");
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        const char *text = script_value_text(b, t, "text");
        builder_must(L, text);
        diag_add(b->d, DIAG_ERROR, script_value_location(b, t), NULL, NULL, "%s", text);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static void graph_take_nodes(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    graph_must_table(L);
    g->n_nodes = (uint32_t)lua_rawlen(L, -1);
    g->node = arena_alloc(g->arena, g->n_nodes * sizeof *g->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        lua_rawgeti(L, -1, i + 1);
        graph_must_table(L);
        g->node[i].index = i;
        graph_take_node(b, lua_gettop(L), &g->node[i]);
        lua_pop(L, 1);
    }
}

static void graph_take_edges(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    graph_must_table(L);
    uint32_t n = (uint32_t)lua_rawlen(L, -1);
    g->edge = arena_alloc(g->arena, (n + 1) * sizeof *g->edge);
    for (uint32_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, i + 1);
        graph_must_table(L);
        g->n_edges += (uint32_t)graph_take_edge(b, lua_gettop(L), &g->edge[g->n_edges]);
        lua_pop(L, 1);
    }
}

static void graph_take(struct builder *b, int flat)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    g->name = script_value_text(b, flat, "name");
    builder_must(L, g->name);
    g->choices = script_value_text(b, flat, "choices");
    g->at = script_value_location(b, flat);
    lua_getfield(L, flat, "options");
    graph_must_table(L);
    script_value_settings(b, lua_gettop(L), g->at, &g->settings, &g->n_settings);
    lua_getfield(L, flat, "nodes");
    graph_take_nodes(b);
    lua_getfield(L, flat, "edges");
    graph_take_edges(b);
    lua_pop(L, 3);
}

/* ---- the module `leat` of a script ---- */

static void module_push_field(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text); /* nil if text is NULL */
    lua_setfield(L, -2, name);
}

static void module_push_flagged(lua_State *L, const char *name, const struct leat_stage *s,
                                uint32_t flag)
{
    const struct leat_param *p = stage_tables_flagged(s, flag);
    module_push_field(L, name, p ? p->name : NULL);
}

/* Pushes a table with the facts about a stage that the Lua module needs. */
static void module_push_facts(lua_State *L, const struct leat_stage *s)
{
    lua_createtable(L, 0, 8);
    module_push_field(L, "kind", describe_kind(s));
    module_push_field(L, "reads", stage_tables_reads(s));
    module_push_field(L, "writes", stage_tables_writes(s));
    module_push_flagged(L, "reads_file", s, LEAT_READS_FILE);
    module_push_flagged(L, "writes_file", s, LEAT_WRITES_FILE);
    module_push_flagged(L, "stream", s, LEAT_STREAM);
    module_push_flagged(L, "servers", s, LEAT_SERVERS);
    module_push_flagged(L, "positional", s, LEAT_POSITIONAL);
    lua_pushboolean(L, stage_tables_learns(s));
    lua_setfield(L, -2, "learns");
    lua_pushboolean(L, (s->needs & LEAT_HAS_RECORDS) != 0);
    lua_setfield(L, -2, "needs_records");
    lua_pushboolean(L, (s->needs & LEAT_HAS_COLUMNS) != 0);
    lua_setfield(L, -2, "needs_columns");
    lua_createtable(L, 0, (int)s->n_params);
    for (uint32_t i = 0; i < s->n_params; i++)
        module_push_field(L, s->params[i].name, s->params[i].def);
    lua_setfield(L, -2, "defaults");
}

/* leat.parameters(stage): returns a table { name = type, … } of the stage's parameters and the
 * table of module_push_facts(). Returns nil for an unknown stage. */
static int module_parameters(lua_State *L)
{
    const struct stage_type *t = registry_find(builder_of(L)->known, luaL_checkstring(L, 1));
    if (!t) return 0;
    lua_createtable(L, 0, (int)t->stage->n_params);
    for (uint32_t i = 0; i < t->stage->n_params; i++) {
        lua_pushstring(L, param_type_name(t->stage->params[i].type));
        lua_setfield(L, -2, t->stage->params[i].name);
    }
    module_push_facts(L, t->stage);
    return 2;
}

/* Pushes a list of all stages' groups. The group of "filter.contains" is "filter". */
static void module_push_groups(struct builder *b)
{
    lua_State *L = b->L;
    lua_Integer n = 0;
    lua_createtable(L, 0, 0);
    for (size_t i = 0; i < b->known->n; i++) {
        lua_pushlstring(L, b->known->name[i], strcspn(b->known->name[i], "."));
        lua_seti(L, -2, ++n);
    }
}

/* suggest(word, list): returns the list's element that is most similar to the word, or nil. */
static int module_suggest(lua_State *L)
{
    const char *names[256];
    size_t n = 0;
    for (; n < 256 && lua_geti(L, 2, (lua_Integer)n + 1) == LUA_TSTRING; lua_pop(L, 1), n++)
        names[n] = lua_tostring(L, -1);
    lua_pushstring(L, diag_suggest(luaL_checkstring(L, 1), names, n));
    return 1;
}

/* Returns field k of the line at p, whose end is `end`; NULL if the line has fewer. */
static const char *module_field(const char *p, const char *end, char delimiter, lua_Integer k,
                                size_t *n)
{
    for (; p && k > 1; k--) {
        p = memchr(p, delimiter, (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    if (!p) return NULL;
    const char *stop = memchr(p, delimiter, (size_t)(end - p));
    *n = (size_t)((stop ? stop : end) - p);
    return p;
}

/* leat.tally(text, delimiter, k, step, most): returns how often each text is field k of every
 * step-th line. Returns nil if there are more than `most` texts. */
static int module_tally(lua_State *L)
{
    size_t n, bytes;
    lua_Integer step = luaL_checkinteger(L, 4), most = luaL_checkinteger(L, 5), line = 0;
    const char *p = luaL_checklstring(L, 1, &bytes), *text_end = p + bytes;
    const char delimiter = *luaL_checkstring(L, 2);
    lua_Integer k = luaL_checkinteger(L, 3);
    lua_newtable(L);
    for (const char *end; p < text_end; p = end + 1) {
        end = memchr(p, '\n', (size_t)(text_end - p));
        if (!end) end = text_end;
        const char *field = line++ % step ? NULL : module_field(p, end, delimiter, k, &n);
        if (!field) continue;
        lua_pushlstring(L, field, n);
        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        if (lua_isnil(L, -1) && most-- == 0) return lua_pushnil(L), 1;
        lua_pushinteger(L, lua_tointeger(L, -1) + 1);
        lua_remove(L, -2);
        lua_rawset(L, -3);
    }
    return 1;
}

/* leat.info(text): logs the text at level info. */
static int module_info(lua_State *L)
{
    log_message(LEAT_INFO, "%s", luaL_checkstring(L, 1));
    return 0;
}

/* Moves a field of the leat module to the stack, so that the script cannot reach it. */
static void module_take_away(lua_State *L, const char *field)
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
    if (script_chunks_load(L, path) != LUA_OK) return false;
    lua_createtable(L, 0, (int)n);
    for (size_t i = 0; i < n; i++) {
        lua_pushstring(L, args[i].value);
        lua_setfield(L, -2, args[i].key);
    }
    lua_pushstring(L, builder_dir(b));
    lua_pushcfunction(L, module_parameters);
    module_push_groups(b);
    lua_pushcfunction(L, module_suggest);
    script_looks_push(L);
    lua_pushcfunction(L, module_tally);
    lua_pushcfunction(L, module_info);
    lua_pushboolean(L, b->helps);
    lua_pushboolean(L, b->g->snapshots);
    lua_pushstring(L, b->g->split); /* nil if split is NULL */
    lua_pushcfunction(L, script_json_write);
    lua_pushcfunction(L, script_json_read);
    if (lua_pcall(L, 15, 1, 0) != LUA_OK) return false;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, MODULE);
    lua_setfield(L, -2, "leat");
    lua_pop(L, 1);
    module_take_away(L, "_flatten");
    module_take_away(L, "_asked");
    module_take_away(L, "_mistakes");
    return true;
}

/* ---- running a script and building its graph ---- */

enum { BUILD_BYTES = 64 << 20 };

static void *builder_limited_alloc(void *ud, void *p, size_t old, size_t new)
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

const char *builder_dir(struct builder *b)
{
    const char *slash = strrchr(b->script, '/');
    return slash ? arena_strndup(b->g->arena, b->script, (size_t)(slash - b->script)) : ".";
}

void builder_must(lua_State *L, bool is)
{
    if (!is) luaL_error(L, "the script changed functions of Lua or of leat that the module needs");
}

static int builder_message_handler(lua_State *L)
{
    if (!lua_isstring(L, 1))
        lua_pushfstring(L, "the script raised a %s", luaL_typename(L, 1));
    else
        lua_settop(L, 1);
    return 1;
}

/* Runs the script and pushes its pipeline, which FLATTEN has turned into flat tables of nodes and
 * edges. Returns false with an error on the stack. */
static bool builder_run_script(struct builder *b)
{
    lua_State *L = b->L;
    lua_pushcfunction(L, builder_message_handler);
    b->unreadable = luaL_loadfilex(L, b->script, "t") != LUA_OK;
    if (b->unreadable || lua_pcall(L, 0, 1, -2) != LUA_OK) return false;
    lua_pushvalue(L, FLATTEN);
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 2, 0) != LUA_OK || !lua_istable(L, -2)) return false;
    lua_pop(L, 1);
    return true;
}

static int builder_take_mistakes(lua_State *L)
{
    graph_problems(builder_of(L), 1);
    return 0;
}

/* Reports the mistakes that the leat module has collected (MISTAKES). They come before the error of
 * the script itself. */
static void builder_report_mistakes(struct builder *b)
{
    if (lua_gettop(b->L) < MISTAKES) return;
    lua_pushcfunction(b->L, builder_take_mistakes);
    lua_pushvalue(b->L, MISTAKES);
    if (lua_pcall(b->L, 1, 0, 0) != LUA_OK) lua_pop(b->L, 1);
}

static int builder_build(lua_State *L)
{
    struct builder *b = builder_of(L);
    graph_problems(b, 1);
    graph_take(b, 1);
    return 0;
}

/* Builds the graph from the flattened pipeline on top of the stack. */
static bool builder_build_graph(struct builder *b, const struct argument *args, size_t n_args)
{
    lua_State *L = b->L;
    int flat = lua_gettop(L);
    script_arguments_note(b);
    script_arguments_taken(b);
    script_errors_scan(b);
    lua_settop(L, flat);
    script_arguments_check(b, args, n_args);
    lua_settop(L, flat);
    lua_pushcfunction(L, builder_build);
    lua_pushvalue(L, flat);
    return lua_pcall(L, 1, 0, 0) == LUA_OK;
}

static void builder_say_printed(void *builder, const char *text)
{
    const struct builder *b = builder;
    log_line(arena_printf(b->g->arena, "leat: %s", text));
}

/* Handles an error outside of lua_pcall, which can only be a lack of memory. Without this handler
 * Lua would call abort(). */
static int builder_end_without_memory(lua_State *L)
{
    log_message(LEAT_ERROR, "%s: there is not enough memory to read the script",
                builder_of(L)->script);
    process_end(EXIT_FAILURE);
}

bool builder_start(struct builder *b)
{
    assert(b->script && b->g->arena && b->d->arena);
    b->print = (struct print){.to = b, .say = builder_say_printed};
    lua_State *L = b->L = lua_newstate(builder_limited_alloc, b);
    if (!L) {
        diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                 "there is not enough memory to read the script");
        return false;
    }
    lua_atpanic(L, builder_end_without_memory);
    script_time_start(L, b->script);
    script_library_open(L, builder_dir(b), b->lua_dir);
    lua_pushlightuserdata(L, &b->print);
    lua_pushcclosure(L, print_in_script, 1);
    lua_setglobal(L, "print");
    undefined_refuse(L);
    return true;
}

void builder_end(struct builder *b)
{
    lua_close(b->L);
    script_time_stop();
    print_end(&b->print, PRINT_SCRIPT);
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
    g->script = script;
    if (!builder_start(&b)) return LEAT_ENOMEM;
    bool built = script_module_load(&b, lua_dir, args, n_args) && builder_run_script(&b) &&
                 builder_build_graph(&b, args, n_args);
    if (!built) {
        const char *why = lua_tostring(b.L, -1);
        if (!b.not_given) {
            script_arguments_note(&b);
            script_arguments_taken(&b);
            script_arguments_misspelt(&b, args, n_args);
        }
        builder_report_mistakes(&b);
        script_errors_report(&b, why ? why : "the script failed");
    }
    builder_end(&b);
    return built ? LEAT_OK : LEAT_EARG;
}
