/* hint.c -- guesses the cause of a Lua error from the function's arguments.
 *
 * For a failed call or index, Lua's message names the variable. For a failed comparison it does
 * not. The arguments then show the likely cause: a parameter without a column, a missing cell, an
 * undefined global, or text where a number is needed. */
#include "hint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/log/diag.h"
#include "column.h"

enum { NAME_BYTES = 64, GLOBALS_MAX = 128 };

/* ---- columns, parameters and variables of the function ---- */

static bool hint_is_text(const struct leat_batch *b, uint32_t r, const struct column *c)
{
    return column_is_text(c) && column_text(b, r, c).len != LEAT_NULL;
}

/* Returns the text column that the function most likely uses as a number: the first one whose text
 * in record r is a number, otherwise the first text column. NULL if there is no text. */
static const struct column *hint_meant_as_number(const struct lua_run *st, uint32_t r)
{
    const struct column *first = NULL;
    double v;
    for (uint32_t i = 0; i < st->n_in; i++) {
        const struct column *c = &st->in[i];
        if (!hint_is_text(st->b, r, c)) continue;
        if (column_number(st->b, r, c, &v) > 0) return c;
        first = first ? first : c;
    }
    return first;
}

const struct column *hint_missing(const struct lua_run *st, uint32_t r)
{
    for (uint32_t i = 0; i < st->n_in; i++)
        if (column_is_missing(st->b, r, &st->in[i])) return &st->in[i];
    return NULL;
}

/* Returns the number of arguments before the column values: 1 for lua.flat, which passes `emit`
 * first; otherwise 0. */
static int hint_given_before(const struct lua_run *st) { return st->emit ? 1 : 0; }

/* Name of the function's parameter i (from 1); NULL if it has fewer parameters. */
static const char *hint_parameter(const struct lua_run *st, int i)
{
    lua_State *L = st->box.L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    const char *name = lua_getlocal(L, NULL, i);
    lua_pop(L, 1);
    return name;
}

/* Name of the first parameter for which there is no column; NULL if there is none. Sets *at to its
 * number. */
static const char *hint_without_column(const struct lua_run *st, int *at)
{
    *at = hint_given_before(st) + (int)st->n_in + 1;
    return st->env.ctx ? NULL : hint_parameter(st, *at);
}

static const struct column *hint_column_of(const struct lua_run *st, const char *name)
{
    for (uint32_t i = 0; i < st->n_in; i++) {
        const char *p = hint_parameter(st, hint_given_before(st) + (int)i + 1);
        if (p && !strcmp(p, name)) return &st->in[i];
    }
    return NULL;
}

/* Name of a captured variable of the script that holds a number as text; NULL if there is none. */
static const char *hint_text_variable(const struct lua_run *st)
{
    lua_State *L = st->box.L;
    const char *name = NULL, *found = NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    for (int i = 1; !found && (name = lua_getupvalue(L, -1, i)); i++, lua_pop(L, 1))
        if (lua_type(L, -1) == LUA_TSTRING && lua_stringtonumber(L, lua_tostring(L, -1))) {
            lua_pop(L, 1);
            found = name;
        }
    lua_pop(L, 1);
    return found;
}

/* ---- writing a hint ---- */

/* Finds `before` in the message and copies the text from there to the next quote. Returns false if
 * the message does not contain `before`. */
static bool hint_quoted_after(const char *message, const char *before, char name[NAME_BYTES])
{
    const char *at = strstr(message, before);
    if (!at) return false;
    at += strlen(before);
    snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(at, "'"), at);
    return true;
}

static const char *hint_similar_global(const char *name)
{
    const char *known[GLOBALS_MAX];
    size_t n = 0;
    for (const char *const *s = sandbox_names; *s && n < GLOBALS_MAX; s++)
        if (!strchr(*s, '.')) known[n++] = *s;
    return diag_suggest(name, known, n);
}

/* Returns advice for a global that exists in scripts but not in the stream. */
static const char *hint_cure_of_global(const char *name)
{
    if (!strcmp(name, "io"))
        return "; read the file in the script, into a local variable that the function uses";
    if (!strcmp(name, "os"))
        return "; call it in the script, as in local today = os.date(\"%F\"); parse.time reads "
               "times "
               "of records and gives their parts";
    return "";
}

static void hint_global(const char *name, char *out)
{
    const char *near = hint_similar_global(name);
    if (near)
        snprintf(out, HINT_BYTES, " (did you mean '%s'?)", near);
    else
        snprintf(out, HINT_BYTES,
                 " (a function in the stream sees no globals of the script, only its local "
                 "variables and string, table, math, utf8%s)",
                 hint_cure_of_global(name));
}

/* Writes a hint if the message suggests a text operation in the style of another language. */
static bool hint_text(const char *message, char *out)
{
    char name[NAME_BYTES];
    bool no_self = strstr(message, "(string expected, got no value)") != NULL;
    if (no_self && hint_quoted_after(message, "bad argument #1 to '", name))
        snprintf(out, HINT_BYTES, " (methods of a text are called with a colon: text:%s())", name);
    else if (strstr(message, "attempt to add a 'string' with a 'string'"))
        snprintf(out, HINT_BYTES, " (texts are joined by ..)");
    else
        return false;
    return true;
}

/* Writes a hint if the function indexes a column's value as if it were the whole record. */
static bool hint_indexed(const struct lua_run *st, const char *message, char *out)
{
    char name[NAME_BYTES];
    const struct column *c = NULL;
    if (hint_quoted_after(message, "index a string value (local '", name) ||
        hint_quoted_after(message, "index a number value (local '", name))
        c = hint_column_of(st, name);
    if (c)
        snprintf(out, HINT_BYTES, " ('%s' is the value of column '%.*s', not a record)", name,
                 (int)c->n_name, c->name);
    return c != NULL;
}

/* Returns the column without a value that most likely caused the message: the column of the
 * variable that the message names, otherwise the first column without a value. */
static const struct column *hint_missing_of(const struct lua_run *st, uint32_t r,
                                            const char *message)
{
    char name[NAME_BYTES];
    const struct column *c = NULL;
    if (hint_quoted_after(message, "(local '", name) ||
        hint_quoted_after(message, "(upvalue '", name))
        c = hint_column_of(st, name);
    return c && column_is_missing(st->b, r, c) ? c : hint_missing(st, r);
}

/* Writes a hint that column c has no value, with the code to add to the function. */
static void hint_missing_column(const struct lua_run *st, const struct column *c, char *out)
{
    const char *variable = hint_parameter(st, hint_given_before(st) + (int)(c - st->in) + 1);
    int n = snprintf(out, HINT_BYTES, " (column '%.*s' has no value here", (int)c->n_name, c->name);
    if (variable)
        snprintf(out + n, HINT_BYTES - (size_t)n,
                 ", and '%.*s' is nil: begin with if %.*s == nil then return nil end)", NAME_BYTES,
                 variable, NAME_BYTES, variable);
    else
        snprintf(out + n, HINT_BYTES - (size_t)n, ", and the function gets nil)");
}

static void hint_nil(const struct lua_run *st, uint32_t r, const char *message, char *out)
{
    char local[NAME_BYTES];
    int at;
    const struct column *c = hint_missing_of(st, r, message);
    const char *argument = hint_without_column(st, &at);
    if (argument && hint_quoted_after(message, "(local '", local) && strcmp(local, argument) != 0)
        argument = NULL;
    if (argument)
        snprintf(out, HINT_BYTES,
                 " (argument '%s' has no column: it is argument %d of the function, but only %u "
                 "column%s named)",
                 argument, at, st->n_in, st->n_in == 1 ? " is" : "s are");
    else if (c)
        hint_missing_column(st, c, out);
    else if (*st->box.undefined && !strstr(message, "(local '"))
        snprintf(out, HINT_BYTES,
                 " (a function in the stream does not see the global '%.*s': make it a local "
                 "variable of the script: local %.*s = …)",
                 NAME_BYTES, st->box.undefined, NAME_BYTES, st->box.undefined);
}

static void hint_string(const struct lua_run *st, uint32_t r, char *out)
{
    const struct column *c = hint_meant_as_number(st, r);
    const char *variable = c ? NULL : hint_text_variable(st);
    if (c)
        snprintf(out, HINT_BYTES, " (column '%.*s' is text here: write \"%.*s:number\")",
                 (int)c->n_name, c->name, (int)c->n_name, c->name);
    else if (variable)
        snprintf(out, HINT_BYTES,
                 " (variable '%s' is text: make a number of it in the script, by tonumber(%s))",
                 variable, variable);
    else if (!st->n_in)
        snprintf(out, HINT_BYTES, " (to read a text column as a number, write \"name:number\")");
}

void hint_of(const struct lua_run *st, uint32_t r, const char *message, char out[HINT_BYTES])
{
    static const char *const operations[] = {"attempt to compare",
                                             "perform arithmetic",
                                             "to concatenate",
                                             "get length of",
                                             "index a nil value (local '",
                                             "index a nil value (upvalue '",
                                             "got nil",
                                             "' with a '"};
    char name[NAME_BYTES];
    bool operation = false;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        operation = operation || strstr(message, operations[i]);
    if (hint_quoted_after(message, "nil value (global '", name))
        hint_global(name, out);
    else if (hint_text(message, out) || hint_indexed(st, message, out) || !operation)
        return;
    else if (strstr(message, "nil"))
        hint_nil(st, r, message, out);
    else if (strstr(message, "string"))
        hint_string(st, r, out);
}
