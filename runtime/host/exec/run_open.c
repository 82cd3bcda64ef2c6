/* run_open.c -- building a run from a checked graph: instances, pools, questions, workers. */
#include "run.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/report/byte_size.h"
#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/plugin/status_text.h"
#include "core/time/steady_cond.h"
#include "core/report/terminal.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/exec/instance/host.h"
#include "host/exec/instance/last_rows.h"
#include "host/exec/instance/returned.h"
#include "host/exec/plan/plan_limit.h"
#include "host/exec/plan/plan_memory.h"
#include "host/exec/worker/visits.h"
#include "host/exec/worker/worker.h"
#include "host/flow/guarded.h"
#include "output_conflicts.h"

static void *new_zeroed(struct run *r, size_t n, size_t size)
{
    return arena_alloc(r->graph->arena, n * size);
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
    const char *lacks = plan_limit_libraries(&r->plan, r->graph->arena);
    if (lacks) return run_fail(r, LEAT_ENOMEM, "%s", lacks);
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
