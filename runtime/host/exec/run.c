/* run.c -- implementation of run.h: builds workers, opens stages, starts and ends runs. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report/byte_size.h"
#include "core/report/terminal.h"
#include "core/time/clock.h"
#include "host/exec/answers/answer.h"
#include "host/exec/instance/inspect.h"
#include "host/exec/instance/observe.h"
#include "host/exec/plan/plan_memory.h"
#include "host/exec/worker/visits.h"
#include "host/exec/worker/worker.h"
#include "host/flow/guarded.h"
#include "host/graph/linalg.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/graph/outside/files.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/metrics/time_counts.h"
#include "host/plugin/status_text.h"

/* ---- making the instances, workers, rings and pools ---- */

static void *run_new_zeroed(struct run *r, size_t n, size_t size)
{
    return arena_alloc(r->graph->arena, n * size);
}

static void *run_new_self(struct run *r, size_t bytes)
{
    if (!r->inspects) return run_new_zeroed(r, 1, bytes + 1);
    void *self = guarded_take(&r->guarded, bytes, "self, its own memory");
    if (!self) memory_lost();
    return self;
}

static pthread_mutex_t *run_new_turn(struct run *r)
{
    pthread_mutex_t *turn = run_new_zeroed(r, 1, sizeof *turn);
    pthread_mutex_init(turn, NULL);
    return turn;
}

static void run_make_instances(struct run *r)
{
    struct graph *g = r->graph;
    r->instance = run_new_zeroed(r, g->n_nodes, sizeof *r->instance);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        r->instance[i] = run_new_zeroed(r, (size_t)n->lanes, sizeof **r->instance);
        for (int lane = 0; lane < n->lanes && n->stage; lane++) {
            struct instance *k = &r->instance[i][lane];
            k->ctx = (struct leat_ctx){.size = sizeof k->ctx,
                                       .lane = (uint32_t)lane,
                                       .host = &host_services,
                                       .id = n->id,
                                       .cfg = n->cfg,
                                       .in = &n->shown_in,
                                       .out = &n->shown_out,
                                       .framing = n->framing,
                                       .continued = g->snapshots && !g->split,
                                       .pipeline = g->name};
            k->node = n;
            k->run = r;
            k->own = k;
            k->ctx.split = g->split != NULL;
            k->self = run_new_self(r, n->stage->instance_size);
            if (n->stage->letters->take) k->turn = run_new_turn(r);
        }
    }
}

int run_open_lane(struct run *r, struct node *n, uint32_t lane)
{
    return instance_open(run_instance(r, n, lane));
}

int run_open_stage(struct run *r, struct node *n)
{
    int status = LEAT_OK;
    for (int lane = 0; lane < n->lanes && status == LEAT_OK; lane++)
        status = run_open_lane(r, n, (uint32_t)lane);
    return status;
}

static int run_open_kind(struct run *r, int sources)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = r->graph->order[i];
        if (!n->stage || (n->stage->kind == LEAT_SOURCE) != sources) continue;
        int status = run_open_stage(r, n);
        if (status < 0) return status;
    }
    return LEAT_OK;
}

/* True if the run was stopped but has not failed. The status of a source that was woken before its
 * header came is then ignored. */
static bool run_asked_to_end(const struct run *r)
{
    return atomic_load(&r->control.stopping) && !atomic_load(&r->control.failed);
}

int run_read_header(struct run *r, struct node *n)
{
    struct instance *k = run_instance(r, n, 0);
    const char *text = "";
    uint32_t len = 0;
    instance_enter(k, "header", clock_ns());
    int status = n->stage->source->header(&k->ctx, k->self, &text, &len);
    instance_leave(k);
    if (run_asked_to_end(r)) return LEAT_EOS;
    status = instance_check(k, "header", status);
    if (status < 0)
        return control_fail(&r->control, status, "%s: its header cannot be read: %s", n->label,
                            status_text(status));
    if (status == LEAT_EOS) return LEAT_EOS;
    r->no_input |= !text;
    n->schema_out.header = arena_strndup(r->graph->arena, text ? text : "", len);
    n->schema_out.header_len = len;
    return LEAT_OK;
}

/* Reads the headers of the open inputs, and negotiates again with them. */
static int run_read_headers(struct run *r, struct diag *d)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = &r->graph->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE || !n->framing.header ||
            !n->stage->source->header)
            continue;
        int status = run_read_header(r, n);
        if (status != LEAT_OK) return status;
    }
    return negotiate(r->graph, d);
}

static int run_make_pools(struct run *r)
{
    char size[BYTE_SIZE_TEXT];
    r->pool = run_new_zeroed(r, r->plan.n_pools, sizeof *r->pool);
    for (uint32_t i = 0; i < r->plan.n_pools; i++) {
        r->plan.pool[i].shape.guarded = r->inspects;
        if (pool_init(&r->pool[i], r->plan.pool[i].n, &r->plan.pool[i].shape) != LEAT_OK)
            return control_fail(
                &r->control, LEAT_ENOMEM, "there is not enough memory for %u batches of %s",
                (unsigned)r->plan.pool[i].n, byte_size(batch_bytes(&r->plan.pool[i].shape), size));
    }
    return LEAT_OK;
}

static int run_make_asks(struct run *r)
{
    r->ask = run_new_zeroed(r, r->plan.n_asks + 1, sizeof *r->ask);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = &r->graph->node[i];
        if (!n->asked) continue;
        struct instance *learner = run_instance(r, n->asked, 0);
        struct ask *a = &r->ask[r->n_asks++];
        if (ask_init(a, &n->ask, learner, run_instance(r, n, 0)) != LEAT_OK)
            return control_fail(&r->control, LEAT_ENOMEM,
                                "%s: there is not enough memory for %u rows", n->label,
                                (unsigned)n->ask.k);
        if (!learner->learning.asks)
            learner->learning.asks =
                run_new_zeroed(r, r->plan.n_asks, sizeof *learner->learning.asks);
        r->n_asked += !learner->learning.n_asks;
        learner->learning.asks[learner->learning.n_asks++] = a;
        learner->learning.asked.counts |= n->ask.event_time && n->ask.every.ns > 0;
    }
    return LEAT_OK;
}

static void run_keep_last_rows(struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = &r->graph->node[i];
        if (n->stage) run_instance(r, n, 0)->writing.last_rows = last_rows_new(n, r->graph->arena);
    }
}

static void run_table_line(void *to, const char *text) { log_line(text); }

static int run_make_progressive(struct run *r, int quiet)
{
    r->table.line = quiet ? NULL : run_table_line;
    r->table.terminal = terminal_columns(STDERR_FILENO);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        struct instance *k = run_instance(r, n, 0);
        k->learning.progressive = instance_figures(n, &r->table);
        if (!k->learning.progressive)
            return control_fail(&r->control, LEAT_ENOMEM,
                                "%s: there is not enough memory for its figures", n->label);
        k->learning.times = arena_alloc(r->graph->arena, sizeof *k->learning.times);
    }
    return LEAT_OK;
}

/* Makes the rings of each link, one for each lane of the side with more lanes, and gives them to
 * the workers of both sides. */
static int run_make_links(struct run *r, struct worker **first)
{
    for (uint32_t i = 0; i < r->plan.n_links; i++) {
        const struct link *l = &r->plan.link[i];
        uint32_t a = l->from->lanes, b = l->to->lanes, n = a > b ? a : b;
        for (uint32_t k = 0; k < n; k++) {
            struct ring *q = run_new_zeroed(r, 1, sizeof *q);
            if (ring_init(q, r->plan.ring_slots) != LEAT_OK)
                return control_fail(&r->control, LEAT_ENOMEM,
                                    "there is not enough memory for a ring");
            struct worker *from = first[l->from->index] + (a > 1 ? k : 0);
            struct worker *to = first[l->to->index] + (b > 1 ? k : 0);
            if (l->pool) from->branch_pool[from->n_out] = &r->pool[l->pool - r->plan.pool];
            from->out[from->n_out++] = q;
            to->in[to->n_in++] = q;
        }
    }
    return LEAT_OK;
}

/* Makes a message, a batch without records, that a worker sends to later workers. */
static struct hbatch *run_make_message(struct run *r, enum leat_batch_kind kind)
{
    struct hbatch *h = run_new_zeroed(r, 1, sizeof *h);
    h->b.size = sizeof h->b;
    h->b.kind = kind;
    h->table = run_new_zeroed(r, r->plan.n_asks + 1, sizeof(struct table *));
    return h;
}

static void run_make_worker(struct run *r, struct worker *w, const struct segment *s, uint32_t lane)
{
    uint32_t max = r->plan.n_links * 64 + 1;
    *w = (struct worker){.run = r,
                         .segment = s,
                         .lane = lane,
                         .n_steps = s->n_nodes,
                         .idle.answer = visits_answer_now};
    w->step = run_new_zeroed(r, s->n_nodes + 1, sizeof *w->step);
    w->in = run_new_zeroed(r, max, sizeof *w->in);
    w->in_ended = run_new_zeroed(r, max, sizeof *w->in_ended);
    w->held = run_new_zeroed(r, max, sizeof *w->held);
    w->next = run_new_zeroed(r, s->n_turns + 1, sizeof *w->next);
    w->out = run_new_zeroed(r, max, sizeof *w->out);
    w->branch_pool = run_new_zeroed(r, max, sizeof *w->branch_pool);
    w->seen.taken = run_new_zeroed(r, max, sizeof *w->seen.taken);
    w->branch = run_new_zeroed(r, (size_t)r->graph->options.batch_rows, sizeof *w->branch);
    w->in_barred = run_new_zeroed(r, max, sizeof *w->in_barred);
    w->end = run_make_message(r, LEAT_BATCH_END);
    w->barrier = run_make_message(r, LEAT_BATCH_BARRIER);
    for (uint32_t k = 0; k < s->n_nodes; k++)
        w->step[k] = run_instance(r, s->node[k], lane);
    if (s->pieces) w->piece_pool = &r->pool[s->pieces - r->plan.pool];
    for (uint32_t k = 0; k < r->plan.n_pools; k++)
        if (s->n_nodes && r->plan.pool[k].maker == s->node[0])
            *(s->node[0]->stage->expand ? &w->made_pool : &w->source_pool) = &r->pool[k];
}

static int run_make_workers(struct run *r)
{
    struct worker **first = run_new_zeroed(r, r->plan.n_segments, sizeof *first);
    r->worker = run_new_zeroed(r, r->plan.threads, sizeof *r->worker);
    for (uint32_t i = 0; i < r->plan.n_segments; i++) {
        const struct segment *s = &r->plan.segment[i];
        first[i] = &r->worker[r->n_workers];
        for (uint32_t lane = 0; lane < s->lanes; lane++)
            run_make_worker(r, &r->worker[r->n_workers++], s, lane);
    }
    return run_make_links(r, first);
}

/* control.wake: wakes sources that wait for records, and workers that wait for a checkpoint. */
static void run_wake_all(struct control *control)
{
    struct run *r = (struct run *)(void *)((char *)control - offsetof(struct run, control));
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct leat_stage *stage = r->graph->node[i].stage;
        if (stage && stage->kind == LEAT_SOURCE && atomic_load(&control->at_work))
            instance_wake(r->instance[i]);
    }
    if (r->checkpoint_hooks) r->checkpoint_hooks->stir(r);
}

void run_init(struct run *r, struct graph *g)
{
    *r = (struct run){.graph = g, .inspects = g->inspects, .mute = log_is_hushed()};
    control_init(&r->control, run_wake_all);
    visits_init(&r->visits);
    r->start = clock_ns();
    rejects_init(&r->rejects, &g->options, r);
    run_make_instances(r);
}

static bool run_is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return !stat(path, &b) && S_ISREG(b.st_mode) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

static int run_spare_inputs_of(struct run *r, const struct file_use *o)
{
    struct stat about;
    if (stat(o->path, &about) || !S_ISREG(about.st_mode)) return LEAT_OK;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        const struct instance *s = run_instance(r, n, 0);
        for (uint32_t k = 0; k < s->reading.n_inputs; k++)
            if (s->reading.input[k] && run_is_same_file(&about, s->reading.input[k]))
                return control_fail(
                    &r->control, LEAT_EARG,
                    "%s: %s = \"%s\" is also an input of %s and would be overwritten", o->stage,
                    o->param, o->path, n->label);
    }
    return LEAT_OK;
}

static void run_attach_observers(struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        for (int lane = 0; lane < r->graph->node[i].lanes && r->graph->node[i].stage; lane++)
            observe_attach(&r->instance[i][lane]);
}

/* Checks, before any output is opened, that no output file is also an input, which it would
 * overwrite. graph/outside/files.h has compared only the names in parameters; this compares the
 * files that sources have opened. */
static int run_spare_inputs(struct run *r)
{
    struct file_cursor at = {0};
    struct file_use o;
    int status = LEAT_OK;
    while (status == LEAT_OK && files_next(r->graph, LEAT_WRITES_FILE, &at, &o))
        status = run_spare_inputs_of(r, &o);
    return status;
}

/* Calls `plan` of the sources, which limits their memory. Ignores failures, because plan_make
 * reports them later. */
static void run_plan_sources(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && g->node[i].stage->kind == LEAT_SOURCE)
            plan_memory_stage(g, &g->node[i]);
}

/* Opens the inputs first, so that no output is touched if an input is missing or would be
 * overwritten. */
int run_open(struct run *r, struct diag *d, int quiet)
{
    int status;
    run_plan_sources(r->graph);
    if ((status = run_open_kind(r, 1)) < 0 || (status = run_read_headers(r, d)) != LEAT_OK)
        return status;
    if (plan_make(&r->plan, r->graph, d) != LEAT_OK) return LEAT_EARG;
    plan_memory_check_limit(&r->plan, r->graph, d);
    const char *lacks = linalg_reserve(r->plan.threads, r->graph->arena);
    if (lacks) return control_fail(&r->control, LEAT_ENOMEM, "%s", lacks);
    if ((status = run_spare_inputs(r)) < 0 || (status = rejects_open(&r->rejects)) < 0)
        return status;
    run_keep_last_rows(r);
    if ((status = run_make_pools(r)) < 0 || (status = run_make_asks(r)) < 0 ||
        (status = run_open_kind(r, 0)) < 0 || (status = run_make_progressive(r, quiet)) < 0 ||
        (status = run_make_workers(r)) < 0)
        return status;
    run_attach_observers(r);
    const char *fault = plan_memory_fault(&r->plan, r->graph->arena);
    return fault ? control_fail(&r->control, LEAT_ENOMEM, "%s", fault) : LEAT_OK;
}

/* ---- progress of the whole run ---- */

uint64_t run_records(const struct run *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->kind == LEAT_SOURCE)
            n += atomic_load_explicit(&r->instance[i]->count.in, memory_order_relaxed);
    return n;
}

bool run_waits(struct run *r, char *out, size_t cap)
{
    const struct instance *waiting = NULL;
    *out = 0;
    for (uint32_t k = 0; k < r->graph->n_nodes && !waiting; k++) {
        const struct node *n = &r->graph->node[k];
        for (uint32_t lane = 0; n->stage && lane < (uint32_t)n->lanes && !waiting; lane++)
            if (atomic_load(&run_instance(r, n, lane)->waits)) waiting = run_instance(r, n, lane);
    }
    if (!waiting) return false;
    pthread_mutex_lock(&r->control.mu);
    snprintf(out, cap, "%s waits: %s", waiting->node->label, waiting->waits_for);
    pthread_mutex_unlock(&r->control.mu);
    return true;
}

int64_t run_lag(const struct run *r)
{
    int64_t sum = LAG_NONE;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = &r->graph->node[k];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        struct lag *l =
            atomic_load_explicit(&run_instance(r, n, 0)->reading.lag, memory_order_acquire);
        int64_t total = l ? atomic_load_explicit(&l->total, memory_order_relaxed) : LAG_NONE;
        if (total == LAG_NONE) continue;
        if (total < 0) return -1;
        sum = sum == LAG_NONE ? total : sum + total;
    }
    return sum;
}

/* ---- start, end and close of a run ---- */

void run_pace(struct run *r)
{
    r->paced = true;
    for (uint32_t k = 0; k < r->n_workers; k++)
        if (r->worker[k].source_pool && instance_share(r->worker[k].step[0]) < 0) r->paced = false;
    for (uint32_t k = 0; k < r->n_workers; k++) {
        struct worker *w = &r->worker[k];
        if (w->source_pool) w->position = run_position(w->step[0]);
        for (uint32_t i = 0; i < w->segment->n_turns; i++)
            w->next[i] = run_position(run_instance(r, w->segment->turn[i].source, 0));
    }
}

static void run_join_threads(struct run *r)
{
    for (uint32_t i = 0; i < r->control.n_threads; i++)
        pthread_join(r->worker[i].thread, NULL);
}

int run_start(struct run *r)
{
    struct control *c = &r->control;
    assert(r->n_workers > 0 && !c->n_threads);
    if (r->table.line && r->table.learners && !r->shard_hooks) progressive_heading(&r->table);
    r->start = clock_ns();
    r->before = run_records(r);
    atomic_store(&c->at_work, r->n_workers);
    int failed = 0;
    inspect_output_begin(r);
    pthread_mutex_lock(&c->mu); /* worker_main takes mu first, and so waits for all threads */
    while (c->n_threads < r->n_workers && !failed) {
        struct worker *w = &r->worker[c->n_threads];
        failed = pthread_create(&w->thread, NULL, worker_main, w);
        c->n_threads += !failed;
    }
    pthread_mutex_unlock(&c->mu);
    if (!failed) return LEAT_OK;
    run_join_threads(r);
    inspect_output_end(r);
    return control_fail(c, LEAT_ENOMEM, "the system gives no thread for worker %u of %u: %s",
                        (unsigned)c->n_threads + 1, (unsigned)r->n_workers, strerror(failed));
}

void run_join(struct run *r)
{
    run_join_threads(r);
    inspect_output_end(r);
    rejects_deliver(&r->rejects);
    if (!r->control.failed) rejects_finish(&r->rejects);
    r->end = clock_ns();
}

/* Calls a stage's finish with the instances of all lanes. */
static void run_finish_stage(struct run *r, const struct node *n)
{
    void *self[GRAPH_MAX_LANES];
    struct instance *first = run_instance(r, n, 0);
    for (int lane = 0; lane < n->lanes; lane++)
        self[lane] = run_instance(r, n, (uint32_t)lane)->self;
    instance_enter(first, "finish", clock_ns());
    n->stage->finish(&first->ctx, self, (uint32_t)n->lanes);
    instance_leave(first);
}

void run_finish(struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (n->stage && n->stage->finish) run_finish_stage(r, n);
    }
}

static void run_close_instance(struct instance *i)
{
    instance_close(i);
    progressive_free(i->learning.progressive);
    kept_answers_free(i);
    for (uint32_t k = 0; k < i->reading.n_inputs; k++)
        free((char *)i->reading.input[k]);
    free(i->reading.input);
    free(i->reading.lag);
    free(i->reading.group);
    if (i->writing.output > 0) close(i->writing.output);
    if (i->turn) pthread_mutex_destroy(i->turn);
}

void run_close(struct run *r)
{
    for (uint32_t i = r->graph->n_nodes; i-- > 0;)
        for (int lane = 0; lane < r->graph->node[i].lanes && r->graph->node[i].stage; lane++)
            run_close_instance(run_instance(r, &r->graph->node[i], (uint32_t)lane));
    for (uint32_t i = 0; i < r->n_workers; i++)
        for (uint32_t k = 0; k < r->worker[i].n_in; k++)
            ring_fini(r->worker[i].in[k]);
    for (uint32_t i = 0; i < r->n_asks; i++)
        ask_fini(&r->ask[i]);
    for (uint32_t i = 0; i < r->plan.n_pools && r->pool; i++)
        pool_fini(&r->pool[i]);
    guarded_free(r->guarded);
    visits_fini(&r->visits);
    control_fini(&r->control);
}
