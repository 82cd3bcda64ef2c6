/* trace.c -- implementation of trace.h: calls the stages, and `leat trace`. */
#include "trace.h"

#include <string.h>

#include "core/text/plain_text.h"
#include "host/checkpoint/instance_state.h"
#include "host/exec/trial/trial.h"
#include "host/exec/trial/peek.h"
#include "host/flow/convert.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/graph/outside/files.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/plugin/status_text.h"
#include "host/store/snapshot_dir.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/session.h"

/* ---- the first records of a pipeline's inputs ---- */

struct trace {
    const struct trace_options *options;
    struct graph *graph;
    struct run run;
    struct node **stage; /* stages that the trace calls, in order */
    uint32_t n_stages;
    const struct node *source; /* source of the record being traced */
};

static int trace_walk(struct trace *t, struct node *n, struct hbatch *h, uint32_t r, json_t *steps);

static int trace_failed(const struct trace *t, const struct node *n, int status)
{
    const char *why = t->run.control.reason;
    if (*why)
        log_message(LEAT_ERROR, "%s", why);
    else
        log_message(LEAT_ERROR, "%s: %s", n->label, status_text(status));
    return status;
}

/* True if the trace calls the stage. It calls no sinks, because they write. It calls no stages that
 * query a learner, because only a run answers queries. */
static bool is_called(const struct node *n)
{
    return n->stage && n->stage->kind != LEAT_SINK && !n->asked;
}

static struct hbatch *new_batch(struct trace *t)
{
    struct hbatch *h = trial_batch(&t->run, t->source, t->stage, t->n_stages);
    if (h) batch_reset(h);
    return h;
}

static struct node *next_of(const struct graph *g, const struct node *n)
{
    return n->n_out ? &g->node[g->edge[n->out[0]].to] : NULL;
}

/* ---- steps ---- */

static json_t *new_step(const struct node *n)
{
    return json_pack("{s:o, s:s}", "stage", json_text(n->id), "plugin", n->name);
}

/* Adds a step to `steps`. Takes ownership of the step. With --stage, omits the steps of other
 * stages, unless a record ends or splits there. */
static void trace_add_step(const struct trace *t, const struct node *n, json_t *steps, json_t *step)
{
    static const char *const shown[] = {"rejected", "filtered", "branches", "made"};
    bool wanted = !t->options->only || t->options->only == n;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        wanted |= json_object_get(step, shown[i]) != NULL;
    if (wanted) json_array_append(steps, step);
    json_decref(step);
}

static void add_note(struct trace *t, const struct node *n, json_t *steps, const char *text)
{
    json_t *step = new_step(n);
    json_object_set_new(step, "note", json_string(text));
    trace_add_step(t, n, steps, step);
}

static void add_fate(const struct hbatch *h, uint32_t r, json_t *step)
{
    const char *reason;
    size_t len;
    const char *text = trial_rejection(h, r, &reason, &len);
    if (h->b.status[r] == LEAT_ROW_FILTERED) json_object_set_new(step, "filtered", json_true());
    if (h->b.status[r] != LEAT_ROW_REJECTED) return;
    json_object_set_new(step, "rejected", json_text(text ? reason : ""));
    json_object_set_new(step, "message", json_text_n(text ? text : "", text ? len : 0));
}

static int one_stage(struct trace *t, const struct node *n, struct hbatch *h, uint32_t r,
                     json_t *steps)
{
    struct instance *i = run_instance(&t->run, n, 0);
    json_t *step = new_step(n), *before = trace_record_state(&h->b, &n->schema_in, r);
    bool learner = n->stage->kind == LEAT_LEARNER;
    int status = LEAT_OK;
    if (learner)
        status = trace_score(i, h, r, t->options->learns, step);
    else if (n->stage->process)
        status = trial_process(i, h);
    if (status >= 0 && h->b.status[r] == LEAT_ROW_OK)
        trace_record_changes(step, before, trace_record_state(&h->b, &n->schema_out, r));
    else
        json_decref(before);
    add_fate(h, r, step);
    trace_add_step(t, n, steps, step);
    return status < 0 ? trace_failed(t, n, status) : LEAT_OK;
}

/* ---- forks ---- */

/* Follows a copy of the record in each branch. */
static int every_branch(struct trace *t, const struct node *n, struct hbatch *h, uint32_t r,
                        json_t *steps)
{
    int status = LEAT_OK;
    json_t *step = new_step(n), *branches = json_array();
    for (uint32_t j = 0; j < n->n_out && status >= 0; j++) {
        struct hbatch *copy = new_batch(t);
        json_t *further = json_array();
        if (!copy) status = trace_failed(t, n, LEAT_ENOMEM);
        if (copy) batch_borrow(copy, h, &n->schema_in);
        if (copy)
            status = trace_walk(t, &t->graph->node[t->graph->edge[n->out[j]].to], copy, r, further);
        if (copy) batch_free(copy);
        json_array_append_new(branches, json_pack("{s:o}", "stages", further));
    }
    json_object_set_new(step, "branches", branches);
    trace_add_step(t, n, steps, step);
    return status;
}

/* Returns the edge of the record's branch; NULL if no branch matches its value. */
static const struct edge *trace_branch_of(const struct graph *g, const struct node *n,
                                          const struct leat_batch *b, uint32_t r)
{
    char text[CONVERT_TEXT];
    size_t len = 0;
    const struct edge *rest = NULL;
    uint32_t column = g->edge[*n->out].by_column;
    const char *value = convert_cell(b, column, n->schema_in.column[column].type, r, text, &len);
    for (uint32_t j = 0; j < n->n_out; j++) {
        const struct edge *e = &g->edge[n->out[j]];
        if (!strcmp(e->key, "*"))
            rest = e;
        else if (value && strlen(e->key) == len && !memcmp(e->key, value, len))
            return e;
    }
    return rest;
}

static int one_branch(struct trace *t, const struct node *n, struct hbatch *h, uint32_t r,
                      json_t *steps)
{
    const struct edge *e = trace_branch_of(t->graph, n, &h->b, r);
    json_t *step = new_step(n);
    json_object_set_new(step, e ? "branch" : "filtered", e ? json_text(e->key) : json_true());
    trace_add_step(t, n, steps, step);
    return e ? trace_walk(t, &t->graph->node[e->to], h, r, steps) : LEAT_OK;
}

/* Follows record r of h through the stages after n. Adds the record with its steps to `records`. */
static int trace_follow(struct trace *t, const struct node *n, struct hbatch *h, uint32_t r,
                        json_t *record, json_t *records)
{
    json_t *steps = json_array();
    h->b.sel[0] = r;
    h->b.n_sel = 1;
    h->b.n_ex_sel = 0;
    int status = trace_walk(t, next_of(t->graph, n), h, r, steps);
    json_object_set_new(record, "stages", steps);
    json_array_append_new(records, record);
    return status;
}

/* ---- records that a stage creates ---- */

/* Adds the records in `out`, each with its steps in later stages, to `made`. */
static int follow_made(struct trace *t, const struct node *n, struct hbatch *out, json_t *made)
{
    int status = LEAT_OK;
    const uint32_t many = out->b.n_sel;
    for (uint32_t k = 0; k < many && status >= 0; k++) {
        json_t *record = trace_record_head(out, k);
        json_t *state = trace_record_state(&out->b, &n->schema_out, k);
        json_object_set(record, "columns", json_object_get(state, "columns"));
        json_decref(state);
        status = trace_follow(t, n, out, k, record, made);
    }
    return status;
}

static int expand_all(struct trace *t, const struct node *n, struct hbatch *in, json_t *made)
{
    struct instance *i = run_instance(&t->run, n, 0);
    struct hbatch *out = new_batch(t);
    int status = out ? LEAT_AGAIN : LEAT_ENOMEM;
    for (bool again = false; status == LEAT_AGAIN; again = true) {
        status = trial_expand(i, in, out, again);
        if (status == LEAT_AGAIN && !out->b.n) status = LEAT_EDATA;
        if (status < 0) break;
        int further = follow_made(t, n, out, made);
        if (further < 0) status = further;
    }
    if (out) batch_free(out);
    return status < 0 ? trace_failed(t, n, status) : LEAT_OK;
}

static int trace_make_records(struct trace *t, const struct node *n, struct hbatch *h, uint32_t r,
                              json_t *steps)
{
    json_t *step = new_step(n), *made = json_array();
    int status = expand_all(t, n, h, made);
    batch_select(h, h->b.n_examples);
    json_object_set_new(step, "made", made);
    add_fate(h, r, step);
    trace_add_step(t, n, steps, step);
    return status;
}

/* ---- from stage to stage ---- */

/* Calls the stages from n on with record r, the only selected record of h. */
static int trace_walk(struct trace *t, struct node *n, struct hbatch *h, uint32_t r, json_t *steps)
{
    int status = LEAT_OK;
    for (; n && status >= 0 && h->b.n_sel; n = next_of(t->graph, n)) {
        if (n->kind == NODE_TEE) return every_branch(t, n, h, r, steps);
        if (n->kind == NODE_ROUTE) return one_branch(t, n, h, r, steps);
        if (!n->stage) continue;
        if (n->stage->kind == LEAT_SINK) {
            add_note(t, n, steps, "a trace does not open sinks");
        } else if (n->asked) {
            add_note(t, n, steps, "asks a learner, which only a run can do");
            return LEAT_OK;
        } else if (n->stage->expand) {
            return trace_make_records(t, n, h, r, steps);
        } else {
            status = one_stage(t, n, h, r, steps);
        }
    }
    return status;
}

static int walk_batch(struct trace *t, struct node *source, struct hbatch *h, uint32_t *left,
                      json_t *records)
{
    int status = LEAT_OK;
    for (uint32_t r = 0; r < h->b.n && *left && status >= 0; r++, --*left)
        status = trace_follow(t, source, h, r, trace_record_head(h, r), records);
    return status;
}

/* Traces the first records of a source. If a followed file has no more records now, does not wait
 * for them. */
static int trace_source(struct trace *t, struct node *source, json_t *records)
{
    uint32_t left = t->options->records;
    t->source = source;
    struct hbatch *h = new_batch(t);
    int status = h ? LEAT_OK : LEAT_ENOMEM, walked = LEAT_OK;
    while (left && status >= 0 && walked >= 0 && status != LEAT_EOS) {
        status = peek_produce(&t->run, source, h);
        if (status >= 0) walked = walk_batch(t, source, h, &left, records);
        if (status == LEAT_AGAIN && files_are_regular_now(t->graph, source)) break;
    }
    if (h) batch_free(h);
    return status < 0 ? trace_failed(t, source, status) : walked;
}

/* Adds the records that stage n emits at the end of a run. */
static int end_stage(struct trace *t, const struct node *n, json_t *ends)
{
    struct hbatch *in = new_batch(t);
    json_t *step = new_step(n), *made = json_array();
    int status = in ? LEAT_OK : trace_failed(t, n, LEAT_ENOMEM);
    if (in) {
        in->source = run_instance(&t->run, t->source, 0);
        in->b.kind = LEAT_BATCH_END;
        status = expand_all(t, n, in, made);
        batch_free(in);
    }
    json_object_set(step, "made", made);
    if (json_array_size(made)) json_array_append(ends, step);
    json_decref(step);
    json_decref(made);
    return status;
}

/* ---- opening ---- */

static bool has_flag(const struct node *n, uint32_t flag)
{
    for (uint32_t k = 0; k < n->stage->n_params; k++)
        if (n->stage->params[k].flags & flag) return true;
    return false;
}

/* True if the source is a topic or a socket. A record that is read here would be lost for other
 * readers. */
static bool trace_is_shared(const struct node *n)
{
    return has_flag(n, LEAT_STREAM) || (n->stage->source->wake && !has_flag(n, LEAT_READS_FILE));
}

static int trace_open_source(struct trace *t, struct node *n)
{
    if (trace_is_shared(n)) {
        log_message(LEAT_ERROR,
                    "%s: leat trace reads only files and standard input, as it would take "
                    "records away from other sources: write some records to a file",
                    n->label);
        return LEAT_EARG;
    }
    int status = run_open_lane(&t->run, n, 0);
    if (status == LEAT_OK && n->framing.header && n->stage->source->header)
        status = run_read_header(&t->run, n);
    if (status == LEAT_OK && !trial_start(&t->run, n)) status = LEAT_EIO;
    return status < 0 ? trace_failed(t, n, t->run.control.failed ? t->run.control.failed : status)
                      : LEAT_OK;
}

static bool trace_is_source(const struct node *n)
{
    return n->stage && n->stage->kind == LEAT_SOURCE;
}

static int open_sources(struct trace *t)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < t->graph->n_nodes && status >= 0; i++)
        if (trace_is_source(t->graph->order[i])) status = trace_open_source(t, t->graph->order[i]);
    return status;
}

static bool has_state(const struct trace *t, const struct node *n, const struct instance *i)
{
    const struct trace_options *o = t->options;
    return o->from && n->stage->state->restore && !fingerprint_has_changed(&o->changes, n->id) &&
           instance_state_is_in(i, o->from);
}

static int trace_open_stage(struct trace *t, struct node *n)
{
    struct instance *i = run_instance(&t->run, n, 0);
    int status = run_open_lane(&t->run, n, 0);
    if (status == LEAT_OK && has_state(t, n, i))
        status = instance_state_restore_stage(i, t->options->from);
    if (status == LEAT_OK && !trial_start(&t->run, n)) status = LEAT_EIO;
    return status < 0 ? trace_failed(t, n, t->run.control.failed ? t->run.control.failed : status)
                      : LEAT_OK;
}

static int open_stages(struct trace *t)
{
    int status = LEAT_OK;
    t->stage = arena_alloc(t->graph->arena, (t->graph->n_nodes + 1) * sizeof *t->stage);
    for (uint32_t i = 0; i < t->graph->n_nodes && status >= 0; i++) {
        struct node *n = t->graph->order[i];
        if (trace_is_source(n) || !is_called(n)) continue;
        if ((status = trace_open_stage(t, n)) >= 0) t->stage[t->n_stages++] = n;
    }
    return status;
}

/* Closes all stages without their final checks, because they have seen only some records. Failures
 * have already been reported. */
static void trace_close_all(struct trace *t)
{
    atomic_store(&t->run.control.stopping, true);
    for (uint32_t i = 0; i < t->graph->n_nodes; i++)
        if (t->graph->order[i]->stage) trial_end(&t->run, t->graph->order[i], false);
    run_close(&t->run);
}

static int trace_all(struct trace *t, json_t *records, json_t *ends)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < t->graph->n_nodes && status >= 0; i++)
        if (trace_is_source(t->graph->order[i]))
            status = trace_source(t, t->graph->order[i], records);
    for (uint32_t i = 0; i < t->n_stages && status >= 0; i++)
        if (t->stage[i]->stage->expand) status = end_stage(t, t->stage[i], ends);
    return status;
}

int trace_make(struct graph *g, const struct trace_options *o, struct diag *d, json_t **out)
{
    struct trace t = {.options = o, .graph = g};
    g->shows_all = true;
    json_t *records = json_array(), *ends = json_array();
    if (g->options.batch_rows > o->records) g->options.batch_rows = o->records;
    run_init(&t.run, g);
    int status = open_sources(&t);
    if (status == LEAT_OK) status = negotiate(g, d);
    if (status == LEAT_OK) status = open_stages(&t);
    if (status == LEAT_OK) status = trace_all(&t, records, ends);
    *out = json_pack("{s:o, s:b, s:o}", "pipeline", json_text(g->name), "learns", (int)o->learns,
                     "records", records);
    if (json_array_size(ends)) json_object_set(*out, "end", ends);
    json_decref(ends);
    trace_close_all(&t);
    return status;
}

/* ---- `leat trace` ---- */

enum { DEFAULT_RECORDS = 5 };

/* Returns the options of --state for a trace. They omit the states of sources and sinks, because a
 * trace may use other inputs and outputs. */
static struct checkpoint_options trace_options_of(struct session *s, const struct command_line *c)
{
    struct checkpoint_options o = c->state;
    const char **apart = arena_alloc(&s->arena, (s->graph.n_nodes + 1) * sizeof *apart);
    o.resets = (struct free_change_resets){apart, 0};
    for (uint32_t i = 0; i < s->graph.n_nodes; i++) {
        const struct node *n = &s->graph.node[i];
        if (n->stage && (n->stage->kind == LEAT_SOURCE || n->stage->kind == LEAT_SINK))
            apart[o.resets.n++] = n->id;
    }
    return o;
}

/* Adds only the errors of `from` to `to`. Warnings, such as that a source restarts, do not apply to
 * a trace. */
static void take_errors(struct diag *to, const struct diag *from)
{
    for (const struct problem *p = from->first; p; p = p->next)
        if (p->severity != DIAG_WARNING)
            diag_add(to, DIAG_ERROR, p->at, p->stage, p->param, "%s", p->text);
}

/* Reads the snapshot of --state. Returns LEAT_OK if the option is absent. */
static int trace_read_state(struct session *s, const struct command_line *c, struct snapshot *from)
{
    if (!c->state.dir) return LEAT_OK;
    struct checkpoint_options o = trace_options_of(s, c);
    struct diag found = {.arena = &s->arena};
    forecast_make(&s->forecast, &s->graph, &o, &found);
    take_errors(&s->diag, &found);
    if (s->diag.errors) return LEAT_EARG;
    int status = snapshot_dir_newest(c->state.dir, from);
    if (status == LEAT_OK) return LEAT_OK;
    log_message(LEAT_ERROR, "--state %s: this folder has no readable snapshot", c->state.dir);
    return status;
}

/* Sets *only to the stage of --stage, or to NULL without that option. */
static int trace_find_stage(const struct session *s, const struct command_line *c,
                            const struct node **only)
{
    *only = c->stage ? graph_find(&s->graph, c->stage) : NULL;
    if (!c->stage || *only) return LEAT_OK;
    log_message(LEAT_ERROR,
                "--stage: the pipeline has no stage '%s'; `leat graph` shows their names",
                c->stage);
    return LEAT_EARG;
}

static int trace(struct session *s, const struct command_line *c)
{
    struct snapshot from = {0};
    struct trace_options o = {.records = c->records ? c->records : DEFAULT_RECORDS,
                              .learns = c->learn};
    json_t *found = NULL;
    int status = trace_find_stage(s, c, &o.only);
    if (status == LEAT_OK) status = trace_read_state(s, c, &from);
    if (c->state.dir) o.from = &from;
    o.changes = s->forecast.changes;
    if (status == LEAT_OK) status = trace_make(&s->graph, &o, &s->diag, &found);
    if (found && c->json)
        json_print(found, JSON_INDENT(2), stdout);
    else if (found)
        trace_print(found);
    if (found && !c->json) json_decref(found);
    snapshot_free(&from);
    return status;
}

int command_trace(const struct command_line *c)
{
    struct session s;
    struct command_line stateless = *c; /* trace() reads the state by itself; the preparation must
                                         * not check --state as for a run */
    stateless.state.dir = NULL;
    log_set_level(c->log_level >= 0 ? c->log_level : LEAT_WARN);
    int status = session_prepare(&s, &stateless, SESSION_HEADERS);
    int code = session_only_files(&s.diag) ? EXIT_DATA : EXIT_CONFIG;
    if (status == LEAT_OK) {
        status = trace(&s, c);
        code = status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
    }
    session_print_problems(&s, c);
    session_release(&s);
    return code;
}
