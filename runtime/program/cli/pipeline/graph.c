/* graph.c -- `leat graph`: a pipeline as text, as a drawing, or as JSON. */
#include "print_pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "core/text/plain_text.h"
#include "host/exec/trial/peek.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/params/params.h"
#include "program/cli/session.h"
#include "program/cli/summary/summary_parts.h"
#include "program/cli/wrap_lines.h"

/* A graph with the facts that are shown with it. */
struct graph_view {
    const struct graph *graph;
    const struct plan *plan; /* NULL: the pipeline has errors, or its input files are missing */
    const json_t *summary;   /* summary of a run; NULL: none */
};

/* ---- facts about a node ---- */

/* ---- files, streams, parameters ---- */

/* Returns the parameter flags of files and streams that a node reads (or writes, unless `reads`).
 * For a source, LEAT_STREAM is an input; for a sink, an output. */
static uint32_t outside(const struct node *n, bool reads)
{
    bool source = n->stage && n->stage->kind == LEAT_SOURCE;
    return (reads ? LEAT_READS_FILE : LEAT_WRITES_FILE) | (source == reads ? LEAT_STREAM : 0u);
}

const char *graph_notes_outside(const struct node *n, bool reads, uint32_t k)
{
    const char *name;
    const uint32_t flags = outside(n, reads);
    for (uint32_t i = 0; n->configured && i < n->stage->n_params; i++)
        for (uint32_t j = 0; n->stage->params[i].flags & flags; j++) {
            if (!(name = params_text(&n->stage->params[i], n->cfg, j))) break;
            if (*name && !k--) return name;
        }
    return NULL;
}

static bool is_outside(const struct node *n, const char *param)
{
    const uint32_t flags = LEAT_READS_FILE | LEAT_WRITES_FILE | LEAT_STREAM;
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        if (!strcmp(n->stage->params[i].name, param)) return n->stage->params[i].flags & flags;
    return false;
}

/* Returns the k-th parameter that differs from its default and names no file or stream, as text in
 * the graph's arena: `budget = "8KB"`. Returns NULL if there are no more. */
static const char *graph_notes_setting(const struct graph_view *v, const struct node *n, uint32_t k)
{
    struct arena *a = v->graph->arena;
    json_t *o = json_object(), *value;
    const char *name, *found = NULL;
    if (n->configured) settings_json_add(n, o, a);
    json_object_foreach(json_object_get(o, "parameters"), name, value)
    {
        if (!json_object_get(json_object_get(o, "defaults"), name) || is_outside(n, name)) continue;
        if (!found && !k--) found = arena_printf(a, "%s = %s", name, json_string_value(value));
    }
    json_decref(o);
    return found;
}

/* ---- threads ---- */

/* Returns the segment that contains the node; NULL if it is unknown. */
static const struct segment *graph_notes_segment(const struct graph_view *v, const struct node *n)
{
    for (uint32_t i = 0; v->plan && i < v->plan->n_segments; i++) {
        const struct segment *s = &v->plan->segment[i];
        for (uint32_t k = 0; k < s->n_nodes; k++)
            if (s->node[k] == n) return s;
        if (s->fork == n || (s->merges && s->at == n)) return s;
    }
    return NULL;
}

/* ---- counts ---- */

/* Returns the object of stage n in the summary; NULL if there is none. */
static const json_t *run_of(const struct graph_view *v, const struct node *n)
{
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(v->summary, "stages"), i, o)
    {
        const char *id = json_string_value(json_object_get(o, "id"));
        if (id && !strcmp(id, n->id)) return o;
    }
    return NULL;
}

static double graph_number(const json_t *o, const char *key)
{
    const json_t *x = json_object_get(o, key);
    return json_is_number(x) && json_number_value(x) >= 0 ? json_number_value(x) : 0;
}

static const char *grouped(const struct graph_view *v, double x)
{
    char text[32];
    size_t n = text_format_grouped(text, x < 1e18 ? (uint64_t)x : (uint64_t)1e18);
    return arena_printf(v->graph->arena, "%.*s", (int)n, text);
}

/* Returns the stage's fraction of the run's work, 0 .. 1; NaN if unknown. */
static double graph_notes_share(const struct graph_view *v, const struct node *n)
{
    size_t i;
    json_t *o;
    double all = 0;
    const json_t *mine = run_of(v, n);
    json_array_foreach(json_object_get(v->summary, "stages"), i, o)
    {
        all += graph_number(o, "seconds");
    }
    return mine && all > 0 ? graph_number(mine, "seconds") / all : (double)NAN;
}

/* Returns "4,000 in, 3,990 out, 10 rejected, 12 % of the work", in the graph's arena; NULL if the
 * summary has no counts. */
static const char *graph_notes_counts(const struct graph_view *v, const struct node *n)
{
    static const char *const rest[] = {"filtered", "rejected", "made"};
    struct arena *a = v->graph->arena;
    const json_t *o = run_of(v, n);
    const double share = graph_notes_share(v, n);
    if (!o) return NULL;
    const char *text = arena_printf(a, "%s in, %s out", grouped(v, graph_number(o, "in")),
                                    grouped(v, graph_number(o, "out")));
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (graph_number(o, rest[i]) > 0)
            text =
                arena_printf(a, "%s, %s %s", text, grouped(v, graph_number(o, rest[i])), rest[i]);
    return isnan(share) ? text : arena_printf(a, "%s, %.1f %% of the work", text, 100 * share);
}

/* Returns the number of records that passed the edge e. If e is the only edge into its target node,
 * this is the target's input. Otherwise, if e is the only edge out of its origin, it is the
 * origin's output. Returns NaN if it is unknown. */
static double passed(const struct graph_view *v, const struct edge *e)
{
    const struct node *from = &v->graph->node[e->from], *to = &v->graph->node[e->to];
    const json_t *after = to->n_in == 1 ? run_of(v, to) : NULL;
    const json_t *before = from->n_out == 1 ? run_of(v, from) : NULL;
    return after ? graph_number(after, "in") : before ? graph_number(before, "out") : (double)NAN;
}

/* Returns passed() as text, such as "3,990"; NULL if it is unknown. */
static const char *graph_notes_passed(const struct graph_view *v, const struct edge *e)
{
    const double n = passed(v, e);
    return isnan(n) ? NULL : grouped(v, n);
}

/* Returns the reason why the summary cannot belong to this graph, in the graph's arena; NULL if it
 * may belong. */
static const char *graph_notes_fault(const struct graph_view *v)
{
    const struct graph *g = v->graph;
    if (!v->summary) return NULL;
    if (!json_is_array(json_object_get(v->summary, "stages")))
        return "this file is not the summary of a run";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        const json_t *o = n->stage ? run_of(v, n) : NULL;
        const char *plugin = json_string_value(json_object_get(o, "plugin"));
        if (n->stage && (!plugin || strcmp(plugin, n->name)))
            return arena_printf(
                g->arena, "this summary is from another pipeline: it has no stage %s", n->label);
    }
    return NULL;
}

/* ---- output as JSON ---- */

static void graph_add_node(const struct graph_view *v, const struct node *n, json_t *to)
{
    static const char *const counts[] = {"in", "out", "filtered", "rejected", "made", "seconds"};
    const struct segment *s = graph_notes_segment(v, n);
    const json_t *run = run_of(v, n);
    settings_json_add(n, to, v->graph->arena);
    if (s) json_object_set_new(to, "thread", json_integer((json_int_t)s->index + 1));
    for (size_t i = 0; run && i < sizeof counts / sizeof *counts; i++)
        if (json_object_get(run, counts[i]))
            json_object_set(to, counts[i], json_object_get(run, counts[i]));
    if (run) json_object_set_new(to, "work", json_real_or_null(graph_notes_share(v, n)));
}

/* Adds the facts of all nodes and edges to the JSON of a graph (print_plan_graph). */
static void graph_notes_add(const struct graph_view *v, json_t *to)
{
    const struct graph *g = v->graph;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        graph_add_node(v, &g->node[i], json_array_get(json_object_get(to, "stages"), i));
    for (uint32_t i = 0; i < g->n_edges && v->summary; i++)
        json_object_set_new(json_array_get(json_object_get(to, "edges"), i), "records",
                            json_figure(passed(v, &g->edge[i])));
}

/* ---- output as text and as dot ---- */

/* Texts from scripts and summaries are escaped. */

enum { WIDTH = 80, LEAST = 24 /* least columns of a parameter, at any indentation */, LINES = 5 };

/* ---- output as text ---- */

/* True if the text can be broken at blanks into lines of at most `width` columns. */
static bool is_breakable(const char *s, size_t n, size_t width)
{
    for (size_t word; n; s += word, n -= word) {
        const char *blank = memchr(s, ' ', n);
        word = blank == s ? 1 : blank ? (size_t)(blank - s) : n;
        if (text_width(s, word) > width) return false;
    }
    return true;
}

/* Prints text below a node, on a few lines. Cuts the middle of longer text. */
static void show_line(const char *s, int indent, FILE *out)
{
    char buf[256], *text = NULL;
    size_t cap = 4 * strlen(s) + 1, len;
    size_t width = WIDTH - indent < LEAST ? LEAST : (size_t)(WIDTH - indent);
    char *plain = memory_take(cap);
    size_t n = plain_text(plain, cap, s);
    FILE *lines = open_memstream(&text, &len);
    if (!lines) memory_lost();
    struct text_out o = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = lines};
    text_pad(&o, (size_t)indent);
    text_shown(&o, plain, n, is_breakable(plain, n, width - 2) ? LINES * width : width);
    text_flush(&o);
    if (fclose(lines)) memory_lost();
    wrap_lines(out, text, (size_t)indent + width);
    free(text);
    free(plain);
}

/* Prints the stage's input and output files and streams after its label. */
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

static void print_graph_text(const struct graph_view *v, FILE *out)
{
    const struct graph *g = v->graph;
    fprintf(out, "%s\n", g->name);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!g->node[i].n_in) show_below(v, &g->node[i], 0, out);
}

/* ---- output as dot ---- */

/* Prints text for dot. Control characters become codes; the two special characters of dot are
 * escaped. */
static void dot_text(const char *s, FILE *out)
{
    size_t cap = 4 * strlen(s) + 1; /* a byte takes at most four characters, such as \x1b */
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

/* Colours a node. More work gives a deeper red. */
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

/* Draws the nodes of one thread in a box. If s is NULL, draws the nodes of unknown threads without
 * a box. */
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

static void print_graph_dot(const struct graph_view *v, FILE *out)
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

static void print_graph_json(const struct graph_view *v, FILE *out)
{
    json_t *o = print_plan_graph(v->graph, false);
    graph_notes_add(v, o);
    json_print(o, JSON_INDENT(2), out);
}

/* ---- `leat graph` ---- */

/* Plans the threads of a run. Does not report problems or missing files, because the graph is
 * printed even if there are some. */
static bool make_plan(struct session *s, struct plan *p)
{
    struct diag draft = {.arena = &s->arena}, unsaid = {.arena = &s->arena};
    if (graph_has_cycle(&s->graph)) return false;
    negotiate(&s->graph, &draft);
    peek_headers(&s->graph, &unsaid);
    negotiate(&s->graph, &unsaid);
    return !unsaid.errors && plan_make(p, &s->graph, &unsaid) == LEAT_OK;
}

/* Reads the file of --summary. Sets *to to NULL if path is NULL. */
static int read_summary(struct graph_view *v, const char *path, json_t **to)
{
    json_error_t error;
    *to = path ? json_load_file(path, JSON_ALLOW_NUL, &error) : NULL;
    if (!path) return LEAT_OK;
    v->summary = *to;
    const char *fault = *to ? graph_notes_fault(v) : error.text;
    if (!fault) return LEAT_OK;
    log_message(LEAT_ERROR, "--summary %s: %s", path, fault);
    return LEAT_EDATA;
}

static int graph_print(const struct graph_view *v, const char *format)
{
    if (!strcmp(format, "text"))
        print_graph_text(v, stdout);
    else if (!strcmp(format, "dot"))
        print_graph_dot(v, stdout);
    else if (!strcmp(format, "json"))
        print_graph_json(v, stdout);
    else {
        plain_text_line(stderr, "leat: --format takes text, dot or json, not %s", format);
        return LEAT_EARG;
    }
    return LEAT_OK;
}

int command_graph(const struct command_line *c)
{
    struct session s;
    struct plan plan = {0};
    json_t *summary = NULL;
    const char *format = c->format ? c->format : c->json ? "json" : "text";
    int status = session_prepare(&s, c, SESSION_LINKED);
    struct graph_view view = {.graph = &s.graph};
    session_print_problems(&s, c);
    if (status == LEAT_OK && make_plan(&s, &plan)) view.plan = &plan;
    if (status == LEAT_OK) status = read_summary(&view, c->summary, &summary);
    if (status == LEAT_OK) status = graph_print(&view, format);
    json_decref(summary);
    session_release(&s);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EDATA ? EXIT_DATA : EXIT_CONFIG;
}
