/* describe.c -- describes stages for a terminal; also texts that all descriptions share.
 *
 * All content comes from the tables that plugins declare. This file knows no particular stage. */
#include "describe.h"

#include <stdbool.h>
#include <string.h>

#include "core/text/plain_text.h"
#include "core/report/text_out.h"
#include "host/params/param_type.h"

enum { WIDTH = 90, NAME_WIDTH = 20 };

const char *describe_kind(const struct leat_stage *s)
{
    static const char *const names[] = {NULL, "source", "transform", "learner", "sink"};
    return s->kind <= LEAT_SINK ? names[s->kind] : NULL;
}

bool describe_in_snapshots(const struct leat_stage *s) { return s->state && s->state->snapshot; }

const char *describe_has(uint32_t has, struct arena *a)
{
    static const char *const names[] = {"records", "columns",  "keys",          "event times",
                                        "labels",  "examples", "feature names", "scores"};
    const char *text = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has & 1u << i) text = text ? arena_printf(a, "%s, %s", text, names[i]) : names[i];
    return text;
}

const char *describe_default(const struct leat_param *p, struct arena *a)
{
    if ((p->flags & LEAT_REQUIRED) || !p->def) return NULL;
    union param_cell cell = {.integer = 0};
    struct leat_param at_start = *p;
    at_start.offset = 0;
    return param_default(p, a, &cell) ? NULL : param_show(&at_start, &cell, a);
}

const char *describe_values(const struct leat_param *p, struct arena *a)
{
    const char *name = param_type_name(p->type), *range = param_range(p, a);
    if (p->type == LEAT_CHOICE) return param_choices(p, a);
    if (range) return arena_printf(a, "%s, %s", name, range);
    bool counted = p->unit && (p->type == LEAT_INT || p->type == LEAT_FLOAT);
    return counted ? arena_printf(a, "%s (%s)", name, p->unit) : name;
}

const char *describe_figure(const struct leat_figure *f, struct arena *a)
{
    const char *kind = f->kind == LEAT_COUNTER ? "counter" : "gauge";
    return strcmp(f->unit, "1") ? arena_printf(a, "%s, %s", kind, f->unit) : kind;
}

const char *describe_group(const struct leat_stage *s, struct arena *a)
{
    return arena_strndup(a, s->name, strcspn(s->name, "."));
}

/* Writes the words of one line from column `at` on, wrapped and indented. Returns the column after
 * them. */
static int put_words(FILE *out, const char *s, size_t n, int indent, int at)
{
    const char *end = s + n;
    while (s < end) {
        size_t space = strspn(s, " \t");
        s += space;
        if (s >= end) break;
        size_t word = strcspn(s, " \t\n");
        int wide = (int)text_width(s, word);
        if (at > indent && at + 1 + wide > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(s, 1, word, out);
        at += wide;
        s += word;
    }
    return at;
}

/* Writes a text with its paragraphs filled. Empty lines separate paragraphs. A line that begins
 * with a space, such as a formula, stays as it is. A line that begins with "- " starts an item of a
 * list. */
static void describe_put_text(FILE *out, const char *text, int indent)
{
    int at = 0; /* column of the current line; 0: at its start */
    while (*text) {
        size_t n = strcspn(text, "\n");
        bool verbatim = *text == ' ' || *text == '\t', item = !strncmp(text, "- ", 2);
        if ((verbatim || item || n == 0) && at) {
            fputc('\n', out);
            at = 0;
        }
        if (verbatim)
            fprintf(out, "%*s%.*s\n", indent, "", (int)n, text);
        else if (n == 0)
            fputc('\n', out);
        else if (item)
            at = put_words(out, text + 2, n - 2, indent + 2, fprintf(out, "%*s- ", indent, ""));
        else
            at = put_words(out, text, n, indent, at ? at : fprintf(out, "%*s", indent, ""));
        text += n + (text[n] == '\n');
    }
    if (at) fputc('\n', out);
}

/* Writes code with each line indented and otherwise unchanged. */
static void describe_put_code(FILE *out, const char *text, int indent)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        fprintf(out, "%*s%.*s\n", n ? indent : 0, "", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void describe_put_param(FILE *out, const struct leat_param *p, struct arena *a)
{
    const char *def = describe_default(p, a);
    fprintf(out, "    %-*s %s", NAME_WIDTH - 4, p->name, describe_values(p, a));
    if (p->flags & LEAT_REQUIRED)
        fputs("; required", out);
    else if (def)
        fprintf(out, "; default %s", def);
    fputs(p->flags & LEAT_POSITIONAL ? "; also unnamed\n" : "\n", out);
    if (p->doc && *p->doc) describe_put_text(out, p->doc, NAME_WIDTH + 1);
}

static void describe_put_params(FILE *out, const struct leat_stage *s, uint32_t advanced,
                                const char *title, struct arena *a)
{
    bool any = false;
    for (uint32_t i = 0; i < s->n_params; i++) {
        if ((s->params[i].flags & LEAT_ADVANCED) != advanced) continue;
        if (!any) fprintf(out, "\n  %s\n", title);
        any = true;
        describe_put_param(out, &s->params[i], a);
    }
}

static void describe_put_line(FILE *out, const char *name, const char *unit, const char *doc)
{
    int at = fprintf(out, "    %-*s ", NAME_WIDTH - 4, name);
    if (unit) at += fprintf(out, "%s:", unit);
    put_words(out, doc, strlen(doc), NAME_WIDTH + 1, at);
    fputc('\n', out);
}

static void describe_put_reasons(FILE *out, const struct leat_stage *s)
{
    if (s->n_reasons) fputs("\n  reasons of this stage for rejecting records\n", out);
    for (uint32_t i = 0; i < s->n_reasons; i++)
        describe_put_line(out, s->reasons[i].word, NULL, s->reasons[i].doc);
}

static void describe_put_figures(FILE *out, const struct leat_stage *s, struct arena *a)
{
    if (s->n_figures) fputs("\n  figures\n", out);
    for (uint32_t i = 0; i < s->n_figures; i++)
        describe_put_line(out, s->figures[i].name, describe_figure(&s->figures[i], a),
                          s->figures[i].doc);
}

/* Writes the lines about input, output, lanes and state. */
static void describe_put_flow(FILE *out, const struct leat_stage *s, struct arena *a)
{
    const char *needs = describe_has(s->needs, a), *makes = describe_has(s->makes, a);
    if (needs || makes || describe_in_snapshots(s) || s->caps & LEAT_PARALLEL) fputc('\n', out);
    if (needs) fprintf(out, "  needs   %s\n", needs);
    if (makes) fprintf(out, "  makes   %s\n", makes);
    if (s->caps & LEAT_PARALLEL) fprintf(out, "  lanes   may run in several (lanes = N)\n");
    if (describe_in_snapshots(s)) fprintf(out, "  state   kept in snapshots\n");
}

static void put_origin(FILE *out, const struct stage_type *t)
{
    const struct leat_plugin *p = t->plugin;
    if (!p) return;
    fprintf(out, "\n  plugin  %s", p->name);
    if (p->version) fprintf(out, " %s", p->version);
    if (p->license) fprintf(out, " (%s)", p->license);
    fprintf(out, "%s%s\n  file    %s\n", p->summary ? ": " : "", p->summary ? p->summary : "",
            t->file ? t->file : "part of leat itself");
}

void describe_stage(const struct stage_type *t, FILE *out)
{
    const struct leat_stage *s = t->stage;
    const char *kind = describe_kind(s);
    struct arena a = {0};
    fprintf(out, "%s%s%s%s\n", s->name, kind ? " (" : "", kind ? kind : "", kind ? ")" : "");
    if (s->summary) describe_put_text(out, s->summary, 2);
    if (s->doc) {
        fputc('\n', out);
        describe_put_text(out, s->doc, 2);
    }
    describe_put_flow(out, s, &a);
    describe_put_params(out, s, 0, "parameters", &a);
    describe_put_params(out, s, LEAT_ADVANCED, "advanced parameters", &a);
    describe_put_reasons(out, s);
    describe_put_figures(out, s, &a);
    if (s->example) {
        fputs("\n  example\n", out);
        describe_put_code(out, s->example, 4);
    }
    put_origin(out, t);
    arena_free(&a);
}

void describe_list(const struct registry *r, FILE *out)
{
    struct arena a = {0};
    const char *group = "";
    for (size_t i = 0; i < r->n; i++) {
        const struct leat_stage *s = r->type[i]->stage;
        const char *this_group = describe_group(s, &a);
        if (i && strcmp(group, this_group)) fputc('\n', out);
        group = this_group;
        plain_text_line(out, "%-*s %s", NAME_WIDTH, s->name, s->summary ? s->summary : "");
    }
    fprintf(out, "\n%zu stages; 'leat plugins NAME' describes one\n", r->n);
    if (r->refused) plain_text_line(out, "refused: %s", r->refused);
    arena_free(&a);
}
