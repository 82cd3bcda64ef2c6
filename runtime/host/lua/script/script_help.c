/* script_help.c -- what a script says of itself before it runs: its head comment and its
 * arguments. */
#include "builder.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/text/plain_text.h"
#include "script.h"

/* ---- the head comment ---- */

enum { LINE_BYTES = 4096 };

/* Returns the text of the next line of the script's head comment (lines that begin with ---); NULL
 * at its end. `any`: a line of the comment has been read already, so other lines end it. */
static const char *help_next_of_comment(FILE *f, char line[LINE_BYTES], bool any)
{
    while (f && fgets(line, LINE_BYTES, f)) {
        line[strcspn(line, "\r\n")] = 0;
        bool says = !strncmp(line, "---", 3), other = !strncmp(line, "--", 2) || *line == '#';
        if (says) return line + 3 + (line[3] == ' ');
        if (any || !(other || !*line)) return NULL;
    }
    return NULL;
}

/* Prints the script's head comment. Returns false if there is none. */
static bool help_print_comment(const char *script, FILE *out)
{
    char line[LINE_BYTES];
    const char *text;
    bool any = false;
    FILE *f = fopen(script, "r");
    while ((text = help_next_of_comment(f, line, any))) {
        plain_text_line(out, "%s", text);
        any = true;
    }
    if (f) fclose(f);
    return any;
}

void lua_script_question(const char *script, char *text, size_t cap)
{
    char line[LINE_BYTES];
    const char *next;
    size_t n = 0;
    FILE *f = fopen(script, "r");
    *text = 0;
    while ((next = help_next_of_comment(f, line, n > 0)) && *next && n < cap)
        n += (size_t)snprintf(text + n, cap - n, "%s%s", n ? " " : "", next);
    if (f) fclose(f);
}

static const char *help_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const char *text = lua_tostring(L, -1); /* the table owns the text */
    lua_pop(L, 1);
    return text;
}

static int help_longest_name(lua_State *L, int list)
{
    size_t longest = 0;
    for (lua_Integer i = 1; lua_geti(L, list, i) == LUA_TTABLE; lua_pop(L, 1), i++)
        if (strlen(help_field(L, lua_gettop(L), "name")) > longest)
            longest = strlen(help_field(L, lua_gettop(L), "name"));
    lua_pop(L, 1);
    return (int)longest;
}

/* Prints the arguments that the script declared. They are in the table that leat.arguments() raised
 * as an error: { arguments = { { name, values, help }, … } }. */
static void help_print_declared(lua_State *L, bool after, FILE *out)
{
    lua_getfield(L, -1, "arguments");
    int list = lua_gettop(L), width = help_longest_name(L, list);
    fprintf(out, "%sarguments (--set NAME=VALUE)\n", after ? "\n" : "");
    for (lua_Integer i = 1; lua_geti(L, list, i) == LUA_TTABLE; lua_pop(L, 1), i++) {
        int t = lua_gettop(L);
        const char *help = help_field(L, t, "help");
        plain_text_line(out, "  %-*s  %s", width, help_field(L, t, "name"),
                        help_field(L, t, "values"));
        if (help) plain_text_line(out, "  %*s  %s", width, "", help);
    }
    lua_pop(L, 2);
}

static void help_print_asked(struct builder *b, bool after, FILE *out)
{
    script_arguments_note(b);
    if (after) return;
    if (!b->n_not_given) fputs("the script takes no arguments\n", out);
    if (b->n_not_given) fputs("arguments that the script reads (--set NAME=VALUE)\n", out);
    for (size_t i = 0; i < b->n_not_given; i++)
        plain_text_line(out, "  %s", b->not_given[i].key);
}

/* True if the script failed because memory is lacking, also within a module that it requires. */
static bool help_lacks_memory(lua_State *L, int status)
{
    return status != LUA_OK && lua_type(L, -1) == LUA_TSTRING &&
           strstr(lua_tostring(L, -1), "not enough memory");
}

/* Runs the script of `b` up to its declarations and leaves its result or its error on the stack. A
 * script may fail without arguments, which is no problem here. Returns false, with a problem, if
 * the script cannot be read. */
static bool help_run(struct builder *b, int *status)
{
    bool loaded = script_module_load(b, b->lua_dir, NULL, 0);
    b->unreadable = loaded && luaL_loadfilex(b->L, b->script, "t") != LUA_OK;
    if (loaded && !b->unreadable) {
        *status = lua_pcall(b->L, 0, 1, 0);
        if (!help_lacks_memory(b->L, *status)) return true;
    }
    const char *why = lua_tostring(b->L, -1);
    script_errors_report(b, why ? why : "the script cannot be read");
    return false;
}

/* Runs a script for its arguments, and calls take(). If `declared`, the declarations are on the
 * stack. Otherwise the builder knows which arguments the script has read. */
static int help_ask(struct builder *b, void (*take)(struct builder *, bool declared, void *to),
                    void *to)
{
    int status;
    if (!builder_start(b)) return LEAT_ENOMEM;
    bool readable = help_run(b, &status);
    if (readable) take(b, status != LUA_OK && lua_istable(b->L, -1), to);
    builder_end(b);
    return readable ? LEAT_OK : LEAT_EARG;
}

static void help_print(struct builder *b, bool declared, void *to)
{
    FILE *out = to;
    bool after = help_print_comment(b->script, out);
    if (declared)
        help_print_declared(b->L, after, out);
    else
        help_print_asked(b, after, out);
}

int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out)
{
    struct graph none = {.arena = d->arena, .script = script};
    struct builder b = {.d = d,
                        .g = &none,
                        .script = script,
                        .known = known,
                        .beginning = beginning,
                        .lua_dir = lua_dir,
                        .helps = true};
    return help_ask(&b, help_print, out);
}

void lua_script_comment(const char *script, FILE *out) { help_print_comment(script, out); }

/* ---- the arguments as a list ---- */

static const char *help_copied(struct builder *b, int table, const char *name)
{
    const char *text = help_field(b->L, table, name);
    return text ? arena_strdup(b->g->arena, text) : NULL;
}

static void help_take_argument(struct builder *b, int t, struct declared *to)
{
    const char *operand = help_field(b->L, t, "operand");
    *to = (struct declared){
        .name = help_copied(b, t, "name"),
        .value = help_copied(b, t, "value"),
        .help = help_copied(b, t, "help"),
        .fallback = help_copied(b, t, "default"),
        .title = help_copied(b, t, "title"),
        .operand = !operand                  ? NO_OPERAND
                   : !strcmp(operand, "all") ? ALL_OPERANDS
                                             : ONE_OPERAND,
    };
    lua_getfield(b->L, t, "flag");
    lua_getfield(b->L, t, "required");
    to->is_flag = lua_toboolean(b->L, -2);
    to->is_required = lua_toboolean(b->L, -1);
    lua_pop(b->L, 2);
}

static size_t help_take_declared(struct builder *b, struct declared **list)
{
    lua_State *L = b->L;
    lua_getfield(L, -1, "arguments");
    size_t n = (size_t)lua_rawlen(L, -1);
    *list = arena_alloc(b->g->arena, (n + 1) * sizeof **list);
    for (size_t i = 0; i < n; i++, lua_pop(L, 1)) {
        lua_geti(L, -1, (lua_Integer)i + 1);
        help_take_argument(b, lua_gettop(L), &(*list)[i]);
    }
    lua_pop(L, 1);
    return n;
}

static size_t help_take_asked(struct builder *b, struct declared **list)
{
    script_arguments_note(b);
    *list = arena_alloc(b->g->arena, (b->n_not_given + 1) * sizeof **list);
    for (size_t i = 0; i < b->n_not_given; i++) {
        const char *name = b->not_given[i].key;
        bool is_data = !strcmp(name, "data");
        (*list)[i] = (struct declared){
            .name = name, .value = "TEXT", .operand = is_data ? ALL_OPERANDS : NO_OPERAND};
    }
    return b->n_not_given;
}

static void help_take(struct builder *b, bool declared, void *to)
{
    struct declarations *list = to;
    list->is_whole = declared;
    list->n = declared ? help_take_declared(b, &list->list) : help_take_asked(b, &list->list);
}

int lua_script_arguments(const char *script, const char *lua_dir, struct registry *known,
                         const struct lua_beginning *beginning, struct diag *d,
                         struct declarations *to)
{
    struct graph none = {.arena = d->arena, .script = script};
    struct builder b = {.d = d,
                        .g = &none,
                        .script = script,
                        .known = known,
                        .beginning = beginning,
                        .lua_dir = lua_dir,
                        .helps = true};
    return help_ask(&b, help_take, to);
}
