/* script_errors.c -- reports mistakes of a script, with hints. */
#include "script.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/graph/outside/files.h"
#include "script_chunks.h"
#include "script_library.h"

/* Returns a hint for a syntax error that is valid code in another language; "" if Lua's message is
 * clear enough. */
static const char *errors_syntax_hint(const char *text)
{
    if (strstr(text, "Lua ")) return ""; /* error raised by the script itself */
    if (strstr(text, "near '!'")) return " (Lua has ~= for 'is not equal', and `not` for '!')";
    if (strstr(text, "'then' expected near '{'") || strstr(text, "'do' expected near '{'"))
        return " (Lua has no braces here: it writes if … then … end, and for … do … end)";
    if (strstr(text, "'}' expected near '='"))
        return " (write a key that is not a plain name as [\"a.b\"] = …; Lua compares with ==)";
    if (strstr(text, "expected near '='")) return " (Lua compares with ==)";
    if (strstr(text, "unexpected symbol near '&'") || strstr(text, "unexpected symbol near '|'"))
        return " (Lua has `and` and `or` for && and ||)";
    if (strstr(text, "near '//'") || strstr(text, "near '#'")) return " (a comment begins with --)";
    return "";
}

static bool errors_has_problem(const struct diag *d, struct location at)
{
    const struct problem *p = d->first;
    while (p && (!at.line || p->at.line != at.line))
        p = p->next;
    return p != NULL;
}

/* ---- scanning the text of a script (lua/leat/scan.lua) ---- */

/* Pushes function `name` of lua/leat/scan.lua. */
static void errors_push_scan(struct builder *b, const char *name)
{
    lua_State *L = b->L;
    if (script_chunks_load(L, arena_printf(b->g->arena, "%s/leat/scan.lua", b->lua_dir)) != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static void errors_push_script(struct builder *b)
{
    size_t n;
    const char *text = script_chunks_text(b->script, b->g->arena, &n);
    lua_pushlstring(b->L, text, n);
}

/* Lua function advice(line, message): returns a possible cause of a syntax error, to append to the
 * message. */
static int errors_advise(lua_State *L)
{
    struct builder *b = builder_of(L);
    errors_push_scan(b, "advice");
    errors_push_script(b);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 3, 1);
    if (lua_isstring(L, -1)) b->advice = arena_printf(b->g->arena, " (%s)", lua_tostring(L, -1));
    return 0;
}

/* True if the script's file name suggests data instead of Lua, such as rows.csv. */
static bool errors_is_data(const struct builder *b)
{
    const char *slash = strrchr(b->script, '/');
    const char *dot = strrchr(slash ? slash : b->script, '.');
    return dot && strcmp(dot, ".lua") != 0;
}

static const char *errors_advice(struct builder *b, int line, const char *text)
{
    const char *hint = errors_syntax_hint(text);
    if (b->unreadable && errors_is_data(b))
        return arena_printf(b->g->arena,
                            " (a script is in Lua; if this is data, `leat peek %s` shows what it "
                            "holds)",
                            b->script);
    if (*hint || !b->unreadable || !line) return hint;
    b->advice = "";
    lua_pushcfunction(b->L, errors_advise);
    lua_pushinteger(b->L, line);
    lua_pushstring(b->L, text);
    if (lua_pcall(b->L, 2, 0, 0) != LUA_OK) lua_pop(b->L, 1);
    return b->advice;
}

/* Lua function that does the work of script_errors_scan(). */
static int errors_report_duplicates(lua_State *L)
{
    struct builder *b = builder_of(L);
    errors_push_scan(b, "duplicates");
    errors_push_script(b);
    lua_call(L, 1, 1);
    int found = lua_gettop(L);
    for (lua_Integer i = 1; lua_geti(L, found, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        struct location at = {b->script, script_value_int(b, t, "line")};
        const char *key = script_value_text(b, t, "key");
        builder_must(L, key);
        diag_add(b->d, DIAG_ERROR, at, NULL, NULL,
                 "key '%s' is written twice: first in line %d; remove one", key,
                 script_value_int(b, t, "first"));
        lua_settop(L, found);
    }
    return 0;
}

void script_errors_scan(struct builder *b)
{
    lua_pushcfunction(b->L, errors_report_duplicates);
    if (lua_pcall(b->L, 0, 0, 0) != LUA_OK) script_errors_report(b, lua_tostring(b->L, -1));
}

/* ---- turning error messages of Lua into problems ---- */

/* True if a file that Lua could not open is there: then memory was lacking. `list` has the files as
 * "no file 'PATH'". */
static bool errors_has_file(struct arena *a, const char *list)
{
    static const char before[] = "no file '";
    while ((list = strstr(list, before))) {
        list += sizeof before - 1;
        if (!access(arena_strndup(a, list, strcspn(list, "'")), R_OK)) return true;
    }
    return false;
}

/* Shortens the message about a missing module, in which Lua lists all the paths that `require`
 * tried. */
static const char *errors_missing_module(struct builder *b, const char *text)
{
    const char *name = strstr(text, "module '"), *end = name ? strstr(name, "' not found:") : NULL;
    if (!end) return text;
    bool first = name == text;
    name += strlen("module '");
    if (errors_has_file(b->g->arena, end))
        return arena_printf(b->g->arena, "there is not enough memory to read the module '%.*s'",
                            (int)(end - name), name);
    if (!first) return text;
    return arena_printf(
        b->g->arena,
        "there is no module '%.*s': require finds only Lua files in the script's folder "
        "(%.*s.lua) and modules of leat, such as leat.inputs",
        (int)(end - name), name, (int)(end - name), name);
}

void script_errors_report(struct builder *b, const char *text)
{
    struct location at = {b->script, 0};
    const char *slash = strrchr(b->script, '/');
    /* only the base name, because Lua cuts long paths from the left */
    const char *base = slash ? slash + 1 : b->script;
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
    if (errors_has_problem(b->d, at)) return;
    text = errors_missing_module(b, text);
    if (script_time_waited()) text = script_time_waiting;
    if (b->unreadable && access(b->script, F_OK))
        text = arena_printf(b->g->arena, "%s%s", text, files_suggestion(b->script, b->g->arena));
    bool nil = strstr(text, "nil") || strstr(text, "no value");
    bool outside = b->outside && !strcmp(text, b->outside);
    diag_add(b->d, outside ? DIAG_FILE : DIAG_ERROR, at, NULL, NULL, "%s%s%s", text,
             errors_advice(b, at.line, text),
             nil ? script_arguments_not_given(b, at.line, text) : "");
}
