/* script_arguments.c -- arguments of a script: set but not read, or read but not set. */
#include "script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/nearest.h"
#include "script_chunks.h"

enum { NOT_GIVEN_MAX = 3 }; /* most arguments listed in one message */

static int arguments_by_argument(const void *a, const void *b)
{
    return strcmp(((const struct not_given *)a)->key, ((const struct not_given *)b)->key);
}

void script_arguments_note(struct builder *b)
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
    qsort(b->not_given, b->n_not_given, sizeof *b->not_given, arguments_by_argument);
}

static bool arguments_is_near(struct builder *b, const struct not_given *a, int line,
                              const char *text)
{
    return a->line == line || strstr(text, arena_printf(b->g->arena, "'%s'", a->key));
}

/* Returns the variable that Lua's message names, as in "a nil value (local 'x')", in the arena;
 * NULL if it names none. */
static const char *arguments_variable(struct builder *b, const char *text)
{
    static const char *const kinds[] = {"(local '", "(upvalue '", "(field '", "(global '",
                                        "(method '"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = strstr(text, kinds[i]);
        if (!at) continue;
        at += strlen(kinds[i]);
        return arena_strndup(b->g->arena, at, strcspn(at, "'"));
    }
    return NULL;
}

static bool arguments_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* True if a line of the script has the word. */
static bool arguments_line_has(const char *script, int line, const char *word)
{
    const size_t len = strlen(word);
    for (; line > 1 && (script = strchr(script, '\n')); line--)
        script++;
    const char *end = script ? script + strcspn(script, "\n") : NULL;
    for (const char *at = script; at && (at = strstr(at, word)) && at + len <= end; at++)
        if ((at == script || !arguments_is_word(at[-1])) && !arguments_is_word(at[len]))
            return true;
    return false;
}

/* True if the message is about a variable that does not come from arguments: no line that reads an
 * argument names it. */
static bool arguments_are_innocent(struct builder *b, const char *text)
{
    const char *variable = arguments_variable(b, text);
    size_t bytes;
    if (!variable) return false;
    const char *script = script_chunks_text(b->script, b->g->arena, &bytes);
    for (size_t i = 0; *script && i < b->n_not_given; i++)
        if (arguments_line_has(script, b->not_given[i].line, variable)) return false;
    return *script != 0;
}

const char *script_arguments_not_given(struct builder *b, int line, const char *text)
{
    const char *said = "";
    size_t near = 0;
    for (size_t i = 0; i < b->n_not_given; i++)
        near += arguments_is_near(b, &b->not_given[i], line, text);
    if ((near ? near : b->n_not_given) > NOT_GIVEN_MAX) return said;
    if (!near && arguments_are_innocent(b, text)) return said;
    for (size_t i = 0; i < b->n_not_given; i++) {
        const struct not_given *a = &b->not_given[i];
        if (!near || arguments_is_near(b, a, line, text))
            said = arena_printf(b->g->arena, "%s; leat.args.%s is not set (--set %s=VALUE)", said,
                                a->key, a->key);
    }
    return said;
}

void script_arguments_taken(struct builder *b)
{
    lua_State *L = b->L;
    size_t cap = 0;
    int top = lua_gettop(L);
    if (top < ASKED) return;
    for (lua_pushnil(L); lua_next(L, ASKED); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_toboolean(L, -1)) continue;
        if (b->g->n_takes == cap)
            b->g->takes =
                arena_grow(b->g->arena, b->g->takes, b->g->n_takes, &cap, sizeof *b->g->takes);
        b->g->takes[b->g->n_takes++] = arena_strdup(b->g->arena, lua_tostring(L, -2));
    }
    lua_settop(L, top);
}

static bool arguments_is_taken(const struct graph *g, const char *key)
{
    for (size_t i = 0; i < g->n_takes; i++)
        if (!strcmp(g->takes[i], key)) return true;
    return false;
}

/* True if the script declares the argument and nothing reads it: its value in ASKED is false. */
static bool arguments_is_idle(struct builder *b, const char *key)
{
    if (lua_gettop(b->L) < ASKED) return false;
    lua_getfield(b->L, ASKED, key);
    bool idle = lua_isboolean(b->L, -1) && !lua_toboolean(b->L, -1);
    lua_pop(b->L, 1);
    return idle;
}

static void arguments_report_unknown(struct builder *b, const char *key, const char *near)
{
    bool idle = arguments_is_idle(b, key), slip = near && nearest_distance(key, near) <= 2;
    const char *set = idle || slip ? NULL : registry_takers(b->known, key, b->g->arena);
    if (idle)
        diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                 "--set %s: with these settings nothing uses '%s': leave it out", key, key);
    else if (set)
        diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                 "--set %s: the script takes no argument '%s': %s", key, key, set);
    else
        diag_add(b->d, DIAG_ERROR, (struct location){b->script, 0}, NULL, NULL,
                 "--set %s: the script takes no argument '%s'%s%s%s", key, key,
                 near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void script_arguments_misspelt(struct builder *b, const struct argument *args, size_t n)
{
    const char **names = arena_alloc(b->g->arena, (b->n_not_given + 1) * sizeof *names);
    for (size_t i = 0; i < b->n_not_given; i++)
        names[i] = b->not_given[i].key;
    for (size_t i = 0; i < n; i++) {
        const char *near =
            arguments_is_taken(b->g, args[i].key) || arguments_is_idle(b, args[i].key)
                ? NULL
                : diag_suggest(args[i].key, names, b->n_not_given);
        if (near) arguments_report_unknown(b, args[i].key, near);
    }
}

void script_arguments_check(struct builder *b, const struct argument *args, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!arguments_is_taken(b->g, args[i].key))
            arguments_report_unknown(b, args[i].key,
                                     diag_suggest(args[i].key, b->g->takes, b->g->n_takes));
}
