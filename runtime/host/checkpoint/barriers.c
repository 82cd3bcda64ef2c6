/* barriers.c -- work of workers for a checkpoint: send barriers, save states, commit. */
#include <assert.h>
#include <math.h>

#include "core/time/clock.h"
#include "host/store/fault.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "checkpoint.h"
#include "host/exec/worker/worker.h"
#include "instance_state.h"

/* Share of its input by which one source may be ahead of another. */
static const double MAX_AHEAD = 1.0 / 1024;

static struct checkpoint_worker *barrier_place_of(const struct worker *w)
{
    return &w->run->checkpoints->worker[w - w->run->worker];
}

/* ---- reading and waking: functions for all threads ---- */

uint32_t checkpoint_at_work(const struct checkpoints *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->run->n_workers; k++)
        n += !c->worker[k].ended;
    return n;
}

bool checkpoint_records_due(const struct checkpoints *c)
{
    uint64_t every = c->options->every_records;
    return every && run_records(c->run) - c->records >= every;
}

/* True if the source must still learn that this checkpoint is complete. */
static bool barrier_is_untold(const struct checkpoints *c, const struct instance *source,
                              uint64_t checkpoint)
{
    return source->node->stage->source->durable && checkpoint != c->told[source->node->index];
}

bool checkpoint_is_awaited(struct checkpoints *c, const struct instance *source)
{
    pthread_mutex_lock(&c->mu);
    bool awaited = c->open || barrier_is_untold(c, source, atomic_load(&c->checkpoint));
    pthread_mutex_unlock(&c->mu);
    return awaited;
}

void checkpoint_tell(struct checkpoints *c, struct instance *source)
{
    const struct leat_stage *stage = source->node->stage;
    uint64_t checkpoint = atomic_load(&c->checkpoint);
    if (!barrier_is_untold(c, source, checkpoint)) return;
    c->told[source->node->index] = checkpoint;
    instance_enter(source, "durable", clock_ns());
    int status = stage->source->durable(&source->ctx, source->self, checkpoint);
    status = instance_return(source, "durable", status);
    if (status < 0)
        instance_fail(source, status, "its position could not be committed: %s",
                      status_text(status));
}

/* Wakes all threads that wait for a change. Takes mu, so that no thread misses the change. */
void checkpoint_wake(struct checkpoints *c)
{
    pthread_mutex_lock(&c->mu);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mu);
}

static void checkpoint_stir(struct run *r) { checkpoint_wake(r->checkpoints); }

void checkpoint_request(struct checkpoints *c)
{
    atomic_store(&c->requested, true);
    checkpoint_wake(c);
}

/* ---- the cut: the place in the input where a checkpoint separates records ---- */

static bool barrier_is_fed_by(const struct segment *s, const struct segment *source)
{
    bool found = s == source;
    for (uint32_t i = 0; i < s->n_in && !found; i++)
        found = barrier_is_fed_by(s->in[i]->from, source);
    return found;
}

/* True if `source` has ended and a merge has not yet taken all of its records. */
static bool barrier_is_under_way(const struct run *r, const struct worker *source)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        for (uint32_t i = 0; w->segment->merges && i < w->n_in; i++)
            if (!w->in_ended[i] && barrier_is_fed_by(w->segment->in[i]->from, source->segment))
                return true;
    }
    return false;
}

/* Returns a cut that comes after all batches that sources have begun. A source that has ended still
 * counts until merges have taken all of its records. Otherwise a merge would take batches of other
 * sources before these records. */
double checkpoint_cut(const struct checkpoints *c)
{
    double cut = 0;
    for (uint32_t k = 0; k < c->run->n_workers; k++) {
        const struct worker *w = &c->run->worker[k];
        const struct checkpoint_worker *at = &c->worker[k];
        if (w->source_pool && at->begun >= cut && (!at->ended || barrier_is_under_way(c->run, w)))
            cut = nextafter(at->begun, INFINITY);
    }
    return cut;
}

/* ---- the barriers that a source sends ---- */

/* Returns how far a source has read its input, as a share of the input. `next` may be less than
 * `begun` if a compressed file turns out longer than it seemed. */
static double barrier_reached(const struct checkpoint_worker *at)
{
    return fmax(at->begun, at->next);
}

/* True if the source of worker w is far ahead of another source. The next cut would then also be
 * far ahead of the other source. Waiting cannot block a merge: the merge next needs a batch of the
 * other source, which begins earlier. */
static bool barrier_is_ahead(const struct checkpoints *c, const struct worker *w)
{
    for (uint32_t k = 0; k < c->run->n_workers && c->run->paced; k++)
        if (c->run->worker[k].source_pool && !c->worker[k].ended &&
            barrier_place_of(w)->next > barrier_reached(&c->worker[k]) + MAX_AHEAD)
            return true;
    return false;
}

static bool barrier_must_wait(const struct checkpoints *c, const struct worker *w)
{
    if (!c->options->dir || atomic_load(&c->run->control.stopping)) return false;
    return (c->closing && w->last_barrier == c->closing) || barrier_is_ahead(c, w);
}

static bool barrier_is_due(const struct checkpoints *c, const struct worker *w)
{
    return c->open && w->last_barrier < c->open && barrier_place_of(w)->next >= c->cut;
}

/* Waits for a change, with mu held. The waiting time counts as blocked_ns of w->idle. Meanwhile the
 * worker still makes calls for other threads (exec/worker/visits.c). */
static void barrier_await_change(struct checkpoints *c, struct worker *w)
{
    struct idle_wait wait = idle_begin(&w->idle, true);
    idle_sleep(&w->idle, &c->changed, &c->mu, &wait);
    idle_count(&w->idle, &wait);
}

static uint64_t barrier_await(struct checkpoints *c, struct worker *w)
{
    struct checkpoint_worker *at = barrier_place_of(w);
    pthread_mutex_lock(&c->mu);
    at->next = w->position;
    if (c->waiting || checkpoint_records_due(c)) pthread_cond_broadcast(&c->changed);
    while (!barrier_is_due(c, w) && barrier_must_wait(c, w)) {
        c->waiting++;
        barrier_await_change(c, w);
        c->waiting--;
    }
    uint64_t checkpoint = barrier_is_due(c, w) ? c->open : 0;
    w->awaited = !checkpoint && c->open && w->last_barrier < c->open && !c->run->paced;
    /* the next cut must come after this batch */
    if (!checkpoint) at->begun = barrier_reached(at);
    pthread_mutex_unlock(&c->mu);
    return checkpoint;
}

/* Returns the checkpoint whose barrier the source sends now; 0 if none. First tells the source
 * (durable()) if a further checkpoint is complete. */
static uint64_t barrier_next(struct worker *source)
{
    struct checkpoints *c = source->run->checkpoints;
    uint64_t checkpoint = barrier_await(c, source);
    checkpoint_tell(c, source->step[0]);
    return checkpoint;
}

/* ---- the end of a source's input ---- */

static uint32_t barrier_count_sources(const struct run *r)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_workers; k++)
        n += r->worker[k].source_pool != NULL;
    return n;
}

static bool barrier_is_ending(const struct run *r)
{
    return atomic_load(&r->control.stopping) || atomic_load(&r->control.failed) ||
           r->graph->keeps_open;
}

/* Warns once per run that records made at the end of the input stay in the output. */
static void barrier_tell_of_end(struct checkpoints *c)
{
    pthread_mutex_lock(&c->mu);
    bool told = c->told_of_end;
    c->told_of_end = true;
    pthread_mutex_unlock(&c->mu);
    if (!told)
        log_message(LEAT_WARN,
                    "at the end of the input, open windows and an unfinished last line are "
                    "written, and a later run cannot replace them, because the pipeline has %s: "
                    "it writes later records for them as separate rows. With --keep-open they "
                    "wait for a later run",
                    c->commit.sink ? "a transactional sink" : "several sources");
}

static uint64_t barrier_end(struct worker *w)
{
    struct checkpoints *c = w->run->checkpoints;
    if (!c->options->dir || barrier_is_ending(w->run)) return 0;
    if (c->commit.sink || barrier_count_sources(w->run) > 1) {
        barrier_tell_of_end(c);
        return 0;
    }
    pthread_mutex_lock(&c->mu);
    barrier_place_of(w)->next = INFINITY; /* every cut is before the end of this source */
    atomic_store(&c->requested, true);
    pthread_cond_broadcast(&c->changed);
    while (!barrier_is_due(c, w) && !barrier_is_ending(w->run))
        barrier_await_change(c, w);
    uint64_t checkpoint = barrier_is_due(c, w) ? c->open : 0;
    c->before_end = checkpoint;
    pthread_mutex_unlock(&c->mu);
    if (checkpoint) checkpoint_tell(c, w->step[0]);
    return checkpoint;
}

/* ---- saving the states of a worker's stages ---- */

/* Saves the state of one stage. Its barrier() runs first: a sink writes out its buffers there, so
 * that the saved length matches the output. */
static void barrier_save_step(struct checkpoints *c, struct instance *i, uint64_t checkpoint)
{
    const struct leat_stage *stage = i->node->stage;
    instance_enter(i, "barrier", clock_ns());
    int status = stage->barrier ? stage->barrier(&i->ctx, i->self, checkpoint) : LEAT_OK;
    status = instance_return(i, "barrier", status);
    if (status < 0) {
        instance_fail(i, status, "barrier failed: %s", status_text(status));
        return;
    }
    if (checkpoint_saves(c->options)) instance_state_take(i->saved, i);
    commit_position(&c->commit, i);
}

static void barrier_save_steps(struct checkpoints *c, struct worker *w, uint64_t checkpoint)
{
    uint64_t from = clock_ns();
    for (uint32_t k = 0; k < w->n_steps; k++) {
        if (atomic_load_explicit(&w->run->control.failed, memory_order_relaxed)) break;
        barrier_save_step(c, w->step[k], checkpoint);
        rejects_late(&w->run->rejects, w->step[k], w->last_barrier);
    }
    if (c->shards.n) shards_save(&c->shards, w, checkpoint);
    uint64_t took = clock_ns() - from;
    pthread_mutex_lock(&c->mu);
    if (took > c->stall_ns) c->stall_ns = took;
    pthread_mutex_unlock(&c->mu);
}

static void barrier_hand_in(struct worker *w, uint64_t checkpoint)
{
    struct checkpoints *c = w->run->checkpoints;
    barrier_save_steps(c, w, checkpoint);
    /* Closes instances of ended shards before this worker counts as handed in. After that, another
     * worker may already reach the barrier of the next checkpoint. */
    if (c->shards.n) shards_let_go(&c->shards, w, checkpoint);
    pthread_mutex_lock(&c->mu);
    assert(c->open == checkpoint && c->missing > 0);
    c->missing--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mu);
    fault("handed_in");
}

/* Waits until the states of the previous checkpoint are written, because they must not change until
 * then. Returns the first checkpoint that will contain the worker's last states: the open one, or
 * else the next. */
static uint64_t barrier_await_last(struct checkpoints *c, const struct worker *w)
{
    pthread_mutex_lock(&c->mu);
    while (c->open && w->last_barrier == c->open)
        pthread_cond_wait(&c->changed, &c->mu);
    uint64_t checkpoint = c->open ? c->open : c->last + 1;
    if (checkpoint > c->final) c->final = checkpoint;
    pthread_mutex_unlock(&c->mu);
    return checkpoint;
}

static void barrier_hand_in_last(struct worker *w)
{
    struct checkpoints *c = w->run->checkpoints;
    uint64_t checkpoint = barrier_await_last(c, w);
    if (w->source_pool) checkpoint_tell(c, w->step[0]);
    barrier_save_steps(c, w, checkpoint);
    pthread_mutex_lock(&c->mu);
    barrier_place_of(w)->ended = true;
    if (c->open) c->missing--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mu);
}

/* ---- the commit, on the thread of the sink's worker ---- */

static bool barrier_has_sink(const struct checkpoints *c, const struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps; k++)
        if (w->step[k] == c->commit.sink) return true;
    return false;
}

/* Makes the sink commit if a checkpoint is prepared. Returns false if none is. Call it with mu
 * held, which is released during the commit. */
static bool barrier_commit_prepared(struct checkpoints *c)
{
    uint64_t checkpoint = c->commit.prepared;
    if (!checkpoint) return false;
    pthread_mutex_unlock(&c->mu);
    commit_checkpoint(&c->commit, c->run, checkpoint);
    pthread_mutex_lock(&c->mu);
    c->commit.prepared = 0;
    pthread_cond_broadcast(&c->changed);
    return true;
}

static void barrier_commit(struct worker *w)
{
    struct checkpoints *c = w->run->checkpoints;
    if (!barrier_has_sink(c, w)) return;
    uint64_t from = clock_ns();
    pthread_mutex_lock(&c->mu);
    while (c->open == w->last_barrier && !barrier_commit_prepared(c))
        barrier_await_change(c, w);
    uint64_t took = clock_ns() - from;
    if (took > c->commit.stall_ns) c->commit.stall_ns = took;
    pthread_mutex_unlock(&c->mu);
}

static void barrier_commit_rest(struct worker *w)
{
    struct checkpoints *c = w->run->checkpoints;
    if (!barrier_has_sink(c, w)) return;
    pthread_mutex_lock(&c->mu);
    while (c->open || checkpoint_at_work(c))
        if (!barrier_commit_prepared(c)) pthread_cond_wait(&c->changed, &c->mu);
    pthread_mutex_unlock(&c->mu);
}

static void barrier_request(struct run *r) { checkpoint_request(r->checkpoints); }

const struct checkpoint_hooks checkpoint_barriers = {.next_barrier = barrier_next,
                                                     .end_barrier = barrier_end,
                                                     .hand_in = barrier_hand_in,
                                                     .commit = barrier_commit,
                                                     .hand_in_last = barrier_hand_in_last,
                                                     .commit_rest = barrier_commit_rest,
                                                     .request = barrier_request,
                                                     .stir = checkpoint_stir};
