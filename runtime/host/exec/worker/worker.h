/* worker.h -- one thread of a run: a segment, or one lane of it.
 *
 * A worker takes a batch from one of its rings, or lets its source fill one. It calls the stages of
 * its segment on the batch (steps.h), and passes it to the next segment, or copies of it to the
 * branches of a fork. When all its inputs have ended, it sends a message without records
 * (LEAT_BATCH_END), which carries the last answers to the sinks. When the run is halted, batches
 * still go through all workers, so that no worker waits for ever, but no stage is called.
 */
#ifndef LEAT_HOST_EXEC_WORKER_WORKER_H
#define LEAT_HOST_EXEC_WORKER_WORKER_H

#include <pthread.h>

#include "host/exec/run.h"
#include "route.h"

struct worker {
    struct run *run;
    const struct segment *segment;
    uint32_t lane;
    pthread_t thread;
    uint32_t n_steps;
    /* Instances that the worker calls; after shard_hooks.enter, those of a shard (run.h). */
    struct instance **step;
    struct pool *source_pool; /* NULL unless the first step is a source                         */
    struct hbatch *filled;    /* batch that the source is filling; NULL: none                   */
    bool at_end;              /* source: the barrier before the end was sent, or is not needed  */
    struct pool *made_pool;   /* NULL unless the first step has expand (expand.c)               */
    struct hbatch *trial;     /* with made_pool: batch for the records of a trial (bisect.h)    */
    struct pool *piece_pool;  /* NULL unless a learner of the segment cuts batches (pieces.h)   */
    uint32_t ending;          /* with made_pool: input whose shard is ending, or BATCH_NO_INPUT */
    uint32_t n_in, n_out;
    struct ring **in, **out; /* rings; out: one for each lane, or one for each branch of a fork */
    _Atomic bool *in_ended;  /* for each ring of `in`; checkpoints read it, too                 */
    bool *in_barred;         /* for each ring of `in`: it waits after a barrier                 */
    /* turn_in, turn_out: next index in `in` and in `out`. ended: number of inputs that have ended.
     * barred: number of inputs that wait after a barrier. */
    uint32_t turn_in, turn_out, ended, barred;
    double *next;              /* merge, for each turn: position of its source's next batch   */
    uint32_t turn, taken;      /* merge: current turn (plan.c), and batches taken in it       */
    bool early;                /* merge: the turn began early (intake_is_in_turn)             */
    struct hbatch **held;      /* merge, for each input: a batch taken before its turn        */
    struct pool **branch_pool; /* fork: one for each ring of `out`                            */
    uint16_t *branch;          /* route, for each record: index in `out`, or NO_BRANCH        */
    struct hbatch *end;        /* the worker's last message, with answers but no records      */
    struct hbatch *barrier;    /* the worker's message at a checkpoint; b.seq is its number   */
    uint32_t rejections;       /* with made_pool: rejections in the batch before expand       */
    uint64_t last_barrier;     /* last checkpoint whose barrier the worker has sent; 0: none  */
    bool awaited;              /* source: a checkpoint waits for its next batches             */
    uint64_t last_ns;          /* source: time of the last batch sent                         */
    double position;           /* source: position of the next batch (run_position)           */
    bool flows;                /* source: its last batch was full, so there is more input now */
    struct idle idle;          /* times of waiting; a flag that a visit waits (pool.h)        */
    struct visit *visit;       /* call to make, or NULL; guarded by visits.mu                 */
    /* Guarded by visits.mu. late: the worker has not made the last call in time. visits_over: the
     * worker has ended. */
    bool late, visits_over;
    _Atomic uint64_t fork_in, fork_filtered; /* route: records that came, and that no branch took */
    struct route seen;                       /* route: counts for each branch                     */
};

/* Function of the worker's thread. */
void *worker_main(void *worker);

/* ---- expand.c: functions of a worker whose first step is a stage with expand ---- */

/* Begins the batch `in`: passes the first step the answers to its query that came with `in`. */
void expand_begin(struct worker *w, struct hbatch *in);
/* Returns the next batch that the first step makes from `in`; sets *more if there will be another
 * one. The worker then calls the other steps on it and delivers it. */
struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more);
/* Ends the batch `in`, when all batches made from it are delivered. */
void expand_end(struct worker *w, struct hbatch *in);

#endif
