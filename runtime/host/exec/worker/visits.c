/* visits.c -- implementation of visits.h: worker, asking thread, slices of a batch. */
#include "visits.h"

#include <stddef.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"
#include "host/flow/batch.h"

void visits_init(struct visits *v)
{
    pthread_mutex_init(&v->mu, NULL);
    steady_cond_init(&v->changed);
}

void visits_fini(struct visits *v)
{
    pthread_cond_destroy(&v->changed);
    pthread_mutex_destroy(&v->mu);
}

/* ---- functions that a worker calls ---- */

void visits_answer_now(struct idle *idle)
{
    struct worker *w = (struct worker *)(void *)((char *)idle - offsetof(struct worker, idle));
    struct visits *all = &w->run->visits;
    pthread_mutex_lock(&all->mu);
    atomic_store(&idle->asked, false);
    w->late = false;
    struct visit *v = w->visit;
    w->visit = NULL;
    if (v) {
        v->state = VISIT_RUNS;
        pthread_mutex_unlock(&all->mu);
        v->call(v);
        pthread_mutex_lock(&all->mu);
        v->state = VISIT_DONE;
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->mu);
}

void visits_end(struct worker *w)
{
    visits_answer(w);
    pthread_mutex_lock(&w->run->visits.mu);
    w->visits_over = true;
    pthread_cond_broadcast(&w->run->visits.changed);
    pthread_mutex_unlock(&w->run->visits.mu);
}

/* ---- functions that the asking thread calls ---- */

struct worker *visits_worker(const struct run *r, const struct instance *own)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        struct worker *w = &r->worker[k];
        const struct segment *s = w->segment;
        for (uint32_t j = 0; j < s->n_nodes; j++)
            if (run_instance(r, s->node[j], w->lane) == own) return w;
    }
    return NULL;
}

/* Wakes a worker that waits for a batch, for space in a ring, for a checkpoint, or in a source's
 * produce. */
static void visits_stir(struct worker *w)
{
    for (uint32_t k = 0; k < w->n_in; k++)
        ring_stir(w->in[k]);
    for (uint32_t k = 0; k < w->n_out; k++)
        ring_stir(w->out[k]);
    for (uint32_t k = 0; k < w->n_out; k++)
        if (w->branch_pool[k]) pool_stir(w->branch_pool[k]);
    if (w->source_pool) pool_stir(w->source_pool);
    if (w->source_pool) instance_wake(w->step[0]->own);
    if (w->made_pool) pool_stir(w->made_pool);
    if (w->run->checkpoint_hooks) w->run->checkpoint_hooks->stir(w->run);
}

/* Stores the visit for the worker and wakes the worker. Returns false if the worker has ended. */
static bool visits_leave(struct visits *all, struct visit *v)
{
    pthread_mutex_lock(&all->mu);
    bool over = v->worker->visits_over;
    v->state = VISIT_WAITS;
    if (!over) v->worker->visit = v;
    pthread_mutex_unlock(&all->mu);
    if (over) return false;
    atomic_store(&v->worker->idle.asked, true);
    visits_stir(v->worker);
    return true;
}

static void visits_call_here(struct visit *v)
{
    v->call(v);
    v->state = VISIT_DONE;
}

/* Cancels the visit, because the worker has not begun the call in time. Call it with mu held. */
static void visits_take_back(struct visit *v)
{
    v->worker->visit = NULL;
    v->worker->late = true;
    v->state = VISIT_LATE;
}

static void visits_await(struct visits *all, struct visit *v, uint64_t until)
{
    pthread_mutex_lock(&all->mu);
    if (v->worker->late) until = 0;
    while (v->state != VISIT_DONE && !v->worker->visits_over) {
        bool waits = v->state == VISIT_WAITS;
        if (waits && clock_ns() >= until) break;
        steady_cond_wait(&all->changed, &all->mu, waits ? until : UINT64_MAX);
    }
    bool over = v->state == VISIT_WAITS && v->worker->visits_over;
    if (over)
        v->worker->visit = NULL;
    else if (v->state == VISIT_WAITS)
        visits_take_back(v);
    pthread_mutex_unlock(&all->mu);
    if (over) visits_call_here(v);
}

void visits_ask(struct run *r, struct visit *const *visit, uint32_t n, uint64_t until)
{
    for (uint32_t k = 0; k < n; k++)
        if (!visits_leave(&r->visits, visit[k])) visits_call_here(visit[k]);
    for (uint32_t k = 0; k < n; k++)
        visits_await(&r->visits, visit[k], until);
}

/* ---- slices of a batch ---- */

static const double SLICE_NS = 1e6;
static const uint32_t FIRST_SLICE = 16; /* examples in the first slice, whose time is unknown */

/* Returns the size of the next slice, which should take SLICE_NS, after n examples took `took`
 * ns. */
static uint32_t slices_size(uint32_t n, uint64_t took)
{
    double size = n * SLICE_NS / (double)(took ? took : 1);
    return size < 1 ? 1 : size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static void slices_answer(struct worker *w, struct instance *learner, struct hbatch *h)
{
    instance_leave(learner->own);
    visits_answer(w);
    instance_enter(learner->own, "process", clock_ns());
    call_trap_works_on(h, instance_describe);
}

int slices_process(struct worker *w, struct instance *learner, struct hbatch *h)
{
    const struct leat_stage *stage = learner->node->stage;
    bool watched = atomic_load_explicit(&w->run->visits.expected, memory_order_relaxed);
    if (!watched || w->run->inspects) return stage->process(&learner->ctx, learner->self, &h->b);
    struct slicing s = slice_begin(&h->b);
    int status;
    for (;;) {
        uint64_t from = clock_ns();
        uint32_t n =
            slice_next(&s, &h->b, learner->learning.slice ? learner->learning.slice : FIRST_SLICE);
        status = stage->process(&learner->ctx, learner->self, &h->b);
        if (n) learner->learning.slice = slices_size(n, clock_ns() - from);
        if (status < 0 || control_halted(&w->run->control) || slice_was_last(&s)) break;
        slices_answer(w, learner, h);
    }
    slice_end(&s, &h->b);
    return status;
}
