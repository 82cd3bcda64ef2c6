/* fingerprint.c -- makes fingerprints and lists the differences between two. */
#include "fingerprint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/log/json_text.h"
#include "fingerprint_inside.h"
#include "host/graph/linalg.h"
#include "host/plugin/describe.h"
#include "host/params/param_type.h"
#include "schema_json.h"

/* True if a fingerprint contains the stage: any stage except a sink without a state. */
static bool matters(const struct node *n)
{
    return n->stage && (n->stage->kind != LEAT_SINK || n->stage->state->snapshot);
}

/* True for stages that belong to a model: transforms and learners. */
static bool is_model(const struct node *n)
{
    return n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER;
}

bool fingerprint_lives_alone(const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].type == LEAT_FUNCTION) return false;
    return s->state->restore && (s->kind == LEAT_LEARNER || s->kind == LEAT_TRANSFORM);
}

/* True if a parameter of the layout has its default, which the fingerprint leaves out. */
static bool fingerprint_is_usual(const struct leat_param *p, const char *text)
{
    return p->flags & LEAT_LAYOUT && !strcmp(p->def ? p->def : "{ }", text);
}

static json_t *parameters(const struct graph *g, const struct node *n)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        bool shows = p->type != LEAT_FUNCTION && !(p->flags & LEAT_OPERATIONAL);
        const char *text = shows ? param_show(p, n->cfg, g->arena) : NULL;
        if (text && !fingerprint_is_usual(p, text))
            json_object_set_new(o, p->name, json_text(text));
    }
    return o;
}

/* Returns the names of parameters with the flag LEAT_LAYOUT; NULL if there is none. */
static json_t *fingerprint_layout(const struct node *n)
{
    json_t *names = NULL;
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        if (!(n->stage->params[i].flags & LEAT_LAYOUT)) continue;
        if (!names) names = json_array();
        json_array_append_new(names, json_string(n->stage->params[i].name));
    }
    return names;
}

bool fingerprint_learns(const struct node *n) { return n->stage && is_model(n); }

/* Appends to `all` the nearest transforms and learners upstream of node n, in the order of its
 * inputs. An entry's branch is `branch`, followed by those of the routes on the way. */
static void fingerprint_add_feeders(const struct graph *g, const struct node *n, const char *branch,
                                    json_t *all)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        const struct edge *e = &g->edge[n->in[i]];
        const struct node *from = &g->node[e->from];
        const char *on = branch;
        if (from->kind == NODE_ROUTE)
            on = arena_printf(g->arena, "%s where %s is %s", branch, from->by, e->key);
        if (from->stage && is_model(from))
            json_array_append_new(all,
                                  json_pack("{s:s, s:o}", "id", from->id, "branch", json_text(on)));
        else
            fingerprint_add_feeders(g, from, on, all);
    }
}

/* Returns the lanes that the script asks for. Those that come from `threads` are left out, so that
 * a state has the same bytes with any number of threads. */
static int fingerprint_lanes(const struct node *n) { return n->shares_threads ? 1 : n->lanes; }

static json_t *fingerprint_stage_json(const struct graph *g, const struct node *n)
{
    json_t *after = json_array();
    fingerprint_add_feeders(g, n, "", after);
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "id", n->id, "stage", n->name, "kind",
                  describe_kind(n->stage), "version", (int)n->stage->state->version, "lanes",
                  fingerprint_lanes(n), "after", after, "parameters", parameters(g, n));
    if (n->was) json_object_set_new(o, "was", json_string(n->was));
    json_t *layout = fingerprint_layout(n);
    if (layout) json_object_set_new(o, "layout", layout);
    free_change_note(o, g, n);
    if (fingerprint_lives_alone(n->stage)) {
        json_object_set_new(o, "in", schema_to_json(&n->schema_in));
        json_object_set_new(o, "out", schema_to_json(&n->schema_out));
    }
    return o;
}

static json_t *graph_json(const struct graph *g, int models_only)
{
    json_t *stages = json_array();
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (matters(g->order[i]) && (!models_only || is_model(g->order[i])))
            json_array_append_new(stages, fingerprint_stage_json(g, g->order[i]));
    return json_pack("{s:s, s:I, s:s*, s:o}", "pipeline", g->name, "seed",
                     (json_int_t)g->options.seed, "linalg", linalg_name(g->options.linalg),
                     "stages", stages);
}

json_t *fingerprint_json(const struct graph *g) { return graph_json(g, 0); }

static const char *text_in_arena(const struct graph *g, json_t *o)
{
    char *text = json_dumps(o, JSON_INDENT(1));
    const char *kept = text ? arena_strdup(g->arena, text) : "";
    free(text);
    json_decref(o);
    return kept;
}

const char *fingerprint_make(const struct graph *g)
{
    return text_in_arena(g, fingerprint_json(g));
}

const char *fingerprint_of_models(const struct graph *g)
{
    return text_in_arena(g, graph_json(g, 1));
}

/* ---- what was learned, without the inputs ---- */

static bool fingerprint_is_source(const json_t *stage)
{
    const char *kind = json_string_value(json_object_get(stage, "kind"));
    return kind && !strcmp(kind, "source");
}

void fingerprint_keep_learned(json_t *all)
{
    size_t i;
    json_t *s, *stages = json_object_get(all, "stages");
    json_array_foreach(stages, i, s) { json_object_set_new(s, "lanes", json_integer(1)); }
    for (i = json_array_size(stages); i-- > 0;)
        if (fingerprint_is_source(json_array_get(stages, i))) json_array_remove(stages, i);
}

bool fingerprint_is_layout(const json_t *all, const struct fingerprint_difference *d)
{
    size_t i;
    json_t *name;
    if (!d->id || !d->name) return false;
    json_array_foreach(json_object_get(fingerprint_stage(all, d->id), "layout"), i, name)
    {
        if (!strcmp(json_string_value(name), d->name)) return true;
    }
    return false;
}

const char *fingerprint_of_learned(const struct graph *g)
{
    json_t *all = fingerprint_json(g);
    fingerprint_keep_learned(all);
    return text_in_arena(g, all);
}

/* ---- listing the differences between two fingerprints ---- */

struct reporting {
    fingerprint_report *report;
    void *to;
};

static const char *fingerprint_text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static bool fingerprint_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void compare_fingerprint(const struct reporting *t, const json_t *stage, const char *name,
                                const char *a, const char *b)
{
    const struct fingerprint_difference d = {fingerprint_text_of(stage, "id"),
                                             fingerprint_text_of(stage, "kind"), name, a, b};
    if (!fingerprint_same(a, b)) t->report(t->to, &d);
}

static void compare_parameters(const struct reporting *t, const json_t *a, const json_t *b)
{
    const json_t *in_a = json_object_get(a, "parameters"), *in_b = json_object_get(b, "parameters");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)in_a, key, value)
    {
        compare_fingerprint(t, a, key, json_string_value(value), fingerprint_text_of(in_b, key));
    }
    json_object_foreach((json_t *)in_b, key, value)
    {
        if (!json_object_get(in_a, key))
            compare_fingerprint(t, a, key, NULL, json_string_value(value));
    }
}

const json_t *fingerprint_stage(const json_t *all, const char *id)
{
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(all, "stages"), i,
                       s) if (fingerprint_same(fingerprint_text_of(s, "id"), id)) return s;
    return NULL;
}

struct finding {
    const struct fingerprint_feeders *in;
    json_t *found;
    unsigned left; /* steps left, since a damaged fingerprint may have a cycle */
};

static bool is_passed_over(const struct fingerprint_feeders *f, const json_t *feeder,
                           const char *id)
{
    if (!fingerprint_stage(f->other, id)) return true;
    return f->passes && feeder && f->passes(f->of, f->all, feeder);
}

static void find_feeders(struct finding *f, const json_t *stage, const char *branch)
{
    size_t i;
    json_t *a;
    json_array_foreach(json_object_get(stage, "after"), i, a)
    {
        const char *id = fingerprint_text_of(a, "id"), *on = fingerprint_text_of(a, "branch");
        const json_t *feeder = fingerprint_stage(f->in->all, id);
        json_t *route = json_sprintf("%s%s", on ? on : "", branch);
        if (f->left) f->left--;
        if (!is_passed_over(f->in, feeder, id))
            json_array_append_new(f->found, json_sprintf("%s%s", id, json_string_value(route)));
        else if (f->left)
            find_feeders(f, feeder, json_string_value(route));
        json_decref(route);
    }
}

json_t *fingerprint_inputs(const struct fingerprint_feeders *in, const json_t *stage)
{
    struct finding f = {in, json_array(), 1000};
    find_feeders(&f, stage, "");
    if (!json_array_size(f.found)) json_array_append_new(f.found, json_string("the source"));
    return f.found;
}

static void compare_inputs(const struct reporting *t, const json_t *all_a, const json_t *a,
                           const json_t *all_b, const json_t *b)
{
    if (!json_object_get(a, "after") || !json_object_get(b, "after"))
        return; /* fingerprints of older versions lack it */
    json_t *in_a = fingerprint_inputs(&(struct fingerprint_feeders){all_a, all_b, NULL, NULL}, a);
    json_t *in_b = fingerprint_inputs(&(struct fingerprint_feeders){all_b, all_a, NULL, NULL}, b);
    char *text_a = json_dumps(in_a, 0), *text_b = json_dumps(in_b, 0);
    compare_fingerprint(t, a, "input", text_a, text_b);
    free(text_a);
    free(text_b);
    json_decref(in_a);
    json_decref(in_b);
}

static void compare_seeds(const struct reporting *t, const json_t *a, const json_t *b)
{
    char in_a[24], in_b[24];
    snprintf(in_a, sizeof in_a, "%lld", (long long)json_integer_value(json_object_get(a, "seed")));
    snprintf(in_b, sizeof in_b, "%lld", (long long)json_integer_value(json_object_get(b, "seed")));
    compare_fingerprint(t, NULL, "seed", in_a, in_b);
}

const char *fingerprint_linalg(const json_t *fingerprint)
{
    const char *name = fingerprint_text_of(fingerprint, "linalg");
    return name ? name : "own products";
}

bool fingerprint_is_linalg(const struct fingerprint_difference *d)
{
    return !d->id && fingerprint_same(d->name, "linalg");
}

void fingerprint_differences(const json_t *a, const json_t *b, fingerprint_report *report, void *to)
{
    const struct reporting t = {report, to};
    size_t i;
    json_t *s;
    compare_seeds(&t, a, b);
    compare_fingerprint(&t, NULL, "linalg", fingerprint_linalg(a), fingerprint_linalg(b));
    json_array_foreach(json_object_get(a, "stages"), i, s)
    {
        const json_t *there = fingerprint_stage(b, fingerprint_text_of(s, "id"));
        const char *type = fingerprint_text_of(s, "stage");
        if (!there)
            compare_fingerprint(&t, s, NULL, type, NULL);
        else if (!fingerprint_same(type, fingerprint_text_of(there, "stage")))
            compare_fingerprint(&t, s, "stage", type, fingerprint_text_of(there, "stage"));
        else {
            compare_fingerprint(&t, s, "was", fingerprint_text_of(s, "was"),
                                fingerprint_text_of(there, "was"));
            compare_parameters(&t, s, there);
            compare_inputs(&t, a, s, b, there);
        }
    }
    json_array_foreach(json_object_get(b, "stages"), i, s)
    {
        if (!fingerprint_stage(a, fingerprint_text_of(s, "id")))
            compare_fingerprint(&t, s, NULL, NULL, fingerprint_text_of(s, "stage"));
    }
}

uint32_t fingerprint_stages(const char *json, size_t n, void (*see)(void *to, const char *id),
                            void *to)
{
    json_t *all = json_loadb(json, n, 0, NULL), *s;
    size_t i;
    uint32_t found = 0;
    json_array_foreach(json_object_get(all, "stages"), i, s)
    {
        const char *id = fingerprint_text_of(s, "id");
        if (id && see) see(to, id);
        found += id != NULL;
    }
    json_decref(all);
    return found;
}
