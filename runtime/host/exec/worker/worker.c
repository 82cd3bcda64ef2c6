/* worker.c -- see worker.h. */
#include "worker.h"

#include <assert.h>
#include <math.h>

#include "core/time/clock.h"
#include "host/exec/instance/inspect.h"
#include "expand.h"
#include "fork.h"
#include "intake.h"
#include "steps.h"
#include "visits.h"

static const uint64_t IDLE_NS = UINT64_C(1000000000);

static void deliver(struct worker *w, struct hbatch *h)
{
    if (w->segment->fork) {
        fork_deliver(w, h);
    } else if (w->n_out) {
        ring_push(w->out[w->turn_out], h, &w->idle);
        w->turn_out = (w->turn_out + 1) % w->n_out;
    } else {
        rejects_passed(&w->run->rejects, h, 0, w->last_barrier);
        pool_release(h);
    }
}

/* Sends a message to all workers after this one, lanes and branches alike. It is the same message
 * each time, written to only when it is not under way. */
static void send_message(struct worker *w, struct hbatch *message)
{
    for (uint32_t j = 0; j < w->n_out; j++)
        ring_push(w->out[j], message, &w->idle);
}

/* ---- barriers ---- */

/* The barrier is sent on before the sink that commits waits: the workers after it must not wait for
 * what it waits for. */
static void pass_barrier(struct worker *w)
{
    const struct checkpoint_hooks *hooks = w->run->checkpoint_hooks;
    uint64_t checkpoint = w->barrier->b.seq;
    assert(checkpoint > w->last_barrier);
    hooks->hand_in(w, checkpoint);
    w->last_barrier = checkpoint;
    intake_continue(w);
    send_message(w, w->barrier);
    hooks->commit(w);
}

static void pass_due_barriers(struct worker *source)
{
    const struct checkpoint_hooks *hooks = source->run->checkpoint_hooks;
    if (!hooks) return;
    for (uint64_t checkpoint; (checkpoint = hooks->next_barrier(source));) {
        source->barrier->b.seq = checkpoint;
        pass_barrier(source);
    }
}

/* Is there a stage that may make records of the end? */
static bool has_expander(const struct graph *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        found |= g->node[i].stage && g->node[i].stage->expand;
    return found;
}

/* What comes after it is no part of what a later run continues from. */
static void pass_end_barrier(struct worker *source)
{
    const struct checkpoint_hooks *hooks = source->run->checkpoint_hooks;
    if (!hooks || source->at_end) return;
    source->at_end = true;
    uint64_t checkpoint = hooks->end_barrier(source);
    if (!checkpoint) return;
    source->barrier->b.seq = checkpoint;
    pass_barrier(source);
}

/* ---- a worker that has a source ---- */

static bool is_full(const struct leat_batch *b)
{
    return b->n >= b->cap || b->n_bytes >= b->fill_bytes;
}

/* A source that has something at last has waited within the call, too. One whose batches are full
 * is not asked the time: the clock of a thread costs a call of the system. */
static void note_waiting(struct worker *w, const struct leat_batch *b, uint64_t took,
                         uint64_t worked)
{
    if (!b->n) worked = 0;
    if (worked < took) w->quiet_ns += took - worked;
    w->flows = is_full(b);
}

static int produce(struct worker *w, struct hbatch *h)
{
    struct instance *i = w->step[0];
    bool may_wait = !w->flows;
    bool last = atomic_load_explicit(&w->run->control.stopping, memory_order_relaxed);
    if (last && (control_halted(&w->run->control) || atomic_load(&w->run->control.failed)))
        return LEAT_EOS;
    uint64_t worked = may_wait ? clock_thread_ns() : 0, from = clock_ns();
    instance_enter(i, "produce", from);
    call_trap_works_on(h, instance_describe);
    int status = i->node->stage->source->produce(&i->ctx, i->self, &h->b);
    instance_leave(i);
    uint64_t now = clock_ns();
    instance_count(&i->count.ns, now - from);
    note_waiting(w, &h->b, now - from, may_wait ? clock_thread_ns() - worked : now - from);
    steps_tick(i, now);
    status = instance_check(i, "produce", status);
    if (status < 0) {
        instance_failed(i, "produce", status);
        return LEAT_EOS;
    }
    if (w->run->inspects) inspect_produced(i, h);
    bool kept = status == LEAT_LATER && w->run->graph->keeps_open;
    return last || kept ? LEAT_EOS : status;
}

/* A quiet source still sends an empty batch once a second, so that the stages after it notice that
 * time passes, and when it has moved: merges and barriers must agree on where it is. */
static bool worth_sending(struct worker *w, const struct hbatch *h)
{
    uint64_t now = clock_ns();
    bool moved = run_position(w->step[0]) != w->position;
    if (!h->b.n && !moved && now - w->last_ns < IDLE_NS) return false;
    w->last_ns = now;
    return true;
}

/* Everything the source has delivered is selected, except what it rejected itself. */
static void begin_batch(struct worker *w, struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    for (uint32_t r = 0; r < b->n; r++)
        b->sel[r] = r;
    b->n_sel = b->n;
    b->seq = w->step[0]->reading.batches++;
    h->source = w->step[0];
    h->next = w->position = run_position(w->step[0]);
    if (w->run->shard_hooks && b->n) h->input = b->extent[0].input;
    batch_select(h, 0);
    steps_count(w->step[0], b, b->n, h->n_rejections);
}

/* Merges that take from other sources, too, and stages that make other records learn from an empty
 * batch that no other follows. */
static void send_last(struct worker *w, struct hbatch *h)
{
    h->source = w->step[0];
    h->next = INFINITY;
    h->last = true;
    steps_run(w, h, 1);
    deliver(w, h);
}

/* The first batch of a run that continues ends where a batch of one run over all records would have
 * ended: answers fall due at the ends of batches. Returns the room of a whole one. */
static uint32_t align(const struct instance *source, struct leat_batch *b)
{
    const uint32_t whole = b->cap;
    b->cap -= (uint32_t)(atomic_load_explicit(&source->count.in, memory_order_relaxed) % whole);
    return whole;
}

static void source_loop(struct worker *w)
{
    const uint64_t before = w->step[0]->reading.batches;
    for (int status = LEAT_OK; status != LEAT_EOS;) {
        struct hbatch *h = pool_take(w->source_pool, &w->idle);
        const uint32_t whole = w->step[0]->reading.batches == before ? align(w->step[0], &h->b) : h->b.cap;
        do {
            visits_answer(w);
            pass_due_barriers(w);
            w->filled = h;
            status = produce(w, h);
            w->filled = NULL;
        } while (status != LEAT_EOS && status != LEAT_LATER && !worth_sending(w, h));
        h->short_end = (status == LEAT_EOS || status == LEAT_LATER) && h->b.n < h->b.cap;
        h->b.cap = whole;
        if ((status != LEAT_EOS && status != LEAT_LATER) || h->b.n) {
            begin_batch(w, h);
            steps_run(w, h, 1);
            deliver(w, h);
        } else {
            pool_release(h);
        }
        if (status == LEAT_LATER) pass_end_barrier(w);
    }
    if (!w->segment->ends_apart) return;
    if (has_expander(w->run->graph)) pass_end_barrier(w);
    send_last(w, pool_take(w->source_pool, &w->idle));
}

/* ---- a worker that has inputs ---- */

static void make_others(struct worker *w, struct hbatch *in)
{
    expand_begin(w, in);
    for (bool more = true; more;) {
        struct hbatch *h = expand_next(w, in, &more);
        steps_run(w, h, 1);
        deliver(w, h);
    }
    expand_end(w, in);
}

static void ring_loop(struct worker *w)
{
    for (struct hbatch *h; (h = intake_next(w));) {
        visits_answer(w);
        if (h == w->barrier) {
            pass_barrier(w);
        } else if (w->made_pool) {
            make_others(w, h);
        } else {
            steps_run(w, h, 0);
            deliver(w, h);
        }
    }
}

/* The closing snapshot is of the states before the last answers: the run that continues from it has
 * not given them yet. */
static void finish(struct worker *w)
{
    const struct checkpoint_hooks *hooks = w->run->checkpoint_hooks;
    if (hooks) hooks->hand_in_last(w);
    steps_stop(w);
    send_message(w, w->end);
    if (hooks) hooks->commit_rest(w);
}

/* Waits until every worker has its thread. Returns false if the system did not give one to some
 * worker, for which the others would wait for ever. */
static bool all_have_threads(struct run *r)
{
    pthread_mutex_lock(&r->control.mu);
    bool all = r->control.n_threads == r->n_workers;
    pthread_mutex_unlock(&r->control.mu);
    return all;
}

void *worker_main(void *worker)
{
    struct worker *w = worker;
    if (!all_have_threads(w->run)) return NULL;
    steps_start(w);
    if (w->source_pool)
        source_loop(w);
    else
        ring_loop(w);
    finish(w);
    visits_end(w);
    control_worker_ended(&w->run->control);
    return NULL;
}
