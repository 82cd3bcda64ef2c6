/* model_merge.c -- `leat model merge`: merges snapshots that learned from different data.
 *
 * Each learner begins empty. Its merge() adds the inputs in turn, each with its weight (default 1).
 * The stage defines the effect of a weight. Counts of records are added up. Figures of progressive
 * validation are left out, because they are those of the inputs' models. The result is what was
 * learned (learned.h), without positions in inputs and lengths of outputs. It has no states of
 * transforms that cannot merge (a sample, a quantile); the fingerprint lists the ids of those
 * transforms in "dropped", and limits of labels in "limits".
 *
 * The pipelines of the inputs must be equal, except for sources, sinks, and the layout of columns,
 * because the inputs read different data. Limits on the size of a stage may differ; the result has
 * the largest. Each split of the data counts once (splits.h).
 *
 * One input at a time is in memory beside the result. The result does not depend on the order of
 * the inputs, nor on which were merged before, if the merge() of its stages does not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model.h"
#include "model_inputs.h"
#include "model_labels.h"
#include "host/checkpoint/instance_state.h"
#include "host/checkpoint/learned.h"
#include "host/checkpoint/splits.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/fingerprint/free_change.h"
#include "host/log/log.h"
#include "host/memory/memory.h"

struct merging {
    const struct command_line *c;
    struct registry *known;
    struct model *result; /* made of the first input; NULL before it */
    json_t *splits;       /* of all inputs so far                    */
    json_t *dropped;      /* set of the ids of transforms            */
    json_t *limits;       /* of labels (model_labels.h)              */
    struct arena arena;
    double *counted; /* by the index of a learner: examples   */
    uint64_t again;  /* inputs that were in others            */
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
    if (d->kind && !strcmp(d->kind, "sink")) return;
    if (merge_is_limit(r->first, d)) return;
    if (fingerprint_is_layout(r->other->pipeline, d) && (!d->a || !d->b)) return;
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

static int merge_check_input(const struct merging *m, struct model *in)
{
    if (!m->result || !m->result->graph.n_nodes || !in->graph.n_nodes) return LEAT_OK;
    struct merge_refusing r = {.first = m->result, .other = in};
    fingerprint_differences(m->result->pipeline, in->pipeline, merge_refuse, &r);
    check_scores(m->result, &r);
    return r.status;
}

/* ---- splits ---- */

static int merge_refuse_split(struct model *in, enum splits_meeting met, const json_t *split)
{
    char name[48];
    splits_name(split, name);
    if (met == SPLITS_PARTLY)
        return model_fail(
            in, LEAT_EDATA,
            "split %s and others are merged already, but not all of its splits: merge "
            "the states of single splits, or of other groups of them",
            name);
    if (met == SPLITS_DIFFER)
        return model_fail(in, LEAT_EDATA,
                          "split %s has learned something else, or counts otherwise, than in an "
                          "input before: it has %" JSON_INTEGER_FORMAT " records here. Give each "
                          "split its own ID, and make its task read the same records each time",
                          name, json_integer_value(json_object_get(split, "records")));
    return model_fail(in, LEAT_EDATA,
                      "it has learned the same as an input before: leave one out. If both are "
                      "different data, leave one out as well, and give the other --weight 2");
}

/* Compares the splits of an input with those so far. Sets *again if it is merged already. */
static int merge_check_splits(struct merging *m, struct model *in, bool *again)
{
    char name[48];
    const json_t *split;
    enum splits_meeting met = splits_meet(m->splits, in->splits, &split);
    *again = met == SPLITS_HELD;
    if (met == SPLITS_NEW) return LEAT_OK;
    splits_name(split, name);
    if (met == SPLITS_ALIKE) {
        log_message(LEAT_WARN,
                    "%s: split %s has learned the same as another one: if it is the same data, "
                    "give it the same ID, and it counts once",
                    in->file, name);
        return LEAT_OK;
    }
    if (met != SPLITS_HELD) return merge_refuse_split(in, met, split);
    if (!m->again++)
        log_message(LEAT_WARN, "%s: split %s is merged already, and counts once", in->file, name);
    return LEAT_OK;
}

/* Refuses a result that lacks splits of --of N. */
static int merge_check_all(const struct merging *m)
{
    char text[256];
    const char *missing = m->c->of ? splits_missing(m->splits, m->c->of, text) : NULL;
    size_t n = json_array_size(m->splits);
    if (missing)
        log_message(LEAT_ERROR, "--of %llu: nothing is written, as splits are missing: %s",
                    (unsigned long long)m->c->of, missing);
    else if (m->c->of && n > m->c->of)
        log_message(LEAT_ERROR, "--of %llu: nothing is written, as the inputs have %zu splits",
                    (unsigned long long)m->c->of, n);
    else
        return LEAT_OK;
    return LEAT_EDATA;
}

/* ---- stages ---- */

static bool merge_merges(const struct model *m, const struct node *n)
{
    return model_can_open(m, n) && n->stage->state->merge;
}

/* Merges a stage of the input into the result. If the input is at fault, the message has its
 * name. */
static int merge_add_state(struct merging *m, struct node *n, struct model *in, double weight)
{
    struct run *run = &m->result->run;
    int status = instance_state_merge_stage(run_instance(run, n, 0), &in->from, weight);
    return status == LEAT_OK ? status : model_tell(in, run, n, status);
}

static bool merge_has_state(const struct model *m, const struct node *n)
{
    return model_section(m, "stage", n, 0) && n->stage->kind != LEAT_SINK;
}

/* Notes the transforms of an input whose states are left out. */
static void merge_note_dropped(struct merging *m, const struct model *in)
{
    size_t i;
    json_t *id;
    json_array_foreach(json_object_get(in->pipeline, "dropped"), i, id)
    {
        json_object_set_new(m->dropped, json_string_value(id), json_true());
    }
    for (uint32_t k = 0; k < in->graph.n_nodes; k++) {
        const struct node *n = &in->graph.node[k];
        if (!merge_has_state(in, n) || merge_merges(in, n)) continue;
        json_object_set_new(m->dropped, n->id, json_true());
        const struct instance *held = run_instance(&in->run, n, 0);
        if (n->stage->expand && !held->ended_after && atomic_load(&held->count.in))
            log_message(LEAT_WARN,
                        "%s: %s: what it still holds, such as open windows, is not merged: let the "
                        "run end without --keep-open",
                        in->file, n->label);
    }
}

static int merge_open_stage(struct merging *m, struct node *n)
{
    struct model *result = m->result;
    if (!model_can_open(result, n)) return LEAT_OK;
    if (!n->type || merge_merges(result, n)) return model_open_stage(result, n);
    if (n->stage->kind != LEAT_LEARNER) return LEAT_OK;
    return model_fail(result, LEAT_EARG, "%s: models of this stage cannot be merged", n->label);
}

/* Checks that the counts of a learner stay below 2^32. One that predicts nothing only counts. */
static int merge_check_counts(struct merging *m, struct model *in, const struct node *n)
{
    const struct node *there = graph_find(&in->graph, n->id);
    if (n->stage->kind != LEAT_LEARNER || n->schema_out.score != LEAT_SCORE_NONE || !there)
        return LEAT_OK;
    double *counted = &m->counted[n->index];
    *counted += (double)model_examples(in, there);
    if (*counted <= (double)UINT32_MAX - 1) return LEAT_OK;
    return model_fail(in, LEAT_EDATA,
                      "%s: its counts end at 4,294,967,294, and with this input there are %.0f "
                      "examples: merge fewer inputs at a time, such as those of one period",
                      n->label, *counted);
}

static int merge_add_states(struct merging *m, struct model *in, double weight)
{
    struct graph *g = &m->result->graph;
    int status = LEAT_OK;
    for (uint32_t i = 0; i < g->n_nodes && status == LEAT_OK; i++)
        if (merge_merges(m->result, &g->node[i])) {
            status = merge_check_counts(m, in, &g->node[i]);
            if (status == LEAT_OK) status = merge_add_state(m, &g->node[i], in, weight);
        }
    return status;
}

/* Opens the stages of the result empty, and merges its own states into them. */
static int merge_begin(struct merging *m, double weight)
{
    struct graph *g = &m->result->graph;
    int status = LEAT_OK;
    for (uint32_t i = 0; i < g->n_nodes && status == LEAT_OK; i++)
        status = merge_open_stage(m, &g->node[i]);
    return status == LEAT_OK ? merge_add_states(m, m->result, weight) : status;
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
        progressive_merge_models(i->learning.progressive, other->learning.progressive);
    if (other->learning.time_end > i->learning.time_end)
        i->learning.time_end = other->learning.time_end;
    add_asks(i, other);
}

static void merge_add_counts(struct merging *m, struct model *in)
{
    struct model *result = m->result;
    for (uint32_t j = 0; j < result->graph.n_nodes; j++) {
        struct node *n = &result->graph.node[j];
        const struct node *there = graph_find(&in->graph, n->id);
        if (there && n->stage->kind != LEAT_SINK)
            add_instance(run_instance(&result->run, n, 0), run_instance(&in->run, there, 0));
    }
    rejects_add(&result->run.rejects, &in->run.rejects);
}

/* ---- the result's fingerprint ---- */

static json_t *dropped_ids(const struct merging *m)
{
    const char *id;
    json_t *all = json_array(), *value;
    char *text = json_dumps(m->dropped, JSON_SORT_KEYS);
    json_t *sorted = text ? json_loads(text, 0, NULL) : NULL;
    json_object_foreach(sorted, id, value) { json_array_append_new(all, json_string(id)); }
    json_decref(sorted);
    free(text);
    return all;
}

static const char *fingerprint_of(const struct merging *m)
{
    struct model *result = m->result;
    json_t *o = json_copy(result->pipeline);
    if (json_object_size(m->dropped)) json_object_set_new(o, "dropped", dropped_ids(m));
    model_labels_write(m->limits, result, o);
    char *text = json_dumps(o, JSON_INDENT(1));
    const char *kept = arena_strdup(&result->arena, text ? text : "");
    free(text);
    json_decref(o);
    return kept;
}

/* ---- larger limits ---- */

/* Returns the present result as a snapshot in memory; NULL after a message. */
static void *merge_pack(struct merging *m, size_t *n)
{
    struct learned l;
    void *bytes = NULL;
    int status = learned_collect(&l, &m->result->run, fingerprint_of(m));
    if (status == LEAT_OK) {
        *n = snapshot_bytes(l.section, l.n);
        bytes = memory_take(*n);
        snapshot_put(bytes, 1, l.section, l.n);
    } else {
        model_fail(m->result, status, "%s", m->result->run.control.reason);
    }
    learned_free(&l);
    return bytes;
}

static void merge_close(struct model *m)
{
    if (m) model_close(m);
    free(m);
}

/* Opens the result anew with the larger limits of `in`, or of --set. */
static int merge_enlarge(struct merging *m, const struct model *in)
{
    struct model *old = m->result, *new = memory_take(sizeof *new);
    size_t n = 0;
    void *bytes = merge_pack(m, &n);
    int status = bytes ? model_open_learned_bytes(new, old->file, bytes, n, m->c->memory, m->known)
                       : LEAT_ENOMEM;
    if (status == LEAT_OK && !m->c->memory) new->run.memory_max = old->run.memory_max;
    if (status == LEAT_OK) model_limits_raise(new, old);
    if (status == LEAT_OK) model_limits_raise(new, in);
    if (!bytes) {
        free(new);
        return status;
    }
    m->result = new;
    merge_close(old);
    memset(m->counted, 0, new->graph.n_nodes * sizeof *m->counted);
    return status == LEAT_OK ? merge_begin(m, 1) : status;
}

/* ---- inputs ---- */

/* Makes the first input with stages the result. An empty split before has none. */
static int merge_first(struct merging *m, struct model *in, double weight)
{
    merge_close(m->result);
    m->result = in;
    if (!in->graph.n_nodes) return LEAT_OK;
    int status = model_limits_set(in, m->c);
    if (status != LEAT_OK) return status;
    m->counted = arena_alloc(&m->arena, (in->graph.n_nodes + 1) * sizeof *m->counted);
    merge_note_dropped(m, in);
    status = model_labels_add(m->limits, in);
    return status == LEAT_OK ? merge_begin(m, weight) : status;
}

static int merge_other(struct merging *m, struct model *in, double weight)
{
    struct model *result = m->result;
    int status = model_labels_add(m->limits, in);
    if (status != LEAT_OK) return status;
    if (!m->c->memory) result->run.memory_max += model_memory(&in->from);
    if (model_limits_raise(result, in)) status = merge_enlarge(m, in);
    if (status == LEAT_OK) status = merge_add_states(m, in, weight);
    if (status != LEAT_OK) return status;
    merge_note_dropped(m, in);
    merge_add_counts(m, in);
    model_pipeline_settle(m->result, in);
    return LEAT_OK;
}

/* Drops the result if the input has all of its splits, and more. */
static void merge_drop_part(struct merging *m, const struct model *in)
{
    if (!m->result || json_array_size(in->splits) <= json_array_size(m->splits) ||
        !splits_hold(in->splits, m->splits))
        return;
    log_message(LEAT_WARN, "%s has the splits of the inputs before, which count once", in->file);
    merge_close(m->result);
    m->result = NULL;
    json_array_clear(m->splits);
}

/* Multiplies the examples and splits of an input by its weight. */
static void merge_weigh(struct model *in, double weight)
{
    splits_weigh(in->splits, weight);
    for (uint32_t i = 0; i < in->graph.n_nodes; i++) {
        struct instance *k = run_instance(&in->run, &in->graph.node[i], 0);
        if (k->learning.progressive) progressive_weigh(k->learning.progressive, weight);
    }
}

/* Merges an input, which it owns. */
static int merge_input(struct merging *m, struct model *in, double weight)
{
    bool again = false;
    if (weight == 0) { /* it is no part of the result */
        merge_close(in);
        return LEAT_OK;
    }
    merge_weigh(in, weight);
    merge_drop_part(m, in);
    int status = merge_check_input(m, in);
    if (status == LEAT_OK) status = merge_check_splits(m, in, &again);
    bool becomes = status == LEAT_OK && !again &&
                   (!m->result || (!m->result->graph.n_nodes && in->graph.n_nodes));
    if (status == LEAT_OK && !again) splits_add(m->splits, in->splits);
    if (becomes)
        status = merge_first(m, in, weight);
    else if (status == LEAT_OK && !again && in->graph.n_nodes)
        status = merge_other(m, in, weight);
    if (!becomes) merge_close(in);
    return status;
}

static int merge_inputs(struct merging *m)
{
    const struct command_line *c = m->c;
    struct model_inputs in = {
        .operand = c->operand + 1, .n = c->n_operands - 1, .memory = c->memory, .known = m->known};
    int status = LEAT_OK;
    while (status == LEAT_OK) {
        bool opened;
        struct model *next = memory_take(sizeof *next);
        status = model_inputs_next(&in, next, &opened);
        if (status != LEAT_OK) {
            opened ? merge_close(next) : free(next);
            break;
        }
        status = merge_input(m, next, c->n_weights ? c->weight[in.at - 1] : 1);
    }
    model_inputs_close(&in);
    return status == LEAT_EOS ? LEAT_OK : status;
}

/* ---- the result's file ---- */

static bool merge_exists(const char *to)
{
    struct stat st;
    uint64_t there[SNAPSHOT_DIR_CHECKPOINTS];
    if (!strcmp(to, "-") || stat(to, &st)) return false;
    return S_ISDIR(st.st_mode) ? snapshot_dir_list(to, there) > 0 : S_ISREG(st.st_mode);
}

/* Checks that a file to be replaced has only splits of the result, as after a merge that is run
 * again. */
static int merge_check_file(const struct merging *m, const char *to)
{
    struct model old;
    bool hushed = log_hush(true);
    int status = model_open_learned(&old, to, m->c->memory, m->known);
    log_hush(hushed);
    if (status != LEAT_OK)
        log_message(LEAT_ERROR, "%s: it exists, and is no snapshot: choose another name", to);
    else if (!splits_hold(m->splits, old.splits))
        status =
            model_fail(&old, LEAT_EARG,
                       "it holds splits that are in none of the inputs, so it is not replaced: "
                       "choose another name, or merge it, too");
    model_close(&old);
    return status == LEAT_OK ? status : LEAT_EARG;
}

/* Writes the result. Another merge may make the same file meanwhile, which is then replaced. Only
 * the last failure is told. */
static int write_sections(struct merging *m, const struct learned *l)
{
    enum { TRIES = 3 };
    const char *to = m->c->operand[0];
    int status = LEAT_EARG;
    if (model_inputs_are_in(to))
        return model_fail(m->result, LEAT_EARG,
                          "%s is a folder of states: name a file, or another folder", to);
    for (int i = 0; i < TRIES && status != LEAT_OK; i++) {
        const struct snapshot_file_form form = {1, m->c->state.base64, merge_exists(to)};
        if (form.replaces && merge_check_file(m, to) != LEAT_OK) return LEAT_EARG;
        bool hushed = log_hush(i + 1 < TRIES);
        status = model_write(to, form, l->section, l->n);
        log_hush(hushed);
    }
    return status;
}

static int write_merged(struct merging *m)
{
    struct learned l;
    int status = learned_collect(&l, &m->result->run, fingerprint_of(m));
    if (status == LEAT_OK) {
        learned_add_splits(&l, json_incref(m->splits));
        status = write_sections(m, &l);
    } else {
        model_fail(m->result, status, "%s", m->result->run.control.reason);
    }
    learned_free(&l);
    return status;
}

static bool weighs_nothing(const struct command_line *c)
{
    double sum = 0;
    for (size_t k = 0; k < c->n_weights; k++)
        sum += c->weight[k];
    return c->n_weights && sum == 0;
}

/* Returns 0, or an error after a message. */
static int merge_check_weights(const struct command_line *c)
{
    if (weighs_nothing(c))
        fputs("leat: every --weight is 0, so no model counts: give one input a weight above 0\n",
              stderr);
    else if (c->n_weights && c->n_weights != c->n_operands - 1)
        fprintf(stderr, "leat: --weight must be given once for each of %zu inputs, not %zu times\n",
                c->n_operands - 1, c->n_weights);
    else
        return LEAT_OK;
    return LEAT_EARG;
}

int model_merge(const struct command_line *c, struct registry *known)
{
    struct merging m = {.c = c, .known = known};
    int status = merge_check_weights(c);
    if (status != LEAT_OK) return status;
    m.splits = json_array();
    m.dropped = json_object();
    m.limits = json_object();
    status = merge_inputs(&m);
    if (status == LEAT_OK && !m.result) {
        fputs("leat: there is no snapshot to merge: standard input is empty\n", stderr);
        status = LEAT_EDATA;
    }
    if (status == LEAT_OK) status = merge_check_all(&m);
    if (status == LEAT_OK) status = write_merged(&m);
    if (m.again > 1)
        log_message(LEAT_WARN, "%llu inputs hold splits of others, which count once",
                    (unsigned long long)m.again);
    merge_close(m.result);
    json_decref(m.splits);
    json_decref(m.dropped);
    json_decref(m.limits);
    arena_free(&m.arena);
    return status;
}
