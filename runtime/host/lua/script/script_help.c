/* script_help.c -- see script_help.h. */
#include "script_help.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include <leat/plugin.h>

#include "core/text/plain_text.h"
#include "builder_inside.h"
#include "script_arguments.h"
#include "script_errors.h"
#include "script_module.h"

enum { LINE_BYTES = 4096 };

/* The next line of the comment --- at the head of the script; NULL: it is over. `any`: has a line
 * been read? */
static const char *next_of_comment(FILE *f, char line[LINE_BYTES], bool any)
{
    while (f && fgets(line, LINE_BYTES, f)) {
        line[strcspn(line, "\r\n")] = 0;
        bool says = !strncmp(line, "---", 3), other = !strncmp(line, "--", 2) || *line == '#';
        if (says) return line + 3 + (line[3] == ' ');
        if (any || !(other || !*line)) return NULL;
    }
    return NULL;
}

/* false: the script has none. */
static bool print_comment(const char *script, FILE *out)
{
    char line[LINE_BYTES];
    const char *text;
    bool any = false;
    FILE *f = fopen(script, "r");
    while ((text = next_of_comment(f, line, any))) {
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
    while ((next = next_of_comment(f, line, n > 0)) && *next && n < cap)
        n += (size_t)snprintf(text + n, cap - n, "%s%s", n ? " " : "", next);
    if (f) fclose(f);
}

static const char *field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const char *text = lua_tostring(L, -1); /* the table keeps it */
    lua_pop(L, 1);
    return text;
}

static int longest_name(lua_State *L, int list)
{
    size_t longest = 0;
    for (lua_Integer i = 1; lua_geti(L, list, i) == LUA_TTABLE; lua_pop(L, 1), i++)
        if (strlen(field(L, lua_gettop(L), "name")) > longest)
            longest = strlen(field(L, lua_gettop(L), "name"));
    lua_pop(L, 1);
    return (int)longest;
}

/* Of what leat.arguments raised: { arguments = { { name, values, help }, … } }. */
static void print_declared(lua_State *L, bool after, FILE *out)
{
    lua_getfield(L, -1, "arguments");
    int list = lua_gettop(L), width = longest_name(L, list);
    fprintf(out, "%sarguments (--set NAME=VALUE)\n", after ? "\n" : "");
    for (lua_Integer i = 1; lua_geti(L, list, i) == LUA_TTABLE; lua_pop(L, 1), i++) {
        int t = lua_gettop(L);
        const char *help = field(L, t, "help");
        plain_text_line(out, "  %-*s  %s", width, field(L, t, "name"), field(L, t, "values"));
        if (help) plain_text_line(out, "  %*s  %s", width, "", help);
    }
    lua_pop(L, 2);
}

static void print_asked(struct builder *b, bool after, FILE *out)
{
    script_arguments_note(b);
    if (after) return;
    if (!b->n_not_given) fputs("the script takes no arguments\n", out);
    if (b->n_not_given) fputs("arguments that the script reads (--set NAME=VALUE)\n", out);
    for (size_t i = 0; i < b->n_not_given; i++)
        plain_text_line(out, "  %s", b->not_given[i].key);
}

int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out)
{
    struct graph none = {.arena = d->arena, .script = script};
    struct builder b = {.g = &none,
                        .d = d,
                        .script = script,
                        .known = known,
                        .beginning = beginning,
                        .lua_dir = lua_dir,
                        .helps = true};
    if (!builder_start(&b)) return LEAT_ENOMEM;
    lua_State *L = b.L;
    bool loaded = script_module_load(&b, lua_dir, NULL, 0);
    b.unreadable = loaded && luaL_loadfilex(L, script, "t") != LUA_OK;
    bool readable = loaded && !b.unreadable;
    if (!readable) {
        const char *why = lua_tostring(L, -1);
        script_errors_report(&b, why ? why : "the script cannot be read");
    } else {
        int status = lua_pcall(L, 0, 1, 0); /* whether it works without arguments or not */
        bool after = print_comment(script, out);
        if (status != LUA_OK && lua_istable(L, -1))
            print_declared(L, after, out);
        else
            print_asked(&b, after, out);
    }
    builder_end(&b);
    return readable ? LEAT_OK : LEAT_EARG;
}
