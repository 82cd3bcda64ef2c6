/* builder.c -- script → nodes and edges. This file runs the script under limits. The Lua module
 * flattens the nested lists, and script_graph.c copies the flat tables into the graph's arena. */
#include "builder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>

#include <leat/plugin.h>

#include "host/log/log.h"
#include "core/process_end.h"
#include "builder_inside.h"
#include "host/lua/undefined.h"
#include "script_arguments.h"
#include "script_errors.h"
#include "script_graph.h"
#include "script_library.h"
#include "script_module.h"
#include "script_time.h"

enum { BUILD_BYTES = 64 << 20 };

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

struct builder *builder_of(lua_State *L)
{
    void *ud;
    lua_getallocf(L, &ud);
    return ud;
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
    script_graph_problems(builder_of(L), 1);
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
    script_graph_problems(b, 1);
    script_graph_take(b, 1);
    return 0;
}

/* From the flat table on top of the stack. */
static bool build_graph(struct builder *b, const struct argument *args, size_t n_args)
{
    lua_State *L = b->L;
    int flat = lua_gettop(L);
    script_arguments_note(b);
    script_arguments_taken(b);
    script_errors_scan(b);
    lua_settop(L, flat);
    script_arguments_check(b, args, n_args);
    lua_settop(L, flat);
    lua_pushcfunction(L, build);
    lua_pushvalue(L, flat);
    return lua_pcall(L, 1, 0, 0) == LUA_OK;
}

static void say_printed(void *builder, const char *text)
{
    const struct builder *b = builder;
    log_line(arena_printf(b->g->arena, "leat: %s", text));
}

/* What fails outside lua_pcall fails for want of memory; Lua's own answer is abort(). */
static int end_without_memory(lua_State *L)
{
    log_message(LEAT_ERROR, "%s: there is not enough memory to read the script",
                builder_of(L)->script);
    process_end(EXIT_FAILURE);
}

bool builder_start(struct builder *b)
{
    assert(b->script && b->g->arena && b->d->arena);
    b->print = (struct print){.to = b, .say = say_printed};
    lua_State *L = b->L = lua_newstate(limited_alloc, b);
    if (!L) {
        diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                 "there is not enough memory to read the script");
        return false;
    }
    lua_atpanic(L, end_without_memory);
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
    bool built = script_module_load(&b, lua_dir, args, n_args) && run_script(&b) &&
                 build_graph(&b, args, n_args);
    if (!built) {
        const char *why = lua_tostring(b.L, -1);
        if (!b.not_given) {
            script_arguments_note(&b);
            script_arguments_taken(&b);
            script_arguments_misspelt(&b, args, n_args);
        }
        report_mistakes(&b);
        script_errors_report(&b, why ? why : "the script failed");
    }
    builder_end(&b);
    return built ? LEAT_OK : LEAT_EARG;
}
