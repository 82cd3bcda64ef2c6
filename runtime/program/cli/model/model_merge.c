/* model_merge.c -- `leat model merge`: merges snapshots that learned from different data.
 *
 * Each learner begins empty. Its merge() adds the inputs in turn, each with its weight (default 1).
 * The stage defines the effect of a weight. Counts of records and figures of progressive validation
 * are added up. The result has no positions in inputs and no lengths of outputs. It has no states
 * of transforms that cannot merge (a sample, a quantile); the fingerprint lists the ids of those
 * transforms in "dropped".
 *
 * The pipelines of the inputs must be equal, except for sources and sinks, because the inputs read
 * different data. Limits on the size of a stage may differ; the result has the largest. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/fingerprint/free_change.h"
#include "host/log/log.h"
#include "host/checkpoint/instance_state.h"

struct merging {
    const struct command_line *c;
    struct model *in; /* the inputs; in[0] becomes the result */
    size_t n;
};

/* ---- compatibility ---- */

struct merge_refusing {
    const struct model *first;
    struct model *other;
    int status;
};

static bool merge_is_limit(const struct model *first, const struct fingerprint_difference *d)
{
    const struct node *n = d->id ? graph_find(&first->graph, d->id) : NULL;
    return n && d->name && limit_change_param(n->stage, d->name);
}

static void merge_refuse(void *to, const struct fingerprint_difference *d)
{
    struct merge_refusing *r = to;
    if (d->kind && (!strcmp(d->kind, "source") || !strcmp(d->kind, "sink"))) return;
    if (merge_is_limit(r->first, d)) return;
    if (fingerprint_is_linalg(d)) {
        log_message(LEAT_WARN,
                    "%s was learned with %s, and %s with %s: results differ in their last digits",
                    r->other->file, d->b, r->first->file, d->a);
        return;
    }
    const char *id = d->id ? d->id : "pipeline", *name = d->name ? d->name : "stage";
    r->status = model_fail(r->other, LEAT_EARG, "%s: %s is %s here and %s in %s", id, name,
                           d->b ? d->b : "nothing", d->a ? d->a : "nothing", r->first->file);
}

/* Checks that the learners' figures are of the same kind. Figures of different kinds cannot be
 * added. */
static void check_scores(const struct model *first, struct merge_refusing *r)
{
    for (uint32_t i = 0; i < first->graph.n_nodes; i++) {
        const struct node *n = &first->graph.node[i], *there = graph_find(&r->other->graph, n->id);
        if (n->stage->kind == LEAT_LEARNER && there &&
            n->schema_out.score != there->schema_out.score)
            r->status = model_fail(
                r->other, LEAT_EDATA, "section pipeline: %s: score is %u here and %u in %s", n->id,
                (unsigned)there->schema_out.score, (unsigned)n->schema_out.score, first->file);
    }
}

static int merge_check_inputs(const struct merging *m)
{
    struct merge_refusing r = {.first = &m->in[0]};
    for (size_t i = 1; i < m->n; i++) {
        r.other = &m->in[i];
        fingerprint_differences(m->in[0].pipeline, m->in[i].pipeline, merge_refuse, &r);
        check_scores(&m->in[0], &r);
    }
    return r.status;
}

/* True if two runs have learned the same from the same records. The section of the run has the time
 * of each. */
static bool are_same(const struct model *a, const struct model *b)
{
    bool same = a->from.n == b->from.n;
    for (uint32_t i = 0; same && i < a->from.n; i++) {
        const struct snapshot_section *s = &a->from.section[i], *t = &b->from.section[i];
        same = !strcmp(s->name, t->name) &&
               (!strcmp(s->name, "run") || (s->n == t->n && !memcmp(s->bytes, t->bytes, s->n)));
    }
    return same;
}

/* Warns of equal inputs. Their examples would count twice, which is seldom intended. */
static void tell_same(const struct merging *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++)
            if (are_same(&m->in[i], &m->in[j]))
                log_message(LEAT_WARN,
                            "%s and %s have the same content: each of their examples counts twice",
                            m->in[i].file, m->in[j].file);
}

/* ---- stages ---- */

static bool merge_merges(const struct model *m, const struct node *n)
{
    return model_can_open(m, n) && n->stage->state->merge;
}

/* Merges input k into the result. If the input is at fault, the message contains its file name. */
static int merge_input(struct merging *m, struct node *n, size_t k, double weight)
{
    struct run *run = &m->in[0].run;
    for (int lane = 0; lane < n->lanes; lane++) {
        int status = instance_state_merge_stage(run_instance(run, n, (uint32_t)lane),
                                                &m->in[k].from, weight);
        if (status != LEAT_OK) return model_tell(&m->in[k], run, n, status);
    }
    return LEAT_OK;
}

static int merge_stage(struct merging *m, struct node *n)
{
    struct model *first = &m->in[0];
    if (!model_can_open(first, n)) return LEAT_OK;
    if (!n->type || merge_merges(first, n)) {
        int status = model_open_stage(first, n);
        for (size_t k = 0; k < m->n && status == LEAT_OK; k++)
            status = merge_input(m, n, k, m->c->n_weights ? m->c->weight[k] : 1);
        return status;
    }
    if (n->stage->kind != LEAT_LEARNER) return LEAT_OK;
    return model_fail(first, LEAT_EARG, "%s: models of this stage cannot be merged", n->label);
}

/* Warns of labels by limits that follow the records of each input, and may so differ. */
static void tell_limits(const struct model *first)
{
    for (uint32_t i = 0; i < first->graph.n_nodes; i++) {
        const struct node *n = &first->graph.node[i];
        if (!model_section(first, "stage", n, 0) || merge_merges(first, n)) continue;
        if (n->stage->kind != LEAT_TRANSFORM || !(n->stage->makes & LEAT_HAS_LABEL)) continue;
        log_message(LEAT_WARN,
                    "%s: its limits followed the records of each input, so the same value may have "
                    "one label here and another one there: label by a condition with a fixed "
                    "number in all inputs, such as --outlier 'COLUMN > NUMBER' or leat.label.where",
                    n->label);
    }
}

/* ---- the state that the host keeps of a stage ---- */

static void merge_add(_Atomic uint64_t *to, const _Atomic uint64_t *from)
{
    instance_count(to, atomic_load(from));
}

/* Adds up the times of the next answers. In each input these are multiples of one interval and
 * later than the input's examples. So the sum is a multiple too, and later than all examples. */
static void add_asks(struct instance *i, const struct instance *other)
{
    for (uint32_t k = 0; k < i->learning.n_asks && k < other->learning.n_asks; k++)
        i->learning.asks[k]->next_examples += other->learning.asks[k]->next_examples;
}

static void add_instance(struct instance *i, const struct instance *other)
{
    merge_add(&i->count.in, &other->count.in);
    merge_add(&i->count.out, &other->count.out);
    merge_add(&i->count.filtered, &other->count.filtered);
    merge_add(&i->count.rejected, &other->count.rejected);
    if (i->learning.progressive && other->learning.progressive)
        progressive_merge(i->learning.progressive, other->learning.progressive);
    if (other->learning.time_end > i->learning.time_end)
        i->learning.time_end = other->learning.time_end;
    add_asks(i, other);
}

static void merge_add_counts(struct merging *m)
{
    struct model *first = &m->in[0];
    for (uint32_t j = 0; j < first->graph.n_nodes; j++) {
        struct node *n = &first->graph.node[j];
        for (int lane = 0; lane < n->lanes; lane++) {
            struct instance *i = run_instance(&first->run, n, (uint32_t)lane);
            i->reading.batches = 0; /* the result starts at the beginning of its inputs */
            for (size_t k = 1; k < m->n; k++) {
                const struct node *there = graph_find(&m->in[k].graph, n->id);
                if (there && lane < there->lanes)
                    add_instance(i, run_instance(&m->in[k].run, there, (uint32_t)lane));
            }
        }
    }
    first->run.rejects.resume_at = 0; /* the result's dead-letter file begins empty */
    for (size_t k = 1; k < m->n; k++)
        rejects_add(&first->run.rejects, &m->in[k].run.rejects);
}

/* ---- the result's file ---- */

static json_t *dropped_from(const struct model *m)
{
    json_t *ids = json_deep_copy(json_object_get(m->pipeline, "dropped"));
    if (!ids) ids = json_array();
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        if (model_section(m, "stage", &m->graph.node[i], 0) && !merge_merges(m, &m->graph.node[i]))
            json_array_append_new(ids, json_string(m->graph.node[i].id));
    return ids;
}

static const char *fingerprint_of(struct merging *m)
{
    struct model *first = &m->in[0];
    json_t *o = json_copy(first->pipeline);
    json_int_t merged = 0;
    for (size_t k = 0; k < m->n; k++) {
        json_int_t before = json_integer_value(json_object_get(m->in[k].pipeline, "merged"));
        merged += before ? before : 1;
    }
    json_object_set_new(o, "merged", json_integer(merged));
    json_object_set_new(o, "dropped", dropped_from(first));
    char *text = json_dumps(o, JSON_INDENT(1));
    const char *kept = arena_strdup(&first->arena, text ? text : "");
    free(text);
    json_decref(o);
    return kept;
}

/* Saves all instances as sections, after the first two sections. Returns LEAT_OK, or an error that
 * the run has recorded. */
static int take_sections(struct run *run, struct instance_state *saved,
                         struct snapshot_section *section, uint32_t *n)
{
    struct graph *g = run->graph;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (int lane = 0; lane < g->node[i].lanes; lane++, saved++) {
            struct instance *k = run_instance(run, &g->node[i], (uint32_t)lane);
            if (instance_state_take(saved, k) != LEAT_OK) return run->control.failed;
            *n += instance_state_sections(saved, k, section + *n);
            if (run->control.failed) return run->control.failed;
        }
    return LEAT_OK;
}

static int write_merged(struct merging *m, const char *to)
{
    struct model *first = &m->in[0];
    struct run *run = &first->run;
    uint32_t lanes = 0, n = 2;
    for (uint32_t i = 0; i < first->graph.n_nodes; i++)
        lanes += (uint32_t)first->graph.node[i].lanes;
    struct snapshot_section *section =
        arena_alloc(&first->arena, (2 * lanes + 2) * sizeof *section);
    struct instance_state *saved = arena_alloc(&first->arena, (lanes + 1) * sizeof *saved);
    struct state_writer w = {0};
    const char *fingerprint = fingerprint_of(m);
    int status = instance_state_run_write(&w, run);
    if (status != LEAT_OK)
        control_fail(&run->control, status, "there is not enough memory for a snapshot");
    section[0] = (struct snapshot_section){"pipeline", fingerprint, strlen(fingerprint)};
    section[1] = (struct snapshot_section){"run", w.bytes, w.n};
    if (status == LEAT_OK) status = take_sections(run, saved, section, &n);
    if (status != LEAT_OK)
        model_fail(first, status, "%s", run->control.reason);
    else
        status = model_write(to, 1, section, n);
    for (uint32_t i = 0; i < lanes; i++)
        instance_state_free(&saved[i]);
    state_writer_free(&w);
    return status;
}

static int merge_all(struct merging *m)
{
    struct graph *g = &m->in[0].graph;
    int status = merge_check_inputs(m);
    if (status == LEAT_OK) status = model_limits_raise(m->in, m->n, m->c);
    for (size_t k = 1; k < m->n && !m->c->memory; k++)
        m->in[0].run.memory_max += model_memory(&m->in[k].from);
    for (uint32_t i = 0; i < g->n_nodes && status == LEAT_OK; i++)
        status = merge_stage(m, &g->node[i]);
    if (status != LEAT_OK) return status;
    tell_same(m);
    tell_limits(&m->in[0]);
    merge_add_counts(m);
    return write_merged(m, m->c->operand[0]);
}

static bool weighs_nothing(const struct command_line *c)
{
    double sum = 0;
    for (size_t k = 0; k < c->n_weights; k++)
        sum += c->weight[k];
    return c->n_weights && sum == 0;
}

int model_merge(const struct command_line *c, struct registry *known)
{
    struct merging m = {.c = c, .n = c->n_operands - 1};
    if (weighs_nothing(c)) {
        fputs("leat: every --weight is 0, so no model counts: give one input a weight above 0\n",
              stderr);
        return LEAT_EARG;
    }
    if (c->n_weights && c->n_weights != m.n) {
        fprintf(stderr, "leat: --weight must be given once for each of %zu inputs, not %zu times\n",
                m.n, c->n_weights);
        return LEAT_EARG;
    }
    m.in = calloc(m.n, sizeof *m.in);
    size_t opened = 0;
    int status = m.in ? LEAT_OK : LEAT_ENOMEM;
    while (status == LEAT_OK && opened < m.n) {
        status = model_open(&m.in[opened], c->operand[1 + opened], c->memory, known);
        opened++;
    }
    if (status == LEAT_OK) status = merge_all(&m);
    for (size_t k = 0; k < opened; k++)
        model_close(&m.in[k]);
    free(m.in);
    return status;
}
