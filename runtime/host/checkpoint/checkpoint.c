/* checkpoint.c -- the thread that opens checkpoints; start and end of a run with checkpoints. */
#include "checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/plugin/status_text.h"
#include "host/log/log.h"
#include "core/time/clock.h"
#include "core/time/steady_cond.h"
#include "core/report/byte_size.h"
#include "host/exec/calls.h"
#include "host/exec/crash/crash_marks.h"
#include "host/exec/worker/worker.h"
#include "host/store/snapshot_file.h"
#include "instance_state.h"
#include "learned.h"
#include "splits.h"

/* After this time, sources that have not reached a common cut end where they are. */
static const uint64_t CLOSING_NS = UINT64_C(3000000000);
/* After this time, a warning about a slow snapshot appears. */
static const uint64_t SLOW_NS = UINT64_C(10000000000);

void checkpoint_counts(struct checkpoints *c, struct checkpoint_counts *n)
{
    pthread_mutex_lock(&c->mu);
    *n = (struct checkpoint_counts){.written = c->written,
                                    .bytes = c->bytes,
                                    .checkpoint = atomic_load(&c->checkpoint),
                                    .age_ns = clock_ns() - c->since};
    pthread_mutex_unlock(&c->mu);
}

/* ---- writing a snapshot ---- */

/* Syncs the outputs to disk. This must precede the snapshot, which contains their lengths. */
static int checkpoint_sync_outputs(struct checkpoints *c)
{
    struct instance_cursor at = {0};
    int failed = rejects_sync(&c->run->rejects);
    const char *what = "the file of dead letters";
    for (struct instance *i; !failed && (i = instance_state_next(c->run, &at));) {
        if (i->writing.output <= 0 || !fdatasync(i->writing.output)) continue;
        failed = errno;
        what = i->node->label;
    }
    if (failed)
        snprintf(c->dir.error, sizeof c->dir.error, "%s could not be synced to disk: %s", what,
                 strerror(failed));
    return failed ? LEAT_EIO : LEAT_OK;
}

/* Writes the snapshot file, and sets *bytes to its size. All states are handed in, and no thread
 * changes them. */
static int checkpoint_write_file(struct checkpoints *c, uint64_t checkpoint,
                                 const char *transaction, uint64_t *bytes)
{
    struct run *r = c->run;
    struct instance_cursor at = {0};
    struct state_writer run = {0};
    struct snapshot_section *section = calloc(2 * instance_state_count(r) + 5, sizeof *section);
    uint32_t n = 2;
    int status = section ? instance_state_run_write(&run, r, false) : LEAT_ENOMEM;
    if (status == LEAT_OK) {
        section[0] = (struct snapshot_section){"pipeline", c->fingerprint, strlen(c->fingerprint)};
        section[1] = (struct snapshot_section){"run", run.bytes, run.n};
        if (transaction)
            section[n++] =
                (struct snapshot_section){"transaction", transaction, strlen(transaction)};
        else if (c->commit.sink)
            section[n++] = commit_section(&c->commit, r->graph->arena);
        if (c->splits.n) section[n++] = c->splits;
        if (c->after_end) section[n++] = (struct snapshot_section){"ended", "", 0};
        for (struct instance *i; (i = instance_state_next(r, &at));)
            n += instance_state_sections(i->saved, i, section + n);
        status = r->control.failed ? r->control.failed : checkpoint_sync_outputs(c);
        if (status == LEAT_OK) status = snapshot_dir_write(&c->dir, checkpoint, section, n);
    }
    if (status == LEAT_ENOMEM)
        snprintf(c->dir.error, sizeof c->dir.error, "there is not enough memory for a snapshot");
    for (uint32_t i = 0; section && i < n; i++)
        *bytes += section[i].n;
    free(section);
    state_writer_free(&run);
    return status;
}

/* Writes the snapshot of a checkpoint for which all states are handed in. Without a directory, only
 * packs the states of shards. `transaction` is the name of the transaction that will commit the
 * checkpoint, or NULL. Returns LEAT_OK. On failure, either dir.error has the reason or the run has
 * failed. */
static int checkpoint_write(struct checkpoints *c, uint64_t checkpoint, const char *transaction)
{
    char size[BYTE_SIZE_TEXT];
    if (c->options->out) return LEAT_OK; /* only the state at the end counts */
    uint64_t from = clock_ns(), bytes = 0;
    int status = c->options->dir ? checkpoint_write_file(c, checkpoint, transaction, &bytes)
                                 : shards_pack(&c->shards, checkpoint);
    uint64_t took = clock_ns() - from;
    if (status != LEAT_OK || !c->options->dir) return status;
    pthread_mutex_lock(&c->mu);
    c->written++;
    c->bytes = bytes;
    if (took > c->write_ns) c->write_ns = took;
    pthread_mutex_unlock(&c->mu);
    log_message(LEAT_DEBUG, "snapshot %llu: %s in %.1f ms", (unsigned long long)checkpoint,
                byte_size(bytes, size), (double)took / 1e6);
    return LEAT_OK;
}

/* ---- the checkpoint thread ---- */

/* Returns the time when the next checkpoint is due, in ns; UINT64_MAX if time alone does not make
 * one due. */
static uint64_t checkpoint_due_at(const struct checkpoints *c)
{
    int64_t every = c->options->every_ns;
    bool never = !every || c->closing || c->before_end || !checkpoint_at_work(c);
    return never ? UINT64_MAX : c->since + (uint64_t)every;
}

static bool checkpoint_is_due(const struct checkpoints *c)
{
    if (c->closing || c->before_end || !checkpoint_at_work(c)) return false;
    return atomic_load(&c->requested) || atomic_load(&c->end_ns) || checkpoint_records_due(c) ||
           clock_ns() >= checkpoint_due_at(c);
}

/* Returns the time, in ns, from which sources that have not ended count as late. Sources may wait
 * too long for each other, or the sink for a cluster. Returns UINT64_MAX if the run was not asked
 * to end, or if its sources already end. */
static uint64_t checkpoint_late_at(const struct checkpoints *c)
{
    uint64_t asked = atomic_load(&c->end_ns);
    return asked && !atomic_load(&c->run->control.stopping) ? asked + CLOSING_NS : UINT64_MAX;
}

/* Waits for a change or until `end`. If sources are late to end, stops the run instead. Call it
 * with mu held. It releases mu to stop the run, because that wakes waiting threads. */
static void checkpoint_wait_or_end(struct checkpoints *c, uint64_t end)
{
    if (clock_ns() < checkpoint_late_at(c)) {
        steady_cond_wait(&c->changed, &c->mu,
                         end < checkpoint_late_at(c) ? end : checkpoint_late_at(c));
        return;
    }
    pthread_mutex_unlock(&c->mu);
    log_message(LEAT_WARN,
                "the sources did not reach a common checkpoint within 3 s: each stops where it "
                "is, and merged records may resume in another order");
    control_stop(&c->run->control);
    pthread_mutex_lock(&c->mu);
}

/* Warns that a snapshot is slow, once per run. Says nothing at the end of a run, which has its own
 * warning (signals.c). */
static void checkpoint_tell_slow(struct checkpoints *c)
{
    char call[256], slow[CALLS_TEXT];
    c->told_slow = true;
    if (atomic_load(&c->end_ns)) return;
    calls_longest(c->run, call, sizeof call);
    calls_slow(c->run, slow, sizeof slow);
    log_message(LEAT_WARN,
                "a snapshot has waited %.0f s for the records under way, and no other is "
                "written meanwhile: %s%s",
                (double)SLOW_NS / 1e9, call, slow);
}

/* Waits until every worker has handed in. Call it with mu held. */
static void checkpoint_await_all(struct checkpoints *c)
{
    uint64_t slow = clock_ns() + SLOW_NS;
    while (c->missing) {
        checkpoint_wait_or_end(c, c->told_slow ? UINT64_MAX : slow);
        if (c->missing && !c->told_slow && clock_ns() >= slow) checkpoint_tell_slow(c);
    }
}

/* Writes the snapshot after all workers have handed in. If writing fails, only logs it: the
 * previous snapshot still exists, and the next checkpoint writes another. */
static bool checkpoint_write_prepared(struct checkpoints *c, uint64_t checkpoint)
{
    if (atomic_load(&c->run->control.failed) || rejects_deliver(&c->run->rejects) != LEAT_OK ||
        !rejects_allow_checkpoint(&c->run->rejects))
        return false;
    int status = checkpoint_write(c, checkpoint, c->commit.name);
    if (status != LEAT_OK && !atomic_load(&c->run->control.failed))
        log_message(LEAT_ERROR,
                    "no snapshot was written: %s. The run continues and retries at the next "
                    "checkpoint",
                    c->dir.error);
    return status == LEAT_OK;
}

/* Tells the sink's worker to commit the checkpoint, and waits. Returns true if it is committed.
 * Call it with mu held. */
static bool checkpoint_await_commit(struct checkpoints *c, uint64_t checkpoint)
{
    c->commit.prepared = checkpoint;
    pthread_cond_broadcast(&c->changed);
    while (c->commit.prepared)
        checkpoint_wait_or_end(c, UINT64_MAX);
    return c->commit.done == checkpoint;
}

static void checkpoint_write_open(struct checkpoints *c, uint64_t checkpoint)
{
    bool good = checkpoint_write_prepared(c, checkpoint);
    pthread_mutex_lock(&c->mu);
    if (good && c->commit.sink) good = checkpoint_await_commit(c, checkpoint);
    if (good) atomic_store(&c->checkpoint, checkpoint);
    atomic_store(&c->tried, checkpoint);
    pthread_mutex_unlock(&c->mu);
}

/* Wakes all that wait for a change, and sources that wait for records: they send a barrier, or
 * learn that a checkpoint is complete. Releases mu meanwhile, which is held on entry. */
static void checkpoint_stir_sources(struct checkpoints *c)
{
    pthread_mutex_unlock(&c->mu);
    c->run->control.wake(&c->run->control);
    pthread_mutex_lock(&c->mu);
}

/* Makes one checkpoint. mu is held on entry and on return. If the run was asked to end, the sources
 * end at this checkpoint's cut, and the closing snapshot will have the same states. */
static void checkpoint_one(struct checkpoints *c)
{
    assert(!c->open && c->worker);
    uint64_t checkpoint = c->last + 1;
    /* Releases mu before it takes rejects.mu, because a thread that holds rejects.mu may take mu to
     * request a checkpoint. */
    pthread_mutex_unlock(&c->mu);
    rejects_hold(&c->run->rejects, checkpoint);
    pthread_mutex_lock(&c->mu);
    if (!checkpoint_at_work(c)) { /* all workers have ended, so none can commit */
        pthread_mutex_unlock(&c->mu);
        rejects_release(&c->run->rejects);
        pthread_mutex_lock(&c->mu);
        return;
    }
    c->last = checkpoint;
    c->cut = checkpoint_cut(c);
    c->missing = checkpoint_at_work(c);
    atomic_store(&c->requested, false);
    if (atomic_load(&c->end_ns)) c->closing = checkpoint;
    c->open = checkpoint;
    checkpoint_stir_sources(c);
    checkpoint_await_all(c);
    pthread_mutex_unlock(&c->mu);
    if (c->closing)
        control_stop(&c->run->control);
    else
        checkpoint_write_open(c, checkpoint);
    rejects_release(&c->run->rejects);
    pthread_mutex_lock(&c->mu);
    c->open = 0;
    c->since = clock_ns();
    c->records = run_records(c->run);
    checkpoint_stir_sources(c);
}

static void *checkpoint_main(void *arg)
{
    struct checkpoints *c = arg;
    pthread_setname_np(pthread_self(), "checkpoint"); /* name shown by debuggers and by top -H */
    pthread_mutex_lock(&c->mu);
    while (!c->finished) {
        if (checkpoint_is_due(c))
            checkpoint_one(c);
        else
            steady_cond_wait(&c->changed, &c->mu, checkpoint_due_at(c));
    }
    pthread_mutex_unlock(&c->mu);
    return NULL;
}

/* ---- start and end of a run with checkpoints ---- */

/* True if a source commits its position only after a checkpoint (durable()). */
static bool checkpoint_is_wanted(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->source->durable) return true;
    return false;
}

void checkpoint_init(struct checkpoints *c, struct run *r, const struct checkpoint_options *o,
                     unsigned rollbacks)
{
    *c = (struct checkpoints){
        .run = r, .options = o, .rollbacks = rollbacks, .dir = {.fd = -1, .lock = -1}};
    pthread_mutex_init(&c->mu, NULL);
    steady_cond_init(&c->changed);
    c->told = arena_alloc(r->graph->arena, r->graph->n_nodes * sizeof *c->told);
    commit_init(&c->commit, r, o->every_ns, o->dir != NULL);
    r->checkpoints = c;
    r->continues = o->dir || rollbacks;
    if (checkpoint_saves(o) || c->commit.sink || checkpoint_is_wanted(r))
        r->checkpoint_hooks = &checkpoint_barriers;
}

/* Fails the run if the runs before it, which began after as many records, all crashed alike. */
static int checkpoint_end_loop(const struct checkpoints *c, uint64_t records)
{
    struct run *r = c->run;
    const char *why = crash_notes_loop(&r->crashes, records, c->options->dir, r->graph->arena);
    return why ? control_fail(&r->control, LEAT_EARG, "%s", why) : LEAT_OK;
}

int checkpoint_open(struct checkpoints *c, struct diag *d, int quiet)
{
    struct run *r = c->run;
    int status = run_open(r, d, quiet);
    if (status != LEAT_OK) return status;
    c->worker = arena_alloc(r->graph->arena, r->n_workers * sizeof *c->worker);
    for (uint32_t k = 0; k < r->n_workers; k++)
        c->worker[k].begun = -1;
    if ((status = shards_open(&c->shards, r)) < 0 || (status = checkpoint_open_dir(c)) < 0 ||
        (status = checkpoint_end_loop(c, CRASH_NOTES_NO_RECORDS)) < 0 ||
        (status = checkpoint_resume(c, d)) != LEAT_OK ||
        (status = checkpoint_end_loop(c, run_records(r))) < 0)
        return status;
    return c->options->dir || !r->continues ? rejects_begin(&r->rejects) : LEAT_OK;
}

/* Merges the state of each learner into itself, which changes nothing, as no record was read. So a
 * learner whose states cannot be merged is refused before it learns a split. */
static int checkpoint_try_merges(struct checkpoints *c)
{
    struct instance_cursor at = {0};
    for (struct instance *i; (i = instance_state_next(c->run, &at));) {
        struct snapshot_section section[2];
        if (i->node->stage->kind != LEAT_LEARNER) continue;
        struct snapshot own = {.section = section,
                               .n = instance_state_sections(i->saved, i, section)};
        int status = own.n ? instance_state_merge_stage(i, &own, 1) : c->run->control.failed;
        if (status == LEAT_EDATA) atomic_store(&c->run->control.failed, LEAT_EARG);
        if (status != LEAT_OK) return c->run->control.failed;
    }
    return LEAT_OK;
}

/* Writes a first snapshot. It has the same states and number as the snapshot that the run continues
 * from; number 0 if there is none. */
static int checkpoint_write_first(struct checkpoints *c)
{
    for (uint32_t k = 0; k < c->run->n_workers && !c->run->control.failed; k++)
        for (uint32_t j = 0; j < c->run->worker[k].n_steps && !c->run->control.failed; j++)
            instance_state_take(c->run->worker[k].step[j]->saved, c->run->worker[k].step[j]);
    if (c->run->control.failed) return c->run->control.failed;
    if (c->options->out) return checkpoint_try_merges(c);
    int status = checkpoint_write(c, c->last, NULL);
    return status == LEAT_OK ? status
                             : control_fail(&c->run->control, status, "no snapshot was written: %s",
                                            c->dir.error);
}

int checkpoint_start(struct checkpoints *c)
{
    struct run *r = c->run;
    run_pace(r);
    int status = checkpoint_saves(c->options) ? checkpoint_write_first(c) : LEAT_OK;
    c->since = clock_ns();
    c->records = run_records(r);
    crash_notes_begin(c->records);
    if (c->options->dir && status == LEAT_OK) crash_marks_begin(c->dir.fd, r, c->records);
    if (status != LEAT_OK || (status = run_start(r)) != LEAT_OK || !r->checkpoint_hooks)
        return status;
    int failed = pthread_create(&c->thread, NULL, checkpoint_main, c);
    if (failed) /* control_fail() makes the run end */
        control_fail(&r->control, LEAT_ENOMEM, "the system gives no thread for snapshots: %s",
                     strerror(failed));
    atomic_store(&c->running, !failed);
    return LEAT_OK;
}

void checkpoint_stop(struct checkpoints *c)
{
    uint32_t sources = 0;
    bool running = atomic_load(&c->running);
    for (uint32_t k = 0; running && k < c->run->n_workers; k++)
        sources += c->run->worker[k].source_pool != NULL;
    if (sources < 2 || !c->options->dir || !c->run->paced) {
        control_stop(&c->run->control);
        return;
    }
    atomic_store(&c->end_ns, clock_ns());
    checkpoint_wake(c);
}

static int checkpoint_write_last(struct checkpoints *c, const char *transaction)
{
    uint64_t there[SNAPSHOT_DIR_CHECKPOINTS];
    if (checkpoint_write(c, c->final, transaction) != LEAT_OK)
        return control_fail(&c->run->control, LEAT_EIO,
                            "the closing snapshot was not written: %s.%s", c->dir.error,
                            snapshot_dir_list(c->dir.path, there) > 0
                                ? " The previous snapshot remains valid"
                                : " No snapshot is left there: has somebody removed them?");
    c->checkpoint = c->last = c->final;
    return LEAT_OK;
}

/* Writes the closing snapshot with the last states of all workers. If the last checkpoint already
 * contains these states, no commit is needed. Otherwise the sink commits, and the file is then
 * written again without `transaction`, so that it is always valid. */
static int checkpoint_write_closing(struct checkpoints *c)
{
    c->after_end = c->before_end != 0;
    bool is_over = c->checkpoint == c->final;
    const char *transaction = is_over ? NULL : c->commit.name;
    int status = checkpoint_write_last(c, transaction);
    if (status != LEAT_OK || !transaction) return status;
    status = commit_checkpoint(&c->commit, c->run, c->final);
    return status == LEAT_OK && c->options->dir ? checkpoint_write_last(c, NULL) : status;
}

/* ---- the state of a split ---- */

/* Sums up the bytes that the sources have read. */
static uint64_t checkpoint_bytes_read(const struct run *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        uint64_t done = 0, total = 0;
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        instance_progress(run_instance(r, n, 0), &done, &total);
        sum += done;
    }
    return sum;
}

static int checkpoint_write_learned(struct checkpoints *c, struct learned *l)
{
    const struct checkpoint_options *o = c->options;
    struct run *r = c->run;
    const struct snapshot_file_form form = {1, o->base64, .replaces = true};
    learned_add_splits(
        l, splits_one(o->split, run_records(r), checkpoint_bytes_read(r), l->section, l->n));
    int status = snapshot_file_write(o->out, form, l->section, l->n, c->dir.error);
    return status == LEAT_OK
               ? status
               : control_fail(&r->control, status, "the state was not written: %s", c->dir.error);
}

static int checkpoint_write_split(struct checkpoints *c)
{
    struct learned l;
    if (atomic_load(&c->run->control.stopping))
        return control_fail(&c->run->control, LEAT_EOS,
                            "the run was stopped before the end of the split, so no state is "
                            "written: run it again");
    int status = learned_collect(&l, c->run, c->fingerprint);
    if (status == LEAT_OK) status = checkpoint_write_learned(c, &l);
    learned_free(&l);
    return status;
}

int checkpoint_write_empty(struct checkpoints *c)
{
    const struct graph *g = c->run->graph;
    json_t *none = json_pack("{s:s, s:I, s:[]}", "pipeline", g->name, "seed",
                             (json_int_t)g->options.seed, "stages");
    char *text = json_dumps(none, JSON_INDENT(1));
    struct learned l;
    int status = learned_begin(&l, c->run, text);
    if (status == LEAT_OK) status = checkpoint_write_learned(c, &l);
    learned_free(&l);
    json_decref(none);
    free(text);
    return status;
}

/* ---- the end of a run ---- */

static void checkpoint_join_thread(struct checkpoints *c)
{
    pthread_mutex_lock(&c->mu);
    c->finished = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mu);
    pthread_join(c->thread, NULL);
    atomic_store(&c->running, false);
}

void checkpoint_join(struct checkpoints *c)
{
    run_join(c->run);
    if (!c->running) return;
    checkpoint_join_thread(c);
    if (!c->run->control.failed && rejects_allow_closing(&c->run->rejects) &&
        (c->options->out ? checkpoint_write_split(c) : checkpoint_write_closing(c)) == LEAT_OK) {
        crash_notes_remove(c->dir.fd);
        struct instance_cursor at = {0};
        for (struct instance *i; (i = instance_state_next(c->run, &at));)
            checkpoint_tell(c, i);
    }
    c->run->end = clock_ns();
}

void checkpoint_close(struct checkpoints *c)
{
    struct instance_cursor at = {0};
    for (struct instance *i; (i = instance_state_next(c->run, &at));) {
        if (i->saved) instance_state_free(i->saved);
        free(i->saved);
    }
    crash_marks_end(c->dir.fd, c->run);
    crash_notes_keep(-1);
    snapshot_dir_close(&c->dir);
    commit_close(&c->commit);
    shards_close(&c->shards);
    c->run->checkpoint_hooks = NULL; /* run_close() may fail the run, which would call them */
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mu);
    run_close(c->run);
}
