/* print_graph.c -- see print_graph.h. Texts are of scripts and summaries: they are escaped. */
#include "print_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "core/text/plain_text.h"
#include "program/cli/wrap_lines.h"
#include "print_plan.h"
#include "core/report/text_out.h"

enum { WIDTH = 80, LEAST = 24 /* columns of a parameter, however far it is indented */, LINES = 5 };

/* ---- for people ---- */

static int drain(void *to, const char *bytes, size_t n) { return fwrite(bytes, 1, n, to) != n; }

/* Can lines be broken so that none is wider? */
static bool is_breakable(const char *s, size_t n, size_t width)
{
    for (size_t word; n; s += word, n -= word) {
        const char *blank = memchr(s, ' ', n);
        word = blank == s ? 1 : blank ? (size_t)(blank - s) : n;
        if (text_width(s, word) > width) return false;
    }
    return true;
}

/* A line of its own below a node, or a few: the middle is left out of what is too long for that. */
static void show_line(const char *s, int indent, FILE *out)
{
    char buf[256], *text = NULL;
    size_t cap = 4 * strlen(s) + 1, len;
    size_t width = WIDTH - indent < LEAST ? LEAST : (size_t)(WIDTH - indent);
    char *plain = memory_take(cap);
    size_t n = plain_text(plain, cap, s);
    FILE *lines = open_memstream(&text, &len);
    if (lines) {
        struct text_out o = {.buf = buf, .cap = sizeof buf, .drain = drain, .to = lines};
        text_pad(&o, (size_t)indent);
        text_shown(&o, plain, n, is_breakable(plain, n, width - 2) ? LINES * width : width);
        text_flush(&o);
        if (!fclose(lines)) wrap_lines(out, text, (size_t)indent + width);
        free(text);
    }
    free(plain);
}

/* After the label, if there is anything: what the stage reads or writes. */
static void show_outside(const struct node *n, FILE *out)
{
    const char *name;
    int many = 0;
    for (int writes = 0; writes < 2; writes++)
        for (uint32_t k = 0; (name = graph_notes_outside(n, !writes, k)); k++) {
            fputs(many++ ? ", " : ": ", out);
            plain_text_print(out, name);
        }
}

static void show_thread(const struct segment *s, FILE *out)
{
    if (!s) return;
    fprintf(out, "  [thread %u", (unsigned)s->index + 1);
    if (s->lanes > 1) fprintf(out, ", %u lanes", (unsigned)s->lanes);
    fputc(']', out);
}

static void show_node(const struct graph_view *v, const struct node *n, int indent, FILE *out)
{
    const char *line;
    fprintf(out, "%s", n->label);
    show_outside(n, out);
    show_thread(graph_notes_segment(v, n), out);
    fputc('\n', out);
    for (uint32_t k = 0; (line = graph_notes_setting(v, n, k)); k++)
        show_line(line, indent, out);
    if ((line = graph_notes_counts(v, n))) show_line(line, indent, out);
}

static void show_below(const struct graph_view *v, const struct node *n, int depth, FILE *out)
{
    const struct graph *g = v->graph;
    show_node(v, n, 2 * depth + 5, out);
    for (uint32_t j = 0; j < n->n_out; j++) {
        const struct edge *e = &g->edge[n->out[j]];
        int branch = n->n_out > 1;
        fprintf(out, "%*s%s", 2 * (depth + branch), "", branch ? "+- " : "-> ");
        if (e->key) {
            fputc('[', out);
            plain_text_print(out, e->key);
            fputs("] ", out);
        }
        const struct node *to = &g->node[e->to];
        if (to->n_in > 1 && to->in[0] != n->out[j])
            fprintf(out, "%s (above)\n", to->id);
        else
            show_below(v, to, depth + 2 * branch, out);
    }
}

void print_graph_text(const struct graph_view *v, FILE *out)
{
    const struct graph *g = v->graph;
    fprintf(out, "%s\n", g->name);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!g->node[i].n_in) show_below(v, &g->node[i], 0, out);
}

/* ---- for dot ---- */

/* What dot and what a terminal would act on is shown; dot knows two escapes of its own. */
static void dot_text(const char *s, FILE *out)
{
    size_t cap = 4 * strlen(s) + 1; /* a byte is shown as \x1b at most */
    char *plain = memory_take(cap);
    plain_text(plain, cap, s);
    for (const char *p = plain; *p; p++) {
        if (*p == '"' || *p == '\\') fputc('\\', out);
        fputc(*p, out);
    }
    free(plain);
}

static void dot_quoted(const char *before, const char *s, FILE *out)
{
    fprintf(out, "%s\"", before);
    dot_text(s, out);
    fputc('"', out);
}

static void dot_line(const char *s, FILE *out)
{
    fputs("\\n", out);
    dot_text(s, out);
}

/* The redder, the more of the work is done there. */
static void dot_colour(double share, FILE *out)
{
    if (!isnan(share)) fprintf(out, ", style=filled, fillcolor=\"0.000 %.3f 1.000\"", share);
}

static void dot_node(const struct graph_view *v, const struct node *n, FILE *out)
{
    const char *line;
    dot_quoted("  ", n->id, out);
    fputs(" [label=\"", out);
    dot_text(n->label, out);
    for (int writes = 0; writes < 2; writes++)
        for (uint32_t k = 0; (line = graph_notes_outside(n, !writes, k)); k++)
            dot_line(line, out);
    for (uint32_t k = 0; (line = graph_notes_setting(v, n, k)); k++)
        dot_line(line, out);
    if ((line = graph_notes_counts(v, n))) dot_line(line, out);
    fprintf(out, "\"%s", n->stage ? "" : ", shape=diamond");
    dot_colour(graph_notes_share(v, n), out);
    fputs("];\n", out);
}

/* Nodes that share a thread stand in one box; `s` NULL: those of which none is known. */
static void dot_thread(const struct graph_view *v, const struct segment *s, FILE *out)
{
    if (s)
        fprintf(out, "  subgraph cluster_%u { label=\"thread %u%s\"; color=grey;\n",
                (unsigned)s->index + 1, (unsigned)s->index + 1, s->lanes > 1 ? " (lanes)" : "");
    for (uint32_t i = 0; i < v->graph->n_nodes; i++)
        if (graph_notes_segment(v, &v->graph->node[i]) == s) dot_node(v, &v->graph->node[i], out);
    if (s) fputs("  }\n", out);
}

static void dot_edge(const struct graph_view *v, const struct edge *e, FILE *out)
{
    const char *passed = graph_notes_passed(v, e);
    dot_quoted("  ", v->graph->node[e->from].id, out);
    dot_quoted(" -> ", v->graph->node[e->to].id, out);
    if (e->key || passed) fputs(" [label=\"", out);
    if (e->key) dot_text(e->key, out);
    if (e->key && passed) fputs("\\n", out);
    if (passed) dot_text(passed, out);
    if (e->key || passed) fputs("\"]", out);
    fputs(";\n", out);
}

void print_graph_dot(const struct graph_view *v, FILE *out)
{
    dot_quoted("digraph ", v->graph->name, out);
    fputs(" {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\"];\n", out);
    for (uint32_t i = 0; v->plan && i < v->plan->n_segments; i++)
        dot_thread(v, &v->plan->segment[i], out);
    dot_thread(v, NULL, out);
    for (uint32_t i = 0; i < v->graph->n_edges; i++)
        dot_edge(v, &v->graph->edge[i], out);
    fputs("}\n", out);
}

void print_graph_json(const struct graph_view *v, FILE *out)
{
    json_t *o = print_plan_graph(v->graph, false);
    graph_notes_add(v, o);
    json_print(o, JSON_INDENT(2), out);
}
