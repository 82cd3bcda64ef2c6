/* describe_markdown.c -- writes the manual's page of all stages from their declarations.
 *
 * Texts of plugins are plain text. Characters that Markdown would treat as markup are escaped,
 * except in code between two backticks. Lines that begin with a space become code blocks. */
#include "describe.h"

#include <stdbool.h>
#include <string.h>

#include "host/params/param_type.h"
#include "host/plugin/docs.h"

/* Writes code between backticks. Nothing in it is markup, but in a table cell (`cell`) a bar must
 * be escaped. */
static void describe_markdown_put_code(FILE *out, const char *s, size_t n, bool cell)
{
    fputc('`', out);
    for (size_t i = 0; i < n; i++) {
        if (cell && s[i] == '|') fputc('\\', out);
        fputc(s[i] == '`' ? '\'' : s[i], out);
    }
    fputc('`', out);
}

/* Returns the length of the code at s, up to the closing backtick; n if there is no such backtick.
 * The opening backtick is before s. */
static size_t span_of_code(const char *s, size_t n)
{
    const char *end = memchr(s, '`', n);
    return end ? (size_t)(end - s) : n;
}

/* Writes text with Markdown's markup escaped. `cell`: the text is in a table cell, where a line end
 * would end the row. */
static void put_escaped(FILE *out, const char *s, size_t n, bool cell)
{
    for (size_t i = 0; i < n; i++) {
        size_t left = n - i - 1, code = s[i] == '`' ? span_of_code(s + i + 1, left) : left;
        if (code < left) {
            describe_markdown_put_code(out, s + i + 1, code, cell);
            i += code + 1;
            continue;
        }
        if (strchr("\\`*_[]<>|", s[i])) fputc('\\', out);
        fputc(cell && s[i] == '\n' ? ' ' : s[i], out);
    }
}

/* Writes the gap between two lines: nothing, an empty line, or the start or end of a code block. */
static void put_gap(FILE *out, bool was_code, bool is_code, bool empty_lines)
{
    if (was_code && !is_code)
        fputs("```\n\n", out);
    else if (is_code && !was_code)
        fputs("\n```\n", out);
    else if (empty_lines)
        fputc('\n', out);
}

/* Writes paragraphs. Indented lines become code blocks. */
static void describe_markdown_put_text(FILE *out, const char *text)
{
    bool in_code = false, empty_lines = false;
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (n == 0) {
            empty_lines = true;
            continue;
        }
        bool code = *text == ' ' || *text == '\t';
        put_gap(out, in_code, code, empty_lines);
        in_code = code;
        empty_lines = false;
        if (code)
            fwrite(text, 1, n, out);
        else
            put_escaped(out, text, n, false);
        fputc('\n', out);
    }
    if (in_code) fputs("```\n", out);
}

static void describe_markdown_put_param(FILE *out, const struct leat_param *p, struct arena *a)
{
    const char *def = describe_default(p, a), *values = describe_values(p, a);
    fputs("| ", out);
    describe_markdown_put_code(out, p->name, strlen(p->name), true);
    fputs(" | ", out);
    put_escaped(out, values, strlen(values), true);
    fputs(" | ", out);
    if (p->flags & LEAT_REQUIRED)
        fputs("required", out);
    else if (def)
        describe_markdown_put_code(out, def, strlen(def), true);
    fputs(" | ", out);
    if (p->doc) put_escaped(out, p->doc, strlen(p->doc), true);
    fputs(p->flags & LEAT_POSITIONAL ? " (also unnamed) |\n" : " |\n", out);
}

static void describe_markdown_put_params(FILE *out, const struct leat_stage *s, struct arena *a)
{
    if (!s->n_params) return;
    fputs("\n| parameter | takes | default | |\n| --- | --- | --- | --- |\n", out);
    for (uint32_t advanced = 0; advanced <= LEAT_ADVANCED; advanced += LEAT_ADVANCED)
        for (uint32_t i = 0; i < s->n_params; i++)
            if ((s->params[i].flags & LEAT_ADVANCED) == advanced)
                describe_markdown_put_param(out, &s->params[i], a);
}

/* Writes the table row | `name` | unit | doc | */
static void describe_markdown_put_row(FILE *out, const char *name, const char *unit,
                                      const char *doc)
{
    fputs("| ", out);
    describe_markdown_put_code(out, name, strlen(name), true);
    if (unit) fprintf(out, " | %s", unit);
    fputs(" | ", out);
    put_escaped(out, doc, strlen(doc), true);
    fputs(" |\n", out);
}

static void describe_markdown_put_reasons(FILE *out, const struct leat_stage *s)
{
    if (s->n_reasons) fputs("\n| reason for rejecting a record | |\n| --- | --- |\n", out);
    for (uint32_t i = 0; i < s->n_reasons; i++)
        describe_markdown_put_row(out, s->reasons[i].word, NULL, s->reasons[i].doc);
}

static void describe_markdown_put_figures(FILE *out, const struct leat_stage *s, struct arena *a)
{
    if (s->n_figures) fputs("\n| figure | | |\n| --- | --- | --- |\n", out);
    for (uint32_t i = 0; i < s->n_figures; i++)
        describe_markdown_put_row(out, s->figures[i].name, describe_figure(&s->figures[i], a),
                                  s->figures[i].doc);
}

static void describe_markdown_put_flow(FILE *out, const struct leat_stage *s, struct arena *a)
{
    const char *needs = describe_has(s->needs, a), *makes = describe_has(s->makes, a);
    const char *kind = describe_kind(s);
    if (!kind) return;
    fprintf(out, "\n*%s*", kind);
    if (needs) fprintf(out, " · needs %s", needs);
    if (makes) fprintf(out, " · makes %s", makes);
    fputs(s->caps & LEAT_PARALLEL ? " · may run in lanes\n" : "\n", out);
}

static void describe_markdown_put_stage(FILE *out, const struct leat_stage *s, struct arena *a)
{
    fprintf(out, "\n### %s\n\n", s->name);
    if (s->summary) {
        fputs("**", out);
        put_escaped(out, s->summary, strlen(s->summary), true);
        fputs("**\n", out);
    }
    describe_markdown_put_flow(out, s, a);
    if (s->doc) {
        fputc('\n', out);
        describe_markdown_put_text(out, s->doc);
    }
    if (s->example) {
        size_t n = strlen(s->example);
        fprintf(out, "\n```lua\n%s%s```\n", s->example, n && s->example[n - 1] == '\n' ? "" : "\n");
    }
    describe_markdown_put_params(out, s, a);
    describe_markdown_put_reasons(out, s);
    describe_markdown_put_figures(out, s, a);
}

/* Groups and their headings, in the order of a stream. Other groups follow under "Others". */
static const char *const groups[][2] = {{"source", "Sources"},       {"parse", "Parsers"},
                                        {"label", "Labels"},         {"feature", "Features"},
                                        {"lua", "Functions in Lua"}, {"learn", "Learners"},
                                        {"sink", "Sinks"},           {"eval", "Evaluation"}};
enum { N_GROUPS = sizeof groups / sizeof *groups };

static size_t group_index(const char *group)
{
    size_t i = 0;
    while (i < N_GROUPS && strcmp(groups[i][0], group))
        i++;
    return i;
}

/* Writes the stages of group number g. If g is N_GROUPS, writes the stages of all groups that
 * `groups` does not list. */
static void describe_markdown_put_group(const struct registry *r, size_t g, FILE *out,
                                        struct arena *a)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct leat_stage *s = r->type[i]->stage;
        if (group_index(describe_group(s, a)) != g) continue;
        if (!any) fprintf(out, "\n## %s\n", g < N_GROUPS ? groups[g][1] : "Others");
        any = true;
        describe_markdown_put_stage(out, s, a);
    }
}

void describe_markdown(const struct registry *r, FILE *out)
{
    struct arena a = {0};
    fprintf(out, "%s\n", stages_intro_doc);
    for (size_t g = 0; g <= N_GROUPS; g++)
        describe_markdown_put_group(r, g, out, &a);
    arena_free(&a);
}

void describe_stage_markdown(const struct stage_type *t, FILE *out)
{
    struct arena a = {0};
    describe_markdown_put_stage(out, t->stage, &a);
    arena_free(&a);
}
