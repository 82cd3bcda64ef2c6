/* run.c -- building a run from a checked graph, starting it, taking it down. */
#include "run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "report/byte_size.h"
#include "base/time/clock.h"
#include "base/log/log.h"
#include "base/memory/memory.h"
#include "base/calls/status_text.h"
#include "base/time/steady_cond.h"
#include "report/terminal.h"
#include "graph/negotiate.h"
#include "exec/instance/host.h"
#include "exec/instance/inspect.h"
#include "output_conflicts.h"
#include "exec/plan/plan_limit.h"
#include "exec/plan/plan_memory.h"
#include "exec/worker/visits.h"
#include "exec/instance/last_rows.h"
#include "exec/worker/worker.h"
#include "flow/guarded.h"
#include "exec/instance/returned.h"

static void *new_zeroed(struct run *r, size_t n, size_t size)
{
    return arena_alloc(r->graph->arena, n * size);
}

int run_fail(struct run *r, int status, const char *format, ...)
{
    pthread_mutex_lock(&r->mu);
    if (!atomic_load(&r->failed)) {
        va_list args;
        va_start(args, format);
        vsnprintf(r->reason, sizeof r->reason, format, args);
        va_end(args);
        atomic_store(&r->failed, status);
    }
    pthread_mutex_unlock(&r->mu);
    run_stop(r);
    return status;
}

void run_halt(struct run *r) { atomic_store(&r->halted, 1); }

void run_wake_source(const struct run *r, const struct node *source)
{
    if (!source->stage->source->wake) return;
    call_trap_enter(source->label, "wake");
    source->stage->source->wake(r->instance[source->index]->self);
    call_trap_leave();
}

void run_stop(struct run *r)
{
    if (atomic_exchange(&r->stopping, 1)) return;
    uint64_t one = 1;
    if (r->stop_fd >= 0 && write(r->stop_fd, &one, sizeof one) < 0)
        log_message(LEAT_DEBUG, "stop: %s", strerror(errno));
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (n->stage && atomic_load(&r->at_work)) run_wake_source(r, n);
    }
    if (r->checkpoint_hooks) r->checkpoint_hooks->stopping(r);
}

struct instance *run_instance(const struct run *r, const struct node *n, uint32_t lane)
{
    assert(lane < (uint32_t)n->lanes);
    return &r->instance[n->index][lane];
}

const char *run_input_name(const struct instance *source, uint32_t input)
{
    pthread_mutex_lock(&source->run->mu);
    const char *name = input < source->n_inputs ? source->input[input] : NULL;
    pthread_mutex_unlock(&source->run->mu);
    return name;
}

const char *run_input(const struct instance *source, uint32_t input)
{
    const char *name = source ? run_input_name(source, input) : NULL;
    return name ? name : "input";
}

const char *run_origin(const struct instance *source, const struct batch_origin *o)
{
    if (o->name) return o->name;
    return o->maker ? o->maker->node->id : run_input(source, o->input);
}

void run_describe(const void *batch, char *out, size_t cap)
{
    struct hbatch *h = (struct hbatch *)batch;
    if (!h->b.n) return;
    struct batch_origin o = batch_origin(h, 0);
    const char *name = run_origin(h->source, &o);
    if (o.line)
        snprintf(out, cap, "the batch begins at %s:%llu", name, (unsigned long long)o.line);
    else
        snprintf(out, cap, "the batch begins at record %llu of %s", (unsigned long long)o.offset,
                 name);
}

/* mu held: memory for the names of `input` and all before it. */
static int reserve_inputs(struct instance *s, uint32_t input)
{
    if (input < s->n_inputs) return LEAT_OK;
    const char **all = realloc(s->input, (input + 1) * sizeof *all);
    if (!all) return LEAT_ENOMEM;
    memset(all + s->n_inputs, 0, (input + 1 - s->n_inputs) * sizeof *all);
    s->input = all;
    s->n_inputs = input + 1;
    return LEAT_OK;
}

int run_name_input(struct instance *source, uint32_t input, const char *name)
{
    pthread_mutex_lock(&source->run->mu);
    int status = reserve_inputs(source, input);
    int same = status == LEAT_OK && source->input[input] && !strcmp(source->input[input], name);
    char *copy = status == LEAT_OK && !same ? strdup(name) : NULL;
    if (copy) {
        free((char *)source->input[input]);
        source->input[input] = copy;
    }
    pthread_mutex_unlock(&source->run->mu);
    return same || copy ? LEAT_OK : LEAT_ENOMEM;
}

uint64_t run_records(const struct run *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->kind == LEAT_SOURCE)
            n += atomic_load_explicit(&r->instance[i]->in, memory_order_relaxed);
    return n;
}

static void *new_self(struct run *r, size_t bytes)
{
    if (!r->inspects) return new_zeroed(r, 1, bytes + 1);
    void *self = guarded_take(&r->guarded, bytes, "self, its own memory");
    if (!self) memory_lost();
    return self;
}

static pthread_mutex_t *new_turn(struct run *r)
{
    pthread_mutex_t *turn = new_zeroed(r, 1, sizeof *turn);
    pthread_mutex_init(turn, NULL);
    return turn;
}

static void make_instances(struct run *r)
{
    struct graph *g = r->graph;
    r->instance = new_zeroed(r, g->n_nodes, sizeof *r->instance);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        r->instance[i] = new_zeroed(r, (size_t)n->lanes, sizeof **r->instance);
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
                                       .pipeline = g->name};
            k->node = n;
            k->run = r;
            k->own = k;
            k->self = new_self(r, n->stage->instance_size);
            if (n->stage->letters->take) k->turn = new_turn(r);
        }
    }
}

int run_open_lane(struct run *r, struct node *n, uint32_t lane)
{
    return host_open(run_instance(r, n, lane));
}

int run_open_stage(struct run *r, struct node *n)
{
    int status = LEAT_OK;
    for (int lane = 0; lane < n->lanes && status == LEAT_OK; lane++)
        status = run_open_lane(r, n, (uint32_t)lane);
    return status;
}

static int open_kind(struct run *r, int sources)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = r->graph->order[i];
        if (!n->stage || (n->stage->kind == LEAT_SOURCE) != sources) continue;
        int status = run_open_stage(r, n);
        if (status < 0) return status;
    }
    return LEAT_OK;
}

/* A source may answer as it likes when it is woken before its header came. */
static bool asked_to_end(const struct run *r)
{
    return atomic_load(&r->stopping) && !atomic_load(&r->failed);
}

int run_read_header(struct run *r, struct node *n)
{
    struct instance *k = run_instance(r, n, 0);
    const char *text = "";
    uint32_t len = 0;
    instance_enter(k, "header", clock_ns());
    int status = n->stage->source->header(&k->ctx, k->self, &text, &len);
    instance_leave(k);
    if (asked_to_end(r)) return LEAT_EOS;
    status = returned(k, "header", status);
    if (status < 0)
        return run_fail(r, status, "%s: its header cannot be read: %s", n->label,
                        status_text(status));
    if (status == LEAT_EOS) return LEAT_EOS;
    n->schema_out.header = arena_strndup(r->graph->arena, text, len);
    n->schema_out.header_len = len;
    return LEAT_OK;
}

/* Once the inputs are open, headers can be read, and schemas that depend on them are completed. */
static int read_headers(struct run *r, struct diag *d)
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

static int make_pools(struct run *r)
{
    char size[BYTE_SIZE_TEXT];
    r->pool = new_zeroed(r, r->plan.n_pools, sizeof *r->pool);
    for (uint32_t i = 0; i < r->plan.n_pools; i++) {
        r->plan.pool[i].shape.guarded = r->inspects;
        if (pool_init(&r->pool[i], r->plan.pool[i].n, &r->plan.pool[i].shape) != LEAT_OK)
            return run_fail(r, LEAT_ENOMEM, "there is not enough memory for %u batches of %s",
                            (unsigned)r->plan.pool[i].n,
                            byte_size(batch_bytes(&r->plan.pool[i].shape), size));
    }
    return LEAT_OK;
}

static int make_asks(struct run *r)
{
    r->ask = new_zeroed(r, r->plan.n_asks + 1, sizeof *r->ask);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = &r->graph->node[i];
        if (!n->asked) continue;
        struct instance *learner = run_instance(r, n->asked, 0);
        struct ask *a = &r->ask[r->n_asks++];
        if (ask_init(a, &n->ask, learner, run_instance(r, n, 0)) != LEAT_OK)
            return run_fail(r, LEAT_ENOMEM, "%s: there is not enough memory for %u rows", n->label,
                            (unsigned)n->ask.k);
        if (!learner->asks) learner->asks = new_zeroed(r, r->plan.n_asks, sizeof *learner->asks);
        learner->asks[learner->n_asks++] = a;
    }
    return LEAT_OK;
}

static void keep_last_rows(struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = &r->graph->node[i];
        if (n->stage) run_instance(r, n, 0)->last_rows = last_rows_new(n, r->graph->arena);
    }
}

static void table_line(void *to, const char *text) { log_line(text); }

static int make_progressive(struct run *r, int quiet)
{
    r->table.line = quiet ? NULL : table_line;
    r->table.terminal = terminal_columns(STDERR_FILENO);
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        struct instance *k = run_instance(r, n, 0);
        k->progressive = progressive_new(n->id, graph_score(n), &r->table);
        if (!k->progressive)
            return run_fail(r, LEAT_ENOMEM, "%s: there is not enough memory for its metrics",
                            n->label);
    }
    return LEAT_OK;
}

/* Links become rings, as many as the wider side has lanes; each worker gets its own. */
static int make_links(struct run *r, struct worker **first)
{
    for (uint32_t i = 0; i < r->plan.n_links; i++) {
        const struct link *l = &r->plan.link[i];
        uint32_t a = l->from->lanes, b = l->to->lanes, n = a > b ? a : b;
        for (uint32_t k = 0; k < n; k++) {
            struct ring *q = new_zeroed(r, 1, sizeof *q);
            if (ring_init(q, r->plan.ring_slots) != LEAT_OK)
                return run_fail(r, LEAT_ENOMEM, "there is not enough memory for a ring");
            struct worker *from = first[l->from->index] + (a > 1 ? k : 0);
            struct worker *to = first[l->to->index] + (b > 1 ? k : 0);
            if (l->pool) from->branch_pool[from->n_out] = &r->pool[l->pool - r->plan.pool];
            from->out[from->n_out++] = q;
            to->in[to->n_in++] = q;
        }
    }
    return LEAT_OK;
}

/* A message to the workers after one, without records. */
static struct hbatch *make_message(struct run *r, enum leat_batch_kind kind)
{
    struct hbatch *h = new_zeroed(r, 1, sizeof *h);
    h->b.size = sizeof h->b;
    h->b.kind = kind;
    h->table = new_zeroed(r, r->plan.n_asks + 1, sizeof(struct table *));
    return h;
}

static void make_worker(struct run *r, struct worker *w, const struct segment *s, uint32_t lane)
{
    uint32_t max = r->plan.n_links * 64 + 1;
    *w = (struct worker){.run = r,
                         .segment = s,
                         .lane = lane,
                         .n_steps = s->n_nodes,
                         .idle.answer = visits_answer_now};
    w->step = new_zeroed(r, s->n_nodes + 1, sizeof *w->step);
    w->in = new_zeroed(r, max, sizeof *w->in);
    w->in_ended = new_zeroed(r, max, sizeof *w->in_ended);
    w->held = new_zeroed(r, max, sizeof *w->held);
    w->next = new_zeroed(r, s->n_turns + 1, sizeof *w->next);
    w->out = new_zeroed(r, max, sizeof *w->out);
    w->branch_pool = new_zeroed(r, max, sizeof *w->branch_pool);
    w->seen.taken = new_zeroed(r, max, sizeof *w->seen.taken);
    w->branch = new_zeroed(r, (size_t)r->graph->options.batch_rows, sizeof *w->branch);
    w->in_barred = new_zeroed(r, max, sizeof *w->in_barred);
    w->end = make_message(r, LEAT_BATCH_END);
    w->barrier = make_message(r, LEAT_BATCH_BARRIER);
    for (uint32_t k = 0; k < s->n_nodes; k++)
        w->step[k] = run_instance(r, s->node[k], lane);
    for (uint32_t k = 0; k < r->plan.n_pools; k++)
        if (s->n_nodes && r->plan.pool[k].maker == s->node[0])
            *(s->node[0]->stage->expand ? &w->made_pool : &w->source_pool) = &r->pool[k];
}

static int make_workers(struct run *r)
{
    struct worker **first = new_zeroed(r, r->plan.n_segments, sizeof *first);
    r->worker = new_zeroed(r, r->plan.threads, sizeof *r->worker);
    for (uint32_t i = 0; i < r->plan.n_segments; i++) {
        const struct segment *s = &r->plan.segment[i];
        first[i] = &r->worker[r->n_workers];
        for (uint32_t lane = 0; lane < s->lanes; lane++)
            make_worker(r, &r->worker[r->n_workers++], s, lane);
    }
    return make_links(r, first);
}

void run_init(struct run *r, struct graph *g)
{
    *r = (struct run){.graph = g, .inspects = g->inspects, .mute = log_is_hushed()};
    pthread_mutex_init(&r->mu, NULL);
    steady_cond_init(&r->finished);
    visits_init(&r->visits);
    r->start = clock_ns();
    r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rejects_init(&r->rejects, &g->options, r);
    make_instances(r);
}

/* What cannot be planned is said when all is (plan_make). */
static void plan_sources(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && g->node[i].stage->kind == LEAT_SOURCE)
            plan_memory_stage(&g->node[i]);
}

/* Inputs first, so that nothing is written when one is missing or would be overwritten. */
int run_open(struct run *r, struct diag *d, int quiet)
{
    int status;
    plan_sources(r->graph);
    if ((status = open_kind(r, 1)) < 0 || (status = read_headers(r, d)) != LEAT_OK) return status;
    if (plan_make(&r->plan, r->graph, d) != LEAT_OK) return LEAT_EARG;
    plan_limit_check(&r->plan, r->graph, d);
    if ((status = output_conflicts_spare_inputs(r)) < 0 || (status = rejects_open(&r->rejects)) < 0)
        return status;
    keep_last_rows(r);
    if ((status = make_pools(r)) < 0 || (status = make_asks(r)) < 0 ||
        (status = open_kind(r, 0)) < 0 || (status = make_progressive(r, quiet)) < 0 ||
        (status = make_workers(r)) < 0)
        return status;
    const char *fault = plan_limit_fault(&r->plan, r->graph->arena);
    return fault ? run_fail(r, LEAT_ENOMEM, "%s", fault) : LEAT_OK;
}

void run_progress(const struct instance *source, uint64_t *done, uint64_t *total)
{
    const struct node *n = source->node;
    *done = *total = 0;
    if (!n->stage->source->progress) return;
    call_trap_enter(n->label, "progress");
    n->stage->source->progress(source->self, done, total);
    call_trap_leave();
}

/* Below 0: its length is not known. */
static double share(const struct instance *source)
{
    uint64_t done, total;
    run_progress(source, &done, &total);
    return total ? (double)done / (double)total : -1.0;
}

double run_position(const struct instance *source)
{
    return source->run->paced ? share(source) : (double)source->batches;
}

void run_pace(struct run *r)
{
    r->paced = true;
    for (uint32_t k = 0; k < r->n_workers; k++)
        if (r->worker[k].source_pool && share(r->worker[k].step[0]) < 0) r->paced = false;
    for (uint32_t k = 0; k < r->n_workers; k++) {
        struct worker *w = &r->worker[k];
        if (w->source_pool) w->position = run_position(w->step[0]);
        for (uint32_t i = 0; i < w->segment->n_turns; i++)
            w->next[i] = run_position(run_instance(r, w->segment->turn[i].source, 0));
    }
}

static void join_threads(struct run *r)
{
    for (uint32_t i = 0; i < r->n_threads; i++)
        pthread_join(r->worker[i].thread, NULL);
}

int run_start(struct run *r)
{
    assert(r->n_workers > 0 && !r->n_threads);
    if (r->table.line && r->table.learners && !r->shard_hooks) progressive_heading(&r->table);
    r->start = clock_ns();
    r->before = run_records(r);
    atomic_store(&r->at_work, r->n_workers);
    int failed = 0;
    inspect_output_begin(r);
    pthread_mutex_lock(&r->mu); /* run_admits waits for it */
    while (r->n_threads < r->n_workers && !failed) {
        struct worker *w = &r->worker[r->n_threads];
        failed = pthread_create(&w->thread, NULL, worker_main, w);
        r->n_threads += !failed;
    }
    pthread_mutex_unlock(&r->mu);
    if (!failed) return LEAT_OK;
    join_threads(r);
    inspect_output_end(r);
    return run_fail(r, LEAT_ENOMEM, "the system gives no thread for worker %u of %u: %s",
                    (unsigned)r->n_threads + 1, (unsigned)r->n_workers, strerror(failed));
}

bool run_admits(struct run *r)
{
    pthread_mutex_lock(&r->mu);
    bool all = r->n_threads == r->n_workers;
    pthread_mutex_unlock(&r->mu);
    return all;
}

void run_worker_ended(struct run *r)
{
    pthread_mutex_lock(&r->mu);
    if (atomic_fetch_sub(&r->at_work, 1) == 1) pthread_cond_broadcast(&r->finished);
    pthread_mutex_unlock(&r->mu);
}

bool run_await(struct run *r, uint64_t until)
{
    pthread_mutex_lock(&r->mu);
    while (atomic_load(&r->at_work) && !r->woken && clock_ns() < until)
        steady_cond_wait(&r->finished, &r->mu, until);
    r->woken = false;
    pthread_mutex_unlock(&r->mu);
    return !atomic_load(&r->at_work);
}

void run_wake(struct run *r)
{
    pthread_mutex_lock(&r->mu);
    r->woken = true;
    pthread_cond_broadcast(&r->finished);
    pthread_mutex_unlock(&r->mu);
}

void run_join(struct run *r)
{
    join_threads(r);
    inspect_output_end(r);
    rejects_deliver(&r->rejects);
    r->end = clock_ns();
}

/* All lanes of a stage have ended. */
static void finish_stage(struct run *r, const struct node *n)
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
        if (n->stage && n->stage->finish) finish_stage(r, n);
    }
}

static void close_instance(struct instance *i)
{
    host_close(i);
    progressive_free(i->progressive);
    for (uint32_t k = 0; k < i->n_inputs; k++)
        free((char *)i->input[k]);
    free(i->input);
    free(i->lag);
    if (i->output > 0) close(i->output);
    if (i->turn) pthread_mutex_destroy(i->turn);
}

void run_close(struct run *r)
{
    for (uint32_t i = r->graph->n_nodes; i-- > 0;)
        for (int lane = 0; lane < r->graph->node[i].lanes && r->graph->node[i].stage; lane++)
            close_instance(run_instance(r, &r->graph->node[i], (uint32_t)lane));
    for (uint32_t i = 0; i < r->n_workers; i++)
        for (uint32_t k = 0; k < r->worker[i].n_in; k++)
            ring_fini(r->worker[i].in[k]);
    for (uint32_t i = 0; i < r->n_asks; i++)
        ask_fini(&r->ask[i]);
    for (uint32_t i = 0; i < r->plan.n_pools && r->pool; i++)
        pool_fini(&r->pool[i]);
    guarded_free(r->guarded);
    if (r->stop_fd >= 0) close(r->stop_fd);
    visits_fini(&r->visits);
    pthread_cond_destroy(&r->finished);
    pthread_mutex_destroy(&r->mu);
}
