/* describe_lua.c -- describes stages as annotations for the Lua language server.
 *
 * Each stage is a function that takes a table. The fields of the table are the stage's parameters,
 * with their types and documentation. */
#include "describe.h"

#include <stdbool.h>
#include <string.h>

#include "host/params/param_type.h"

/* Writes a text as part of a comment line; line ends become spaces. */
static void describe_lua_put_line(FILE *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputc((unsigned char)s[i] < ' ' ? ' ' : s[i], out);
}

/* Writes a text of several lines, with --- before each. */
static void put_comment(FILE *out, const char *text)
{
    for (size_t n; text && *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        fputs("---", out);
        describe_lua_put_line(out, text, n);
        fputc('\n', out);
    }
}

static void put_choices(FILE *out, const struct leat_param *p)
{
    for (size_t i = 0; p->choices[i]; i++)
        fprintf(out, "%s'\"%s\"'", i ? "|" : "", p->choices[i]);
}

static void put_type(FILE *out, const struct leat_param *p)
{
    static const char *const types[] = {[LEAT_BOOL] = "boolean",
                                        [LEAT_INT] = "integer|string",
                                        [LEAT_FLOAT] = "number|string",
                                        [LEAT_STRING] = "string",
                                        [LEAT_PATH] = "string",
                                        [LEAT_SIZE] = "integer|string",
                                        [LEAT_DURATION] = "number|string",
                                        [LEAT_INTERVAL] = "number|string",
                                        [LEAT_STRINGS] = "string[]|string",
                                        [LEAT_FUNCTION] = "function"};
    if (p->type == LEAT_CHOICE)
        put_choices(out, p);
    else if (p->flags & LEAT_KEYED)
        fputs("string|table<integer|string, integer|string|table>", out);
    else
        fputs(p->type < sizeof types / sizeof *types && types[p->type] ? types[p->type] : "any",
              out);
}

/* Writes a parameter's annotation: ---@field name? type # range; default "x": documentation */
static void put_field(FILE *out, const struct leat_param *p, struct arena *a)
{
    const char *values = describe_values(p, a), *def = describe_default(p, a);
    fprintf(out, "---@field %s%s ", p->name, p->flags & LEAT_REQUIRED ? "" : "?");
    put_type(out, p);
    fputs(" # ", out);
    if (p->type != LEAT_CHOICE) describe_lua_put_line(out, values, strlen(values));
    if (def) fprintf(out, "%sdefault %s", p->type == LEAT_CHOICE ? "" : "; ", def);
    if (p->flags & LEAT_REQUIRED) fputs("; required", out);
    if (p->doc) fputs(": ", out), describe_lua_put_line(out, p->doc, strlen(p->doc));
    fputc('\n', out);
}

static bool has_positional(const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & LEAT_POSITIONAL) return true;
    return false;
}

static void describe_lua_put_stage(FILE *out, const struct leat_stage *s, struct arena *a)
{
    fprintf(out,
            "\n---@class leat.args.%s\n---@field id? string # name of this stage\n"
            "---@field was? string # its id in earlier snapshots\n",
            s->name);
    if (s->caps & LEAT_PARALLEL)
        fputs("---@field lanes? integer # how many run at the same time\n", out);
    if (has_positional(s)) fputs("---@field [integer] any\n", out);
    for (uint32_t i = 0; i < s->n_params; i++)
        put_field(out, &s->params[i], a);
}

/* Writes the class of the group whose stages are r->type[from .. to), which are sorted by name.
 * Each stage is a function of the class. */
static void describe_lua_put_group(FILE *out, const struct registry *r, size_t from, size_t to,
                                   struct arena *a)
{
    const char *group = describe_group(r->type[from]->stage, a);
    fprintf(out, "\n---@class leat.group.%s\nlocal %s = {}\n", group, group);
    for (size_t i = from; i < to; i++) {
        const struct leat_stage *s = r->type[i]->stage;
        fputc('\n', out);
        put_comment(out, s->summary);
        put_comment(out, s->doc && *s->doc ? "\n" : NULL);
        put_comment(out, s->doc);
        fprintf(out,
                "---@param args? leat.args.%s\n---@return leat.stage\nfunction %s.%s(args) end\n",
                s->name, group, s->name + strlen(group) + 1);
    }
}

static bool is_function(const char *group)
{
    return !strcmp(group, "label") || !strcmp(group, "lua");
}

void describe_lua(const struct registry *r, FILE *out)
{
    struct arena a = {0};
    fputs("---@meta\n-- The stages of leat, for editors: made by `leat plugins --lua`.\n\n"
          "---@class leat.stage\n",
          out);
    for (size_t i = 0; i < r->n; i++)
        describe_lua_put_stage(out, r->type[i]->stage, &a);
    fputs("\n---@class leat\n", out);
    for (size_t i = 0, from = 0; i < r->n; from = i) {
        const char *group = describe_group(r->type[from]->stage, &a);
        while (i < r->n && !strcmp(group, describe_group(r->type[i]->stage, &a)))
            i++;
        if (!is_function(group)) fprintf(out, "---@field %s leat.group.%s\n", group, group);
        if (!strcmp(group, "label"))
            fputs("---@field label leat.group.label|fun(fn: function, columns: string[], "
                  "options?: table): "
                  "leat.stage\n",
                  out);
    }
    fputs("local leat = {}\n", out);
    for (size_t i = 0, from = 0; i < r->n; from = i) {
        const char *group = describe_group(r->type[from]->stage, &a);
        while (i < r->n && !strcmp(group, describe_group(r->type[i]->stage, &a)))
            i++;
        describe_lua_put_group(out, r, from, i, &a);
    }
    arena_free(&a);
}

void describe_stage_lua(const struct stage_type *t, FILE *out)
{
    struct arena a = {0};
    fputs("---@meta\n", out);
    describe_lua_put_stage(out, t->stage, &a);
    arena_free(&a);
}
