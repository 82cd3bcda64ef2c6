/* frozen.c -- implementation of frozen.h: finds the stages of a model, and makes them again. */
#include "frozen.h"

#include <string.h>

#include "host/checkpoint/instance_state.h"
#include "host/params/param_type.h"

/* ---- the stages ---- */

/* Returns the declaration of a stage; NULL after a message if no plugin has it. */
static const struct leat_stage *frozen_declared(struct model *m, const struct node *n)
{
    const struct stage_type *type = registry_find(m->known, n->name);
    if (!type)
        model_fail(m, LEAT_EARG, "%s: %s; give --plugin-path DIR if its plugin is elsewhere",
                   n->label, registry_missing(m->known, n->name, &m->arena));
    return type ? type->stage : NULL;
}

/* True if a prediction can skip the stage, because it only labels, weighs or thins out records. */
static bool frozen_is_left_out(const struct leat_stage *s)
{
    if (s->kind != LEAT_TRANSFORM) return true;
    if (s->makes & ~(uint32_t)LEAT_HAS_LABEL || s->expand) return false;
    if (s->makes & LEAT_HAS_LABEL || s->caps & LEAT_LEARNS) return true;
    return (s->caps & (LEAT_STATEFUL | LEAT_REWRITES | LEAT_PARSER)) == LEAT_STATEFUL;
}

static bool frozen_has_function(const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].type == LEAT_FUNCTION) return true;
    return false;
}

static bool frozen_is_set(const struct node *n, const char *name)
{
    for (size_t i = 0; i < n->n_settings; i++)
        if (!strcmp(n->settings[i].key, name)) return true;
    return false;
}

/* Returns the user's value of a parameter; NULL if it stays. */
static const char *frozen_changed(const struct frozen *f, const struct node *n, const char *name)
{
    for (size_t i = 0; i < f->n_changes; i++)
        if (f->change[i].of == n && !strcmp(f->change[i].name, name)) return f->change[i].value;
    return NULL;
}

/* True if the stage reads files or asks servers. A snapshot may come from anybody, so those that it
 * names are not opened. */
static bool frozen_reads_more(const struct frozen *f, const struct node *n,
                              const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const struct leat_param *p = &s->params[i];
        if (p->flags & (LEAT_READS_FILE | LEAT_SERVERS) && !frozen_changed(f, n, p->name) &&
            (p->flags & LEAT_REQUIRED || frozen_is_set(n, p->name)))
            return true;
    }
    return false;
}

/* Refuses a stage that cannot be made again. Returns LEAT_OK, or LEAT_EARG after a message. */
static int frozen_check(const struct frozen *f, const struct node *n, const struct leat_stage *s)
{
    struct model *m = f->model;
    const char *why = NULL;
    if (s->expand)
        why = "makes new records out of its input, so a single record has no prediction";
    else if (frozen_has_function(s))
        why = "calls a function of the script, which the state does not have: compute the column "
              "by leat.shape.set, or ask a run of the script (POST /predict)";
    else if (frozen_reads_more(f, n, s))
        why = "reads a file or asks a server, and none is opened that a state names: give it by "
              "--set STAGE.PARAMETER=VALUE";
    else if (s->state->restore && s->caps & LEAT_STATEFUL && !model_section(m, "stage", n, 0))
        why = "has no state in this snapshot, which is a merge: give the state of a run";
    return why ? model_fail(m, LEAT_EARG, "%s %s", n->label, why) : LEAT_OK;
}

/* Returns the transform or learner that feeds stage n; the first one after a merge. NULL if there
 * is none. */
static struct node *frozen_before(const struct model *m, const struct node *n)
{
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    const json_t *first = json_array_get(json_object_get(stage, "after"), 0);
    const char *id = json_string_value(json_object_get(first, "id"));
    return id ? graph_find(&m->graph, id) : NULL;
}

static int frozen_find_steps(struct frozen *f)
{
    struct model *m = f->model;
    uint32_t left = m->graph.n_nodes, at = left; /* a damaged snapshot may have a cycle */
    f->step = arena_alloc(&m->arena, (left + 1) * sizeof *f->step);
    for (struct node *n = frozen_before(m, f->learner); n && left--; n = frozen_before(m, n)) {
        const struct leat_stage *s = frozen_declared(m, n);
        int status = !s ? LEAT_EARG : frozen_is_left_out(s) ? LEAT_OK : frozen_check(f, n, s);
        if (status != LEAT_OK) return status;
        if (!frozen_is_left_out(s)) f->step[--at] = n;
    }
    f->n_steps = m->graph.n_nodes - at;
    f->step += at;
    return LEAT_OK;
}

/* ---- parameters that the user sets ---- */

static int frozen_take_change(struct frozen *f, const struct argument *a)
{
    const char *dot = strchr(a->key, '.');
    const char *id = arena_strndup(&f->model->arena, a->key, (size_t)(dot - a->key));
    const struct node *n = model_find(f->model, id);
    if (n) f->change[f->n_changes++] = (struct frozen_change){n, dot + 1, a->value};
    return n ? LEAT_OK : LEAT_EARG;
}

static int frozen_take_changes(struct frozen *f, struct argument *args, size_t *n)
{
    int status = LEAT_OK;
    size_t kept = 0;
    f->change = arena_alloc(&f->model->arena, (*n + 1) * sizeof *f->change);
    for (size_t i = 0; i < *n && status == LEAT_OK; i++)
        if (strchr(args[i].key, '.'))
            status = frozen_take_change(f, &args[i]);
        else
            args[kept++] = args[i];
    *n = kept;
    return status;
}

/* ---- the learner ---- */

static bool frozen_predicts(const struct node *n)
{
    return n->stage->kind == LEAT_LEARNER && graph_score(n) != LEAT_SCORE_NONE;
}

static int frozen_find_learner(struct frozen *f)
{
    struct model *m = f->model;
    const char *others = NULL, *ids = NULL;
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        const char **list = frozen_predicts(n) ? &ids : &others;
        if (n->stage->kind != LEAT_LEARNER) continue;
        *list = *list ? arena_printf(&m->arena, "%s, %s", *list, n->label) : n->label;
        if (frozen_predicts(n) && !found++) f->learner = n;
    }
    if (found > 1)
        return model_fail(m, LEAT_EARG,
                          "the state has several learners: %s; choose one, such as "
                          "--stage %s",
                          ids, f->learner->id);
    if (!found)
        return model_fail(m, LEAT_EARG,
                          others ? "the state has no learner that predicts, only %s"
                                 : "the state has no learner",
                          others);
    return LEAT_OK;
}

/* Refuses parameters of stages that are not made again. */
static int frozen_check_changes(const struct frozen *f)
{
    for (size_t i = 0; i < f->n_changes; i++) {
        bool found = false;
        for (uint32_t k = 0; k < f->n_steps; k++)
            found |= f->step[k] == f->change[i].of;
        if (!found)
            return model_fail(f->model, LEAT_EARG,
                              "--set %s.%s: only stages between the source and the learner take "
                              "other parameters, without those that label: remove it",
                              f->change[i].of->id, f->change[i].name);
    }
    return LEAT_OK;
}

int frozen_find(struct frozen *f, struct model *m, const char *id, struct argument *args,
                size_t *n_args)
{
    *f = (struct frozen){.model = m, .learner = id ? model_find(m, id) : NULL};
    if (id ? !f->learner : frozen_find_learner(f) != LEAT_OK) return LEAT_EARG;
    if (!frozen_predicts(f->learner))
        return model_fail(m, LEAT_EARG, "%s makes no predictions", f->learner->label);
    int status = frozen_take_changes(f, args, n_args);
    if (status == LEAT_OK) status = frozen_declared(m, f->learner) ? LEAT_OK : LEAT_EARG;
    if (status == LEAT_OK) status = frozen_find_steps(f);
    return status == LEAT_OK ? frozen_check_changes(f) : status;
}

const char *frozen_source_setting(const struct frozen *f, const char *name)
{
    for (uint32_t i = 0; i < f->model->graph.n_nodes; i++) {
        const struct node *n = &f->model->graph.node[i];
        if (n->stage->kind != LEAT_SOURCE) continue;
        for (size_t k = 0; k < n->n_settings; k++)
            if (!strcmp(n->settings[k].key, name) && n->settings[k].value.type == VALUE_TEXT)
                return n->settings[k].value.text;
    }
    return NULL;
}

/* ---- the graph ---- */

static struct value frozen_text(const char *text)
{
    return (struct value){.type = VALUE_TEXT, .text = text, .n = strlen(text)};
}

/* Appends a stage with room for n settings. */
static struct node *frozen_append(const struct frozen *f, struct graph *g, const char *name,
                                  size_t n)
{
    struct node *to = &g->node[g->n_nodes];
    *to = (struct node){.kind = NODE_STAGE,
                        .index = g->n_nodes++,
                        .name = name,
                        .at.file = f->model->file,
                        .settings = arena_alloc(g->arena, (n + 1) * sizeof *to->settings)};
    g->edge[g->n_edges++] = (struct edge){.from = to->index - 1, .to = to->index};
    return to;
}

static void frozen_set(struct node *n, const char *key, struct value value)
{
    n->settings[n->n_settings++] = (struct setting){key, value};
}

/* True if the parameter says how to reach data. Only a forged snapshot has one. */
static bool frozen_is_operational(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return s->params[i].flags & LEAT_OPERATIONAL;
    return false;
}

/* Appends a stage of the model with its parameters and its id, from which its seed derives. */
static void frozen_copy(const struct frozen *f, struct graph *g, const struct node *n)
{
    enum { OWN = 2 };
    const struct leat_stage *s = registry_find(f->model->known, n->name)->stage;
    struct node *to = frozen_append(f, g, n->name, n->n_settings + f->n_changes + OWN);
    for (size_t i = 0; i < n->n_settings; i++)
        if (!frozen_changed(f, n, n->settings[i].key) &&
            !frozen_is_operational(s, n->settings[i].key))
            frozen_set(to, n->settings[i].key, n->settings[i].value);
    for (size_t i = 0; i < f->n_changes; i++)
        if (f->change[i].of == n)
            frozen_set(to, f->change[i].name, frozen_text(f->change[i].value));
    frozen_set(to, "id", frozen_text(n->id));
    if (n->was) frozen_set(to, "was", frozen_text(n->was));
    to->whole = true;
}

static struct value frozen_classes(const struct frozen *f, struct graph *g)
{
    const struct leat_schema *in = &f->learner->schema_in;
    struct value all = {.type = VALUE_LIST,
                        .n = in->n_classes,
                        .list = arena_alloc(g->arena, (in->n_classes + 1) * sizeof *all.list)};
    for (uint32_t i = 0; i < in->n_classes; i++)
        all.list[i] = frozen_text(in->classes[i]);
    return all;
}

void frozen_extend(const struct frozen *f, struct graph *g)
{
    enum { OWN = 3 }; /* frozen, the learner, the sink */
    struct node *node = arena_alloc(g->arena, (g->n_nodes + f->n_steps + OWN) * sizeof *node);
    struct edge *edge = arena_alloc(g->arena, (g->n_edges + f->n_steps + OWN) * sizeof *edge);
    if (g->n_nodes) memcpy(node, g->node, g->n_nodes * sizeof *node);
    if (g->n_edges) memcpy(edge, g->edge, g->n_edges * sizeof *edge);
    g->node = node;
    g->edge = edge;
    for (uint32_t i = 0; i < f->n_steps; i++)
        frozen_copy(f, g, f->step[i]);
    struct node *labels = frozen_append(f, g, "frozen.labels", 1);
    if (f->learner->schema_in.n_classes) frozen_set(labels, "classes", frozen_classes(f, g));
    frozen_copy(f, g, f->learner);
    struct node *sink = frozen_append(f, g, "frozen.sink", 1);
    if (f->format) frozen_set(sink, "format", frozen_text(f->format));
}

/* ---- the states ---- */

int frozen_restore(const struct frozen *f, const struct run *r)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i <= f->n_steps && status == LEAT_OK; i++) {
        const struct node *of = i < f->n_steps ? f->step[i] : f->learner;
        struct instance *to = run_instance(r, graph_find(r->graph, of->id), 0);
        if (to->node->stage->state->restore && model_section(f->model, "stage", of, 0))
            status = instance_state_restore_stage(to, &f->model->from);
    }
    return status;
}
