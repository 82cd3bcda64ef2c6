/* graph_notes.c -- see graph_notes.h. */
#include "graph_notes.h"

#include <math.h>
#include <string.h>

#include "host/log/json_text.h"
#include "program/cli/summary/settings_json.h"
#include "host/plugin/params.h"
#include "core/report/text_out.h"

/* ---- files, streams, parameters ---- */

/* Which files and streams a node reads, or writes. A stream is read by a source. */
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

const char *graph_notes_setting(const struct graph_view *v, const struct node *n, uint32_t k)
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

const struct segment *graph_notes_segment(const struct graph_view *v, const struct node *n)
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

/* The summary's object of a stage; NULL: it has none. */
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

static double number(const json_t *o, const char *key)
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

double graph_notes_share(const struct graph_view *v, const struct node *n)
{
    size_t i;
    json_t *o;
    double all = 0;
    const json_t *mine = run_of(v, n);
    json_array_foreach(json_object_get(v->summary, "stages"), i, o) { all += number(o, "seconds"); }
    return mine && all > 0 ? number(mine, "seconds") / all : (double)NAN;
}

const char *graph_notes_counts(const struct graph_view *v, const struct node *n)
{
    static const char *const rest[] = {"filtered", "rejected", "made"};
    struct arena *a = v->graph->arena;
    const json_t *o = run_of(v, n);
    const double share = graph_notes_share(v, n);
    if (!o) return NULL;
    const char *text =
        arena_printf(a, "%s in, %s out", grouped(v, number(o, "in")), grouped(v, number(o, "out")));
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (number(o, rest[i]) > 0)
            text = arena_printf(a, "%s, %s %s", text, grouped(v, number(o, rest[i])), rest[i]);
    return isnan(share) ? text : arena_printf(a, "%s, %.1f %% of the work", text, 100 * share);
}

/* What comes to a stage that one edge leads to; else what the one before gives; NaN: neither. */
static double passed(const struct graph_view *v, const struct edge *e)
{
    const struct node *from = &v->graph->node[e->from], *to = &v->graph->node[e->to];
    const json_t *after = to->n_in == 1 ? run_of(v, to) : NULL;
    const json_t *before = from->n_out == 1 ? run_of(v, from) : NULL;
    return after ? number(after, "in") : before ? number(before, "out") : (double)NAN;
}

const char *graph_notes_passed(const struct graph_view *v, const struct edge *e)
{
    const double n = passed(v, e);
    return isnan(n) ? NULL : grouped(v, n);
}

const char *graph_notes_fault(const struct graph_view *v)
{
    const struct graph *g = v->graph;
    if (!v->summary) return NULL;
    if (!json_is_array(json_object_get(v->summary, "stages"))) return "it is no summary of a run";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        const json_t *o = n->stage ? run_of(v, n) : NULL;
        const char *plugin = json_string_value(json_object_get(o, "plugin"));
        if (n->stage && (!plugin || strcmp(plugin, n->name)))
            return arena_printf(g->arena, "it is of another pipeline: it has no %s", n->label);
    }
    return NULL;
}

/* ---- as JSON ---- */

static void add_node(const struct graph_view *v, const struct node *n, json_t *to)
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

void graph_notes_add(const struct graph_view *v, json_t *to)
{
    const struct graph *g = v->graph;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        add_node(v, &g->node[i], json_array_get(json_object_get(to, "stages"), i));
    for (uint32_t i = 0; i < g->n_edges && v->summary; i++)
        json_object_set_new(json_array_get(json_object_get(to, "edges"), i), "records",
                            json_figure(passed(v, &g->edge[i])));
}
