/* run.h -- a pipeline at work: instances, threads, stop, and what came of it.
 *
 * Threads: one for each lane of each segment (worker.h), one for checkpoints if there are any, and
 * the main thread, which opens everything, waits and closes everything. A stage is called by the
 * worker that it belongs to. What threads share:
 *
 *   lock or atomic            guards                                who takes or writes it
 *   ------------------------  ------------------------------------  ------------------------------
 *   http.mu                   the run that is watched               the watching thread for each
 *     (program/watch/http.h)                                        request; main at start and end
 *   visits.mu + changed       questions of threads to workers       who asks; workers that are
 *                             (visits.h)                            asked, and at their ends
 *   rejects.mu                counts, dead letters, copies of a     workers at ends and forks;
 *                             batch under way, held letters         the checkpoint thread
 *   instance.turn             calls of a sink that takes dead       its worker; who holds
 *                             letters                               rejects.mu
 *   shards.mu                 slots of shards, their saved states   source; workers at barriers and
 *                                                                   for answers; checkpoint thread
 *   checkpoints.mu + changed  the checkpoint under way, its cut,    sources before each batch;
 *                             who has handed in                     workers at barriers; its
 * thread;
 *                             (checkpoint/checkpoint.h)             who asks for one, or for the
 * end
 *   control.mu + finished     reason, n_threads, woken, the last    any; the main thread sleeps
 *                             worker's end; names of inputs
 *   ask.mu + freed            free answer tables                    learner's and sink's worker
 *   pool.mu + freed           free batches                          source or fork takes; the last
 *                                                                   user of a batch gives it back
 *   ring.mu + changed         the sleep of either, `sleepers`       the two workers, when stuck
 *   mu in host/log/log.c      standard error                        any
 *   ring.head, .tail          batches between two workers           one pushes, the other pops
 *   hbatch.borrowers          the last use of a shared batch        the fork; workers of branches
 *   control.stopping,         end of the sources, of the run, of    any sets them; workers look
 *     .failed, .halted        calls                                 before each call
 *   control.at_work           workers that have not ended           workers, under mu; main looks
 *   worker.in_ended           inputs that have ended                the worker; checkpoints look
 *   worker.fork_*, call and   figures                               the worker; progress bar,
 *     count of an instance                                          watching thread and summary
 * read
 *   instance.reading.lag      a source's report of its lag          its worker; any reads `total`
 *   instance.saved, no lock   an instance's saved state             its worker until it has handed
 *                                                                   in; then the checkpoint thread
 *
 * Who holds one may take those to its right, never the other way: http.mu, visits.mu, rejects.mu,
 * instance.turn, shards.mu, checkpoints.mu, control.mu, log. All others are held alone.
 */
#ifndef LEAT_HOST_EXEC_RUN_H
#define LEAT_HOST_EXEC_RUN_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "control.h"
#include "host/exec/answers/ask.h"
#include "host/exec/instance/instance.h"
#include "host/metrics/progressive.h"
#include "host/exec/plan/plan.h"
#include "host/flow/pool.h"
#include "host/exec/rejects/rejects.h"
#include "host/flow/ring.h"

struct checkpoints;
struct run;
struct shards;
struct worker;

/* ---- the functions of checkpoints and shards that workers and the host's services call ----
 *
 * exec/ knows neither: the room checkpoint/, which lies above, puts a table of functions and a
 * pointer of its own into struct run before the threads start. Where a run has no checkpoints, or
 * no shards, the table is NULL. Functions of a worker are called on its thread. */

/* Calls at barriers, and at the end of a worker (checkpoint/checkpoint.h). */
struct checkpoint_hooks {
    /* Source, before each batch: the checkpoint whose barrier it passes now, and then it asks
     * again; 0: the batch may begin. Blocks while the source is far ahead of others. */
    uint64_t (*next_barrier)(struct worker *source);
    /* Source, once, after all records but those that may still grow, and before stages that make
     * other records hear of the end. Returns the checkpoint that a later run continues from, whose
     * barrier the source passes now; 0 if there is none, and all later records count. */
    uint64_t (*end_barrier)(struct worker *source);
    /* The barrier is at this worker: save the states of its stages as they are now. */
    void (*hand_in)(struct worker *w, uint64_t checkpoint);
    /* The worker has sent the barrier on: if it has the sink that commits, it waits and commits. */
    void (*commit)(struct worker *w);
    /* The worker's inputs have ended: save the states for the last time. */
    void (*hand_in_last)(struct worker *w);
    /* The worker has sent its end on: if it has the sink that commits, it commits the checkpoints
     * of the other workers until they have ended. */
    void (*commit_rest)(struct worker *w);
    /* Any thread: the next checkpoint is due now. */
    void (*request)(struct run *r);
    /* Any thread: wakes workers that wait for a checkpoint, so that they look whether they are
     * asked (flow/pool.h). */
    void (*stir)(struct run *r);
    /* Any thread: the run is asked to end from now on. */
    void (*stopping)(struct run *r);
};

/* A model for each input (checkpoint/shards.h). */
struct shard_hooks {
    /* A batch of this input comes: the instances of its shard take their places in worker.step. */
    void (*enter)(struct worker *w, uint32_t input);
    /* The stages' own instances take their places again. */
    void (*leave)(struct worker *w);
    /* The worker ends: its instances of all shards are stopped. */
    void (*stop)(struct worker *w);
    /* At the end of the stream. Returns the input of the living shard whose name comes after that
     * of input `after` (BATCH_NO_INPUT: the first); BATCH_NO_INPUT if there is none. */
    uint32_t (*next)(struct run *r, uint32_t after);
    /* Make a learner's own instance the merge of its shards; other stages stay as they are.
     * LEAT_OK, or a failure that the run reports; it is halted then. */
    int (*gather)(struct instance *own);
    /* Examples that all shards of a learner have learned. */
    uint64_t (*examples)(const struct instance *own);
    /* The services of the same names in struct leat_host. */
    int (*begin)(struct run *r, const char *name, const void *state, size_t n, uint32_t *input);
    void (*state)(struct run *r, uint32_t input, const void **state, size_t *n);
    void (*end)(struct run *r, uint32_t input);
};

/* ---- the run ---- */

/* The threads that ask workers (visits.h). */
struct visits {
    pthread_mutex_t mu;
    pthread_cond_t changed;
    _Atomic bool expected; /* visits_expect() */
};

struct run {
    struct graph *graph;
    struct plan plan;
    struct instance **instance; /* by node and lane: instance[node->index][lane] */
    struct worker *worker;
    uint32_t n_workers;
    struct pool *pool; /* as plan.pool */
    struct ask *ask;
    uint32_t n_asks;
    struct rejects rejects;
    struct visits visits;
    const struct checkpoint_hooks *checkpoint_hooks; /* or NULL: no checkpoints are made  */
    struct checkpoints *checkpoints;                 /* checkpoint/'s own, for its hooks  */
    const struct shard_hooks *shard_hooks;           /* or NULL: stages have one instance */
    struct shards *shards;                           /* checkpoint/'s own, for its hooks  */
    struct progressive_table table;
    uint64_t start, end;     /* ns */
    uint64_t before;         /* records of the earlier runs that it continues */
    bool continues;          /* an earlier run: its dead letters are kept, and new ones added     */
    bool paced;              /* every source knows its length: merges take by shares, not batches */
    uint64_t memory_max;     /* all stages together, when only one thread opens them; 0: no limit */
    uint64_t memory;         /* that they have taken, when there is a limit                       */
    bool inspects;           /* --debug-plugins (inspect.h) */
    struct guarded *guarded; /* then: memory of all instances                               */
    bool memory_refused;     /* because of the limit                                              */
    struct diag *heard;      /* takes the warnings of stages, where nothing runs; else NULL       */
    uint64_t looked_ns; /* when calls_look ran last                                           */
    bool mute;          /* without workers: a run says, or has said, what its stages warn of */
    uint64_t saved_at;  /* when the snapshot was made that it continues from: unix ns        */

    struct control control;
};

/* Begins a run; after this, control_stop may be called. */
void run_init(struct run *r, struct graph *g);

/* Open everything; on failure the reason is in the diag (configuration) or in run->control.reason.
 * Returns LEAT_OK, LEAT_EOS (stopped before a header came: there is nothing to start),
 * LEAT_EARG (wrong configuration, found only now) or another failure. */
int run_open(struct run *r, struct diag *d, int quiet);

/* Open one lane of a stage, or all. LEAT_OK, or a failure of the run. */
int run_open_lane(struct run *r, struct node *n, uint32_t lane);
int run_open_stage(struct run *r, struct node *n);

/* Sets schema_out.header of an open source. LEAT_OK; LEAT_EOS: stopped before it came; or a failure
 * of the run. */
int run_read_header(struct run *r, struct node *n);

/* Sets where merges begin: at 0, or at the places of sources that continue from a snapshot. Call it
 * after states are restored, before the start. */
void run_pace(struct run *r);

/* Start the threads; they end by themselves. LEAT_OK, or a failure of the run: no thread is left
 * then. */
int run_start(struct run *r);
void run_join(struct run *r);
/* Calls the finish of stages, which report on the whole run; after run_join, if nothing has failed.
 */
void run_finish(struct run *r);
void run_close(struct run *r);

uint64_t run_records(const struct run *r); /* that sources have delivered */
/* Records that all sources are behind their inputs, as these said last; LAG_NONE: none has said it.
 * Below 0 otherwise: not known. */
#define LAG_NONE INT64_MIN
int64_t run_lag(const struct run *r);

/* Returns how far a source is, as merges order sources: the share of its input that it has
 * delivered; or its batches, if some source does not know its length (paced). On the source's
 * thread, or while that does not run. */
static inline double run_position(const struct instance *source)
{
    return source->run->paced ? instance_share(source) : (double)source->reading.batches;
}

static inline struct instance *run_instance(const struct run *r, const struct node *n,
                                            uint32_t lane)
{
    assert(lane < (uint32_t)n->lanes);
    return &r->instance[n->index][lane];
}

#endif
