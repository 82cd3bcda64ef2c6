/* checkpoint.c -- see checkpoint.h. */
#include "checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "checkpoint_inside.h"
#include "base/fault.h"
#include "base/log.h"
#include "instance_state.h"
#include "exec/worker.h"

/* By how much of its input a source may be before another one. */
static const double AHEAD = 1.0 / 1024;

/* A run that is asked to end, and whose sources do not come to a common cut: it ends anywhere. */
static const uint64_t CLOSING_NS = UINT64_C(3000000000);

/* mu held. */
static uint32_t at_work(const struct run *r)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_workers; k++)
        n += !r->worker[k].handed_in_last;
    return n;
}

/* ---- from workers ---- */

/* How far a source is, by what merges go by: its share, or its batches. */
static double place_of(const struct worker *w)
{
    return w->run->paced ? run_share(w->step[0]) : (double)w->step[0]->batches;
}

/* Sleep a little, mu held, or until something changes. */
static void nap(struct checkpoints *e)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 5000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&e->changed, &e->mu, &t);
}

/* Have as many records come since the last checkpoint as an interval has? */
static int records_due(const struct checkpoints *e)
{
    uint64_t every = e->options->every_records;
    return every && run_records(e->run) - e->records >= every;
}

static int fed_by(const struct segment *s, const struct segment *source)
{
    int found = s == source;
    for (uint32_t i = 0; i < s->n_in && !found; i++)
        found = fed_by(s->in[i]->from, source);
    return found;
}

/* Has a merge still to take something of a source that has ended? */
static int is_under_way(const struct run *r, const struct worker *source)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        for (uint32_t i = 0; w->segment->merges && i < w->n_in; i++)
            if (!w->in_ended[i] && fed_by(w->segment->in[i]->from, source->segment)) return 1;
    }
    return 0;
}

void checkpoint_end_taken(struct checkpoints *e, struct worker *w, uint32_t input)
{
    pthread_mutex_lock(&e->mu);
    w->in_ended[input] = 1;
    pthread_mutex_unlock(&e->mu);
}

/* After all batches that sources have begun. One that has ended counts while merges have not taken
 * all of it: what they take before its end must not come before what they would have taken
 * otherwise. */
static double choose_cut(const struct run *r)
{
    double cut = 0;
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        if (w->source_pool && w->begun >= cut && (!w->handed_in_last || is_under_way(r, w)))
            cut = nextafter(w->begun, INFINITY);
    }
    return cut;
}

/* So far before another that the next cut would have to be far from where that one is? No merge
 * waits for such a source: what it waits for has been taken to the end, and is not ahead. */
static int is_ahead(const struct run *r, const struct worker *w)
{
    for (uint32_t k = 0; k < r->n_workers && r->paced; k++) {
        const struct worker *other = &r->worker[k];
        if (other->source_pool && !other->handed_in_last && w->place > other->place + AHEAD)
            return 1;
    }
    return 0;
}

static int must_wait(const struct checkpoints *e, const struct worker *w)
{
    if (!e->options->dir || atomic_load(&e->run->stopping)) return 0;
    return (e->closing && w->handed_in == e->closing) || is_ahead(e->run, w);
}

static int is_due(const struct checkpoints *e, const struct worker *w)
{
    return e->open && w->handed_in < e->open && w->place >= e->cut;
}

uint64_t checkpoint_barrier(struct checkpoints *e, struct worker *w)
{
    pthread_mutex_lock(&e->mu);
    w->place = place_of(w);
    if (e->waiting || records_due(e)) pthread_cond_broadcast(&e->changed);
    while (!is_due(e, w) && must_wait(e, w)) {
        e->waiting++;
        nap(e);
        e->waiting--;
    }
    uint64_t checkpoint = is_due(e, w) ? e->open : 0;
    if (!checkpoint) w->begun = w->place;
    pthread_mutex_unlock(&e->mu);
    return checkpoint;
}

/* Sinks first bring out what they hold: the length they save is then that of a whole output. */
static void save_steps(struct worker *w, uint64_t checkpoint)
{
    struct checkpoints *e = &w->run->checkpoints;
    uint64_t from = clock_ns();
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (atomic_load_explicit(&w->run->failed, memory_order_relaxed)) break;
        int status = i->node->stage->barrier ? i->node->stage->barrier(&i->ctx, i->self, checkpoint)
                                             : LEAT_OK;
        if (status < 0)
            run_fail(w->run, status, "%s: barrier failed (status %d)", i->node->label, status);
        if (status >= 0 && e->options->dir) instance_state_take(i->saved, i);
        if (status >= 0) commit_position(&e->commit, i);
    }
    if (w->run->shards.n) shards_save(&w->run->shards, w);
    uint64_t took = clock_ns() - from;
    pthread_mutex_lock(&e->mu);
    if (took > e->stall_ns) e->stall_ns = took;
    pthread_mutex_unlock(&e->mu);
}

void checkpoint_hand_in(struct checkpoints *e, struct worker *w, uint64_t checkpoint)
{
    save_steps(w, checkpoint);
    pthread_mutex_lock(&e->mu);
    w->handed_in = checkpoint;
    e->missing--;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->mu);
    fault("handed_in");
}

/* What was handed in for a checkpoint that is still being written must stay as it is until then. */
void checkpoint_hand_in_last(struct checkpoints *e, struct worker *w)
{
    pthread_mutex_lock(&e->mu);
    while (e->open && w->handed_in == e->open)
        pthread_cond_wait(&e->changed, &e->mu);
    pthread_mutex_unlock(&e->mu);
    save_steps(w, UINT64_MAX);
    pthread_mutex_lock(&e->mu);
    w->handed_in_last = 1;
    if (e->open) e->missing--;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->mu);
}

static int has_sink(const struct checkpoints *e, const struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps; k++)
        if (w->step[k] == e->commit.sink) return 1;
    return 0;
}

/* mu held; 0: there is nothing to commit. */
static int commit_prepared(struct checkpoints *e)
{
    uint64_t checkpoint = e->commit.prepared;
    if (!checkpoint) return 0;
    pthread_mutex_unlock(&e->mu);
    commit_checkpoint(&e->commit, e->run, checkpoint);
    pthread_mutex_lock(&e->mu);
    e->commit.prepared = 0;
    pthread_cond_broadcast(&e->changed);
    return 1;
}

void checkpoint_commit(struct checkpoints *e, struct worker *w)
{
    if (!has_sink(e, w)) return;
    uint64_t from = clock_ns();
    pthread_mutex_lock(&e->mu);
    while (e->open == w->handed_in && !commit_prepared(e))
        pthread_cond_wait(&e->changed, &e->mu);
    uint64_t took = clock_ns() - from;
    if (took > e->commit.stall_ns) e->commit.stall_ns = took;
    pthread_mutex_unlock(&e->mu);
}

void checkpoint_commit_rest(struct checkpoints *e, struct worker *w)
{
    if (!has_sink(e, w)) return;
    pthread_mutex_lock(&e->mu);
    while (e->open || at_work(e->run))
        if (!commit_prepared(e)) pthread_cond_wait(&e->changed, &e->mu);
    pthread_mutex_unlock(&e->mu);
}

int checkpoint_under_way(struct checkpoints *e)
{
    pthread_mutex_lock(&e->mu);
    int open = e->open != 0;
    pthread_mutex_unlock(&e->mu);
    return open;
}

void checkpoint_tell(struct checkpoints *e, struct instance *source)
{
    const struct leat_stage *stage = source->node->stage;
    uint64_t checkpoint = atomic_load(&e->checkpoint);
    if (!stage->durable || checkpoint == source->told) return;
    source->told = checkpoint;
    int status = stage->durable(&source->ctx, source->self, checkpoint);
    if (status < 0)
        run_fail(e->run, status, "%s: what is worked off cannot be committed (status %d)",
                 source->node->label, status);
}

int checkpoint_end(struct checkpoints *e)
{
    uint32_t sources = 0;
    if (!atomic_load(&e->running) || !e->options->dir || !e->run->paced) return 0;
    for (uint32_t k = 0; k < e->run->n_workers; k++)
        sources += e->run->worker[k].source_pool != NULL;
    if (sources < 2) return 0;
    atomic_store(&e->asked, clock_ns());
    pthread_cond_broadcast(&e->changed);
    return 1;
}

void checkpoint_soon(struct checkpoints *e)
{
    atomic_store(&e->soon, 1);
    pthread_cond_broadcast(&e->changed);
}

/* ---- the thread ---- */

static int due(const struct checkpoints *e)
{
    int64_t every = e->options->every_ns;
    if (e->closing) return 0;
    if (atomic_load(&e->soon) || atomic_load(&e->asked) || records_due(e)) return 1;
    return every && clock_ns() - e->since >= (uint64_t)every;
}

/* mu held. A run that is asked to end, and does not come to a common cut in time: sources wait for
 * each other, or the sink for a cluster. */
static void end_if_late(struct checkpoints *e)
{
    uint64_t asked = atomic_load(&e->asked);
    if (!asked || clock_ns() - asked <= CLOSING_NS || atomic_load(&e->run->stopping)) return;
    log_message(LEAT_WARN, "no common cut of the sources can be had in time: they end where they "
                           "are, and what is merged later may come in another order");
    run_stop(e->run);
}

/* Until every worker has handed in; mu held. */
static void await_all(struct checkpoints *e)
{
    while (e->missing) {
        end_if_late(e);
        nap(e);
    }
}

/* All have handed in. Failing to write is told and tried again at the next interval: the last
 * snapshot is still there. */
static int prepare(struct checkpoints *e, uint64_t checkpoint)
{
    if (atomic_load(&e->run->failed) || rejects_deliver(&e->run->rejects) != LEAT_OK) return 0;
    int status = checkpoint_write(e, checkpoint, e->commit.name);
    if (status != LEAT_OK && !atomic_load(&e->run->failed))
        log_message(LEAT_ERROR, "no snapshot: %s; the run goes on, and it is tried again",
                    e->dir.error);
    return status == LEAT_OK;
}

/* mu held. The sink's worker does it. */
static int await_commit(struct checkpoints *e, uint64_t checkpoint)
{
    e->commit.prepared = checkpoint;
    pthread_cond_broadcast(&e->changed);
    while (e->commit.prepared) {
        end_if_late(e);
        nap(e);
    }
    return e->commit.done == checkpoint;
}

static void write_open(struct checkpoints *e, uint64_t checkpoint)
{
    int good = prepare(e, checkpoint);
    pthread_mutex_lock(&e->mu);
    if (good && e->commit.sink) good = await_commit(e, checkpoint);
    if (good) atomic_store(&e->checkpoint, checkpoint);
    pthread_mutex_unlock(&e->mu);
}

/* mu held on entry and return. At the cut of a run that is asked to end the sources end, and the
 * closing snapshot is of the same states. */
static void one_checkpoint(struct checkpoints *e)
{
    uint64_t checkpoint = ++e->last;
    e->cut = choose_cut(e->run);
    e->missing = at_work(e->run);
    atomic_store(&e->soon, 0);
    if (atomic_load(&e->asked)) e->closing = checkpoint;
    rejects_hold(&e->run->rejects, checkpoint);
    e->open = checkpoint;
    await_all(e);
    pthread_mutex_unlock(&e->mu);
    if (e->closing)
        run_stop(e->run);
    else
        write_open(e, checkpoint);
    rejects_release(&e->run->rejects);
    pthread_mutex_lock(&e->mu);
    e->open = 0;
    e->since = clock_ns();
    e->records = run_records(e->run);
    pthread_cond_broadcast(&e->changed);
}

static void *checkpoint_main(void *arg)
{
    struct checkpoints *e = arg;
    pthread_mutex_lock(&e->mu);
    e->since = clock_ns();
    e->records = run_records(e->run);
    while (!e->over) {
        if (due(e) && at_work(e->run)) one_checkpoint(e);
        if (!e->over) nap(e);
    }
    pthread_mutex_unlock(&e->mu);
    return NULL;
}

/* ---- life ---- */

/* Does a source wait for checkpoints to commit what it has delivered? */
static int wanted(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->durable) return 1;
    return 0;
}

void checkpoint_init(struct checkpoints *e, struct run *r, const struct checkpoint_options *o)
{
    *e = (struct checkpoints){.run = r, .options = o, .dir = {.fd = -1, .lock = -1}};
    pthread_condattr_t steady; /* naps must not last longer when somebody sets the clock back */
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&e->mu, NULL);
    pthread_cond_init(&e->changed, &steady);
    pthread_condattr_destroy(&steady);
    commit_init(&e->commit, r, o->every_ns);
    e->on = o->dir || e->commit.sink || wanted(r);
}

static int first_snapshot(struct checkpoints *e)
{
    for (uint32_t k = 0; k < e->run->n_workers && !e->run->failed; k++)
        for (uint32_t j = 0; j < e->run->worker[k].n_steps && !e->run->failed; j++)
            instance_state_take(e->run->worker[k].step[j]->saved, e->run->worker[k].step[j]);
    if (e->run->failed) return e->run->failed;
    int status = checkpoint_write(e, ++e->last, NULL);
    if (status != LEAT_OK) return run_fail(e->run, status, "no snapshot: %s", e->dir.error);
    e->checkpoint = e->last;
    return LEAT_OK;
}

int checkpoint_start(struct checkpoints *e)
{
    if (!checkpoint_on(e)) return LEAT_OK;
    int status = e->options->dir ? first_snapshot(e) : LEAT_OK;
    if (status != LEAT_OK) return status;
    if (pthread_create(&e->thread, NULL, checkpoint_main, e))
        return run_fail(e->run, LEAT_ENOMEM, "no thread for snapshots: %s", strerror(errno));
    atomic_store(&e->running, 1);
    return LEAT_OK;
}

static int write_last(struct checkpoints *e, const char *transaction)
{
    if (checkpoint_write(e, ++e->last, transaction) != LEAT_OK)
        return run_fail(e->run, LEAT_EIO, "the closing snapshot: %s; the one before it holds",
                        e->dir.error);
    e->checkpoint = e->last;
    return LEAT_OK;
}

/* Once committed, the file is written again as one that holds by itself. */
static int closing_snapshot(struct checkpoints *e)
{
    int status = write_last(e, e->commit.name);
    if (status != LEAT_OK || !e->commit.sink) return status;
    status = commit_checkpoint(&e->commit, e->run, e->checkpoint);
    return status == LEAT_OK && e->options->dir ? write_last(e, NULL) : status;
}

void checkpoint_finish(struct checkpoints *e)
{
    if (!e->running) return;
    pthread_mutex_lock(&e->mu);
    e->over = 1;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->mu);
    pthread_join(e->thread, NULL);
    atomic_store(&e->running, 0);
    if (e->run->failed || closing_snapshot(e) != LEAT_OK) return;
    struct cursor at = {0};
    for (struct instance *i; (i = next_instance(e->run, &at));)
        checkpoint_tell(e, i);
}

void checkpoint_close(struct checkpoints *e)
{
    struct cursor at = {0};
    if (!e->run) return;
    for (struct instance *i; (i = next_instance(e->run, &at));) {
        if (i->saved) instance_state_free(i->saved);
        free(i->saved);
    }
    snapshot_dir_close(&e->dir);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->mu);
}
