/* run.h -- a pipeline at work: its instances, its threads, its stop and its result.
 *
 * Threads: one for each lane of each segment (worker.h), one for checkpoints if there are any, and
 * the main thread, which opens everything, waits and closes everything. A worker calls the stages
 * of its segment. The threads share:
 *
 *   lock or atomic            guards                                who takes or writes it
 *   ------------------------  ------------------------------------  -------------------------------
 *   http.mu                   the run that is watched               watching thread: each request;
 *     (program/watch/http.h)                                        main thread: at start and end
 *   visits.mu + changed       calls that threads ask workers to     the asking thread; workers
 *                             make (visits.h)
 *   rejects.mu                counts; dead letters, including those workers, when a batch ends or
 *                             held back; hbatch.under_way           forks; checkpoint thread
 *   instance.turn             calls of a sink that takes dead       the sink's worker; threads that
 *                             letters                               hold rejects.mu
 *   shards.mu                 slots of shards, their saved states   source; workers at barriers and
 *                                                                   for answers; checkpoint thread
 *   checkpoints.mu + changed  the checkpoint in progress: its cut,  sources before each batch;
 *                             workers that have saved their states  workers at barriers; checkpoint
 *                             (checkpoint/checkpoint.h)             thread; any: requests, the end
 *   control.mu + finished     reason, n_threads, woken, end of the  any; the main thread sleeps
 *                             last worker; names of inputs
 *   ask.mu + freed            free answer tables                    learner's and sink's worker
 *   pool.mu + freed           free batches                          source or fork takes; the last
 *                                                                   user of a batch gives it back
 *   ring.mu + changed         sleep of the two workers, `sleepers`  the two workers
 *   mu in host/log/log.c      standard error                        any
 *   ring.head, .tail          batches between two workers           one pushes, the other pops
 *   hbatch.borrowers          number of uses of a batch             the fork; workers of branches
 *   control.stopping,         how the run ends (control.h)          any sets; workers read, before
 *     .failed, .halted                                              each call
 *   control.at_work           number of workers that are running    workers, under mu; main reads
 *   worker.in_ended           inputs that have ended                the worker; checkpoints read
 *   worker.fork_*, call and   figures                               the worker; progress bar,
 *     count of an instance                                          watching thread, summary read
 *   instance.reading.group    last report of a source's group        its worker
 *   instance.reading.lag      last reported lag of a source         its worker; any reads `total`
 *   instance.waits, control.mu whether and why the stage waits      its worker; any reads
 *   instance.saved, no lock   saved state of an instance            its worker, until it has saved
 *                                                                   it; then checkpoint thread
 *
 * Order of locks: a thread that holds one of these may take only locks to its right: http.mu,
 * visits.mu, rejects.mu, instance.turn, shards.mu, checkpoints.mu, control.mu, mu of log.c. A
 * thread that holds any other lock takes no further lock.
 */
#ifndef LEAT_HOST_EXEC_RUN_H
#define LEAT_HOST_EXEC_RUN_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "control.h"
#include "host/exec/answers/ask.h"
#include "host/exec/crash/crash_notes.h"
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

/* Functions that checkpoint/checkpoint.h provides. Workers call them at barriers and at their
 * ends. */
struct checkpoint_hooks {
    /* Called by a source's worker before each batch. Returns the checkpoint whose barrier it must
     * send now; it then calls again. Returns 0 if the batch may begin. Blocks while the source is
     * far ahead of other sources. */
    uint64_t (*next_barrier)(struct worker *source);
    /* Called once by a source's worker at the end of the input. At that point the source has
     * delivered all records except the one that may still grow, and no stage with expand knows of
     * the end. Returns the checkpoint from which a later run continues; the worker sends its
     * barrier now. Returns 0 if there is no such checkpoint. */
    uint64_t (*end_barrier)(struct worker *source);
    /* Saves the states of the worker's stages, when the barrier of the checkpoint reaches the
     * worker. */
    void (*hand_in)(struct worker *w, uint64_t checkpoint);
    /* Called after the worker has sent the barrier to later workers. If the worker has the sink
     * that commits, waits for the checkpoint and commits it. */
    void (*commit)(struct worker *w);
    /* Saves the states of the worker's stages for the last time, when all inputs of the worker have
     * ended. */
    void (*hand_in_last)(struct worker *w);
    /* Called after the worker has told later workers of its end. If the worker has the sink that
     * commits, it goes on to commit checkpoints until the other workers have ended. */
    void (*commit_rest)(struct worker *w);
    /* Makes the next checkpoint due now. Any thread may call it. */
    void (*request)(struct run *r);
    /* Wakes all that wait for a checkpoint: the run is asked to end, or workers have calls to make
     * for other threads (visits.h). Any thread may call it. */
    void (*stir)(struct run *r);
};

/* Functions that checkpoint/shards.h provides, if each input of the source has a shard: its own
 * instances of transforms and learners. The "own" instance of a stage is the one outside all
 * shards. */
struct shard_hooks {
    /* Puts the instances of the input's shard into w->step, before a batch of that input. */
    void (*enter)(struct worker *w, uint32_t input);
    /* Puts the stages' own instances back into w->step. */
    void (*leave)(struct worker *w);
    /* Stops the worker's instances in all shards, when the worker ends. */
    void (*stop)(struct worker *w);
    /* For the end of the stream: goes through the open shards in the order of their names. Returns
     * the input whose shard follows the shard of input `after`; BATCH_NO_INPUT after the last.
     * Begins with the first shard if `after` is BATCH_NO_INPUT. */
    uint32_t (*next)(struct run *r, uint32_t after);
    /* Makes a learner's own instance the merge of its instances in all shards; does nothing for
     * other stages. Returns LEAT_OK, or a failure that the run reports and that halts it. */
    int (*gather)(struct instance *own);
    /* Returns the number of examples that the learner has learned in all shards. */
    uint64_t (*examples)(const struct instance *own);
    /* Implement shard_begin, shard_state and shard_end of struct leat_host. */
    int (*begin)(struct run *r, const char *name, const void *state, size_t n, uint32_t *input);
    void (*state)(struct run *r, uint32_t input, const void **state, size_t *n);
    void (*end)(struct run *r, uint32_t input);
};

/* ---- struct run and its functions ---- */

/* State shared by workers and by the threads that ask workers to make calls (visits.h). */
struct visits {
    pthread_mutex_t mu;
    pthread_cond_t changed;
    _Atomic bool expected; /* some thread will ask for calls; set by visits_expect() */
};

struct run {
    struct graph *graph;
    struct plan plan;
    struct instance **instance; /* instance[node->index][lane] */
    struct worker *worker;
    uint32_t n_workers;
    struct pool *pool; /* pool[k] belongs to plan.pool[k] */
    struct ask *ask;
    uint32_t n_asks, n_asked; /* numbers of queries, and of learners that answer them */
    struct rejects rejects;
    struct crash_notes crashes; /* of earlier runs, if --on-crash is bisect */
    struct visits visits;
    const struct checkpoint_hooks *checkpoint_hooks; /* NULL: no checkpoints are made         */
    struct checkpoints *checkpoints;                 /* data of checkpoint_hooks              */
    const struct shard_hooks *shard_hooks;           /* NULL: inputs have no shards           */
    struct shards *shards;                           /* data of shard_hooks                   */
    struct progressive_table table;
    uint64_t start, end;     /* times of the start and the end, clock_ns()                       */
    uint64_t before;         /* records of the earlier runs that this run continues              */
    bool no_input;           /* a source has no record at all, where a header is expected        */
    bool continues;          /* the run appends to the dead letters of the run that it continues */
    bool paced;              /* every source knows its length (run_position)                     */
    uint64_t memory_max;     /* limit of the stages' memory while one thread opens them; 0: none */
    uint64_t memory;         /* memory that counts towards memory_max                            */
    bool inspects;           /* --debug-plugins (inspect.h)                                      */
    struct guarded *guarded; /* `self` of all instances, if `inspects`                           */
    bool memory_refused;     /* a stage got no memory because of memory_max                      */
    struct diag *heard;      /* receives the warnings of stages while no worker runs; or NULL    */
    uint64_t looked_ns;      /* time of the last calls_look                                      */
    bool mute;               /* the run prints no warnings of stages; another run prints them    */
    uint64_t saved_at;       /* time of the snapshot that the run continues from, ns since 1970  */

    struct control control;
};

/* Initialises a run. From then on control_stop may be called. */
void run_init(struct run *r, struct graph *g);

/* Opens inputs, stages, pools and dead letters, and makes the workers. Returns LEAT_OK. Returns
 * LEAT_EOS if the run was stopped before a header came, so that there is nothing to start. Returns
 * LEAT_EARG, with the reason in d, for a wrong configuration that only opening reveals. After any
 * other failure the reason is in r->control.reason. */
int run_open(struct run *r, struct diag *d, int quiet);

/* Open one lane of a stage, or all its lanes. Return LEAT_OK or a failure, whose reason is in
 * r->control.reason. */
int run_open_lane(struct run *r, struct node *n, uint32_t lane);
int run_open_stage(struct run *r, struct node *n);

/* Reads the header of an open source and sets n->schema_out.header. Returns LEAT_OK; LEAT_EOS if
 * the run was stopped before the header came; or a failure, whose reason is in
 * r->control.reason. */
int run_read_header(struct run *r, struct node *n);

/* Sets the position at which each source begins, for the order of merges: 0, or the position in the
 * snapshot that the run continues from. Call it after states are restored and before the start. */
void run_pace(struct run *r);

/* Starts the workers' threads. They end when the input ends or the run is stopped. Returns LEAT_OK,
 * or a failure, after which no thread runs. */
int run_start(struct run *r);
void run_join(struct run *r);
/* Calls the stages' `finish`. Call it after run_join, if the run has not failed. */
void run_finish(struct run *r);
void run_close(struct run *r);

/* Writes "kafka (source.kafka) waits: no broker …" for a stage that waits for something outside
 * (leat_host.waits). Returns false, and writes "", if none does. */
bool run_waits(struct run *r, char *out, size_t cap);
uint64_t run_records(const struct run *r); /* number of records that all sources have delivered */
/* Returns the total lag of all sources in records, from their last reports. Returns LAG_NONE if no
 * source has reported a lag; another value below 0 if some lag is unknown. */
#define LAG_NONE INT64_MIN
int64_t run_lag(const struct run *r);

/* Returns the position of a source, by which merges order the batches of different sources. If
 * run->paced, it is the delivered share of the input, from 0 to 1; otherwise the number of batches.
 * Call it on the source's thread, or while that thread does not run. */
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
