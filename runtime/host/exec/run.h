/* run.h -- a pipeline at work: its instances, its threads, its stop and its result.
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
 *                             who has handed in                     workers at barriers; its thread
 *                             (checkpoint/checkpoint.h)             any: requests, and the end
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
 *   worker.fork_*, call and   figures                               the worker; read by the bar,
 *     count of an instance                                          watching thread and summary
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
 * exec/ does not know checkpoints or shards. Before the threads start, checkpoint/, which lies
 * above exec/, puts a table of functions and its own pointer into struct run. The table is NULL in
 * a run without checkpoints (or shards). Functions that take a worker are called on its thread. */

/* Calls at barriers, and at the end of a worker (checkpoint/checkpoint.h). */
struct checkpoint_hooks {
    /* Called by a source before each batch. Returns the checkpoint whose barrier the source passes
     * now, after which it calls again; 0 if the batch may begin. Blocks while the source is far
     * ahead of others. */
    uint64_t (*next_barrier)(struct worker *source);
    /* Called once by a source: after all its records except those that may still grow, and before
     * stages that make other records hear of the end. Returns the checkpoint that a later run
     * continues from, whose barrier the source passes now. Returns 0 if there is none: all later
     * records count then. */
    uint64_t (*end_barrier)(struct worker *source);
    /* Saves the present states of the worker's stages, when the barrier reaches the worker. */
    void (*hand_in)(struct worker *w, uint64_t checkpoint);
    /* Called when the worker has sent the barrier on. Waits and commits if the worker has the sink
     * that commits. */
    void (*commit)(struct worker *w);
    /* Saves the states for the last time, when the worker's inputs have ended. */
    void (*hand_in_last)(struct worker *w);
    /* Called when the worker has sent its end on. If the worker has the sink that commits, it
     * commits the checkpoints of the other workers until they have ended. */
    void (*commit_rest)(struct worker *w);
    /* Makes the next checkpoint due now. Any thread. */
    void (*request)(struct run *r);
    /* Wakes workers that wait for a checkpoint, so that they look for visits (flow/pool.h). Any
     * thread. */
    void (*stir)(struct run *r);
    /* Notes that the run has been asked to end. Any thread. */
    void (*stopping)(struct run *r);
};

/* A model for each input (checkpoint/shards.h). */
struct shard_hooks {
    /* Puts the instances of the input's shard into worker.step, before a batch of that input. */
    void (*enter)(struct worker *w, uint32_t input);
    /* Puts the stages' own instances back into worker.step. */
    void (*leave)(struct worker *w);
    /* Stops the worker's instances of all shards, when the worker ends. */
    void (*stop)(struct worker *w);
    /* Called at the end of the stream. Returns the input of the next living shard by name, after
     * that of input `after` (BATCH_NO_INPUT: from the first); BATCH_NO_INPUT if there is none. */
    uint32_t (*next)(struct run *r, uint32_t after);
    /* Makes a learner's own instance the merge of its shards; other stages do not change. Returns
     * LEAT_OK, or a failure that the run reports and that halts it. */
    int (*gather)(struct instance *own);
    /* Returns the number of examples that all shards of a learner have learned. */
    uint64_t (*examples)(const struct instance *own);
    /* The services of the same names in struct leat_host. */
    int (*begin)(struct run *r, const char *name, const void *state, size_t n, uint32_t *input);
    void (*state)(struct run *r, uint32_t input, const void **state, size_t *n);
    void (*end)(struct run *r, uint32_t input);
};

/* ---- the run ---- */

/* Shared state of the threads that ask workers (visits.h). */
struct visits {
    pthread_mutex_t mu;
    pthread_cond_t changed;
    _Atomic bool expected; /* set by visits_expect() */
};

struct run {
    struct graph *graph;
    struct plan plan;
    struct instance **instance; /* by node and lane: instance[node->index][lane] */
    struct worker *worker;
    uint32_t n_workers;
    struct pool *pool; /* parallel to plan.pool */
    struct ask *ask;
    uint32_t n_asks;
    struct rejects rejects;
    struct visits visits;
    const struct checkpoint_hooks *checkpoint_hooks; /* or NULL: no checkpoints are made      */
    struct checkpoints *checkpoints;                 /* for the hooks; belongs to checkpoint/ */
    const struct shard_hooks *shard_hooks;           /* or NULL: stages have one instance     */
    struct shards *shards;                           /* for the hooks; belongs to checkpoint/ */
    struct progressive_table table;
    uint64_t start, end;     /* ns                                                                */
    uint64_t before;         /* records of the earlier runs that it continues                     */
    bool continues;          /* an earlier run: its dead letters stay, and new ones are added     */
    bool paced;              /* every source knows its length: merges take by shares, not batches */
    uint64_t memory_max;     /* limit for all stages while one thread opens them; 0: none         */
    uint64_t memory;         /* taken of memory_max, if that is a limit                           */
    bool inspects;           /* --debug-plugins (inspect.h)                                       */
    struct guarded *guarded; /* memory of all instances, if `inspects`                            */
    bool memory_refused;     /* because of the limit                                              */
    struct diag *heard;      /* takes the warnings of stages while no worker runs; else NULL      */
    uint64_t looked_ns;      /* when calls_look ran last                                          */
    bool mute;               /* without workers: another run prints the stages' warnings          */
    uint64_t saved_at;       /* when the snapshot that it continues from was made: unix ns        */

    struct control control;
};

/* Begins a run; control_stop may be called from then on. */
void run_init(struct run *r, struct graph *g);

/* Opens everything. On failure the reason is in the diag (configuration) or in run->control.reason.
 * Returns LEAT_OK; LEAT_EOS if stopped before a header came, so there is nothing to start;
 * LEAT_EARG for a wrong configuration that only opening shows; or another failure. */
int run_open(struct run *r, struct diag *d, int quiet);

/* Open one lane of a stage, or all. Return LEAT_OK, or a failure of the run. */
int run_open_lane(struct run *r, struct node *n, uint32_t lane);
int run_open_stage(struct run *r, struct node *n);

/* Sets schema_out.header of an open source. Returns LEAT_OK; LEAT_EOS if stopped before the header
 * came; or a failure of the run. */
int run_read_header(struct run *r, struct node *n);

/* Sets where merges begin: at 0, or where the sources continue from a snapshot. Call it after
 * states are restored and before the start. */
void run_pace(struct run *r);

/* Starts the threads, which end by themselves. Returns LEAT_OK, or a failure of the run, after
 * which no thread runs. */
int run_start(struct run *r);
void run_join(struct run *r);
/* Calls the finish of stages, which reports on the whole run. Call it after run_join, if nothing
 * has failed. */
void run_finish(struct run *r);
void run_close(struct run *r);

uint64_t run_records(const struct run *r); /* records that sources have delivered */
/* Returns the records that all sources together are behind their inputs, by their last reports;
 * LAG_NONE if no source has reported; another value below 0 if the lag is unknown. */
#define LAG_NONE INT64_MIN
int64_t run_lag(const struct run *r);

/* Returns how far a source is, in the measure by which merges order sources. That is the share of
 * its input that it has delivered; or, unless `paced`, its number of batches. Call it on the
 * source's thread, or while that does not run. */
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
