/* run.c -- starting a run, waiting for it, taking it down; see run_open.c for what is before. */
#include "run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "core/time/steady_cond.h"
#include "host/exec/answers/kept_answer.h"
#include "host/exec/instance/host.h"
#include "host/exec/instance/inspect.h"
#include "host/exec/worker/visits.h"
#include "host/exec/worker/worker.h"
#include "host/flow/guarded.h"

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

uint64_t run_records(const struct run *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->kind == LEAT_SOURCE)
            n += atomic_load_explicit(&r->instance[i]->in, memory_order_relaxed);
    return n;
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
    kept_answers_free(i);
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
