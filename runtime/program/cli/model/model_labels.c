/* model_labels.c -- implementation of model_labels.h: reads limits, and compares them. */
#include "model_labels.h"

#include <stdio.h>
#include <string.h>

#include "host/checkpoint/instance_state.h"
#include "host/log/log.h"
#include "host/store/state_codec.h"

static const char member[] = "limits"; /* of the fingerprint of a merged model */

/* ---- reading them ---- */

/* True if the stage makes labels from what it has learned, and its state does not merge. */
static bool follows_records(const struct node *n)
{
    const struct leat_stage *s = n->stage;
    return s->kind == LEAT_TRANSFORM && s->makes & LEAT_HAS_LABEL && s->state->snapshot &&
           !s->state->merge;
}

/* Returns the half-life of a learner in examples; 0 if it is a time, or absent. */
static int64_t half_life_of(const struct node *n)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        if (p->type == LEAT_INTERVAL && !strcmp(p->name, "half_life"))
            return ((const struct leat_interval *)(const void *)((const char *)n->cfg + p->offset))
                ->examples;
    }
    return 0;
}

static void warn_of_half_life(const struct node *n)
{
    if (n->stage->kind == LEAT_LEARNER && half_life_of(n) > 0)
        log_message(
            LEAT_WARN,
            "%s: its half-life counts the records of each split, so a merge is not what one "
            "run over all records is: give a half-life in event time, such as 6h",
            n->label);
}

void model_labels_warn(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage) warn_of_half_life(&g->node[i]);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && follows_records(&g->node[i]))
            log_message(LEAT_WARN,
                        "%s: its limit follows the records of split %s, and models of splits with "
                        "other limits do not merge: label by a condition with a fixed number, or "
                        "give all splits of an application the same --fix FILE",
                        g->node[i].label, g->split);
}

/* Returns the figures of kind LEAT_GAUGE that the state of the stage has. */
static json_t *limits_of_stage(const struct node *n, const struct snapshot_section *state)
{
    json_t *limits = json_object();
    struct state_reader r;
    int status = state_reader_init(&r, state->bytes, state->n);
    for (uint32_t i = 0; i < n->stage->n_figures && status == LEAT_OK; i++) {
        const struct leat_figure *f = &n->stage->figures[i];
        double x;
        if (f->kind == LEAT_GAUGE && r.base.f64(&r.base, f->name, &x) == LEAT_OK)
            json_object_set_new(limits, f->name, json_real(x));
    }
    state_reader_free(&r);
    return limits;
}

/* Returns the limits of an input: those of its stages that have seen records, and those that a
 * merge has left. */
static json_t *limits_of_input(const struct model *m)
{
    json_t *limits = json_object();
    json_object_update(limits, json_object_get(m->pipeline, member));
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *n = &m->graph.node[i];
        const struct snapshot_section *state = model_section(m, "stage", n, 0);
        bool has_seen = atomic_load(&run_instance(&m->run, n, 0)->count.in) > 0;
        if (state && has_seen && follows_records(n))
            json_object_set_new(limits, n->id, limits_of_stage(n, state));
    }
    return limits;
}

/* ---- comparing them ---- */

static int refuse(struct model *m, const char *id, const char *name, const json_t *here,
                  const json_t *before)
{
    return model_fail(
        m, LEAT_EDATA,
        "%s: %s is %.10g here and %.10g in the inputs before: each followed the records of its own "
        "input, so a value has one label here and another one there. Choose the limits once for "
        "all inputs (--thresholds >FILE), and learn each with --fix FILE; or label by a condition "
        "with a fixed number, such as --outlier 'COLUMN > NUMBER' or leat.label.where",
        id, name, json_number_value(here), json_number_value(before));
}

/* Compares the limits of one stage with those of the same stage in the inputs before. */
static int compare(struct model *m, const char *id, const json_t *here, const json_t *before)
{
    const char *name;
    json_t *x;
    json_object_foreach((json_t *)here, name, x)
    {
        const json_t *other = json_object_get(before, name);
        if (!json_equal(x, (json_t *)other)) return refuse(m, id, name, x, other);
    }
    return LEAT_OK;
}

int model_labels_add(json_t *limits, struct model *m)
{
    const char *id;
    json_t *here, *all = limits_of_input(m);
    int status = LEAT_OK;
    json_object_foreach(all, id, here)
    {
        const json_t *before = json_object_get(limits, id);
        if (before && status == LEAT_OK) status = compare(m, id, here, before);
        if (!before) json_object_set(limits, id, here);
    }
    json_decref(all);
    return status;
}

void model_labels_write(const json_t *limits, const struct model *m, json_t *fingerprint)
{
    json_t *ordered = json_object();
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const char *id = m->graph.node[i].id;
        json_t *of_stage = json_object_get(limits, id);
        if (of_stage) json_object_set(ordered, id, of_stage);
    }
    if (json_object_size(ordered)) json_object_set(fingerprint, member, ordered);
    json_decref(ordered);
}
