/* run.h -- a pipeline at work: instances, threads, stop, and what came of it.
 *
 * Threads:
 *
 *   main          checks, opens everything, waits, closes everything, prints the summary
 *   workers       one for each lane of each segment (worker.h). A stage is called by the worker that
 *                 it belongs to, from start to stop, but for take, flush, progress and wake
 *   checkpoints   if there are any: opens each and writes its file (checkpoint/checkpoint.c)
 *   watching      with --http: answers requests, and asks workers for what is theirs (visits.h)
 *   signals       asks the run to end, and ends the process at the deadline (cli/run/signals.c)
 *   librdkafka's  fill queues
 *
 * A batch belongs to one thread at a time. What threads share:
 *
 *   lock or atomic            guards                                who takes or writes it
 *   ------------------------  ------------------------------------  ------------------------------
 *   ring (ring.h)             batches between two workers: head     one pushes, the other pops
 *                             and tail are atomics
 *   ring.mu                   the sleep of either, `sleepers`       the two workers, when stuck
 *   pool.mu                   free batches                          source or fork takes; the last
 *                                                                   user of a batch gives it back
 *   hbatch.borrowers          when a shared batch is given back     the fork; workers of branches
 *   instance.turn             calls of a sink that takes dead       its worker; who holds
 *                             letters                               rejects.mu
 *   ask.mu                    free answer tables                    learner's and sink's worker
 *   rejects.mu                counts, dead letters, held ones,      workers at ends and forks;
 *                             copies of a batch under way           the checkpoint thread
 *   checkpoints.mu            the checkpoint under way              workers at barriers; sources
 *                             (checkpoint/checkpoint.h)             before each batch; its thread
 *   shards.mu                 slots of shards, their saved states   source; workers at barriers and
 *                                                                   for answers; checkpoint thread
 *   run.mu + finished         reason, names of inputs, n_threads;   any; the main thread sleeps
 *                             the end of the last worker
 *   run.control.stopping, .failed,    end of the sources, of the run, of    any sets them; workers look
 *      .halted                calls                                 before each call
 *   run.control.at_work               workers that have not ended           workers; main looks
 *   worker.in_ended           inputs that have ended                the worker; checkpoints look
 *   worker.fork_*, counters   figures                               the worker; progress bar and
 *      of an instance                                               summary read them
 *   http.mu                   the run that is watched               watching, for each request;
 *      (watch/inside.h)                                             main, at its start and end
 *   visits.mu + changed       who asks which worker (visits.h)      whoever asks; workers that are
 *                                                                   asked, and at their ends
 *   mu in host/log/log.c      standard error                        any
 *
 * The saved state of an instance has no lock: it is its worker's until the worker has handed in, and
 * then the checkpoint thread's until the checkpoint is closed.
 *
 * Who holds http.mu may take any other. Who holds one of the next may take those to its right, never
 * the other way: rejects.mu, instance.turn, shards.mu, checkpoints.mu, run.mu, log. All others are
 * held alone.
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

/* At barriers, and at the end of a worker (checkpoint/checkpoint.h). */
struct checkpoint_hooks {
    /* Source, before each batch: the checkpoint whose barrier it passes now, and then it asks
     * again; 0: the batch may begin. Blocks while the source is far ahead of others. */
    uint64_t (*next_barrier)(struct worker *source);
    /* Source, once, after all records but those that may still grow, and before the stages that
     * make other records hear of the end: the checkpoint that a later run continues from, whose
     * barrier it passes now; 0: there is none, and what is given from here on counts. */
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
    /* At the end of the stream: the living shard that comes after that of input `after`
     * (BATCH_NO_INPUT: the first), by their names. Its input; BATCH_NO_INPUT: there is none. */
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

/* Of those who ask workers (visits.h). */
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

/* After this, control_stop may be called. */
void run_init(struct run *r, struct graph *g);

/* Open everything; on failure the reason is in the diag (configuration) or in run->control.reason. Returns
 * LEAT_OK, LEAT_EOS (stopped before a header came: there is nothing to start),
 * LEAT_EARG (wrong configuration, found only now) or another failure. */
int run_open(struct run *r, struct diag *d, int quiet);

/* Open one lane of a stage, or all. LEAT_OK, or a failure of the run. */
int run_open_lane(struct run *r, struct node *n, uint32_t lane);
int run_open_stage(struct run *r, struct node *n);

/* Sets schema_out.header of an open source. LEAT_OK; LEAT_EOS: stopped before it came; or a failure
 * of the run. */
int run_read_header(struct run *r, struct node *n);

/* Where merges begin: at 0, or as far as the sources are that continue from a snapshot. Once
 * states are restored, before the start. */
void run_pace(struct run *r);

/* Start the threads; they end by themselves. LEAT_OK, or a failure of the run: no thread is left
 * then. */
int run_start(struct run *r);
void run_join(struct run *r);
/* After it, if nothing has failed: stages say what they found in the whole run. */
void run_finish(struct run *r);
void run_close(struct run *r);

uint64_t run_records(const struct run *r); /* that sources have delivered */
/* Records that all sources are behind their inputs, as these said last; LAG_NONE: none has said it.
 * Below 0 otherwise: not known. */
#define LAG_NONE INT64_MIN
int64_t run_lag(const struct run *r);

/* How far a source is, as merges order sources: the share of its input that it has delivered, or its
 * batches if some source does not know its length (paced). On the source's thread, or before it
 * starts and after it ends. */
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
