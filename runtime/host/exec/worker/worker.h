/* worker.h -- one thread of a run: a segment, or one lane of it.
 *
 * A worker takes a batch (worker.c) or has its source fill one, calls the stages of its segment on
 * it (steps.h) and hands it on, to the next segment or down the branches of a fork (worker.c). The
 * end of a stream is a message of its own (LEAT_BATCH_END, without records), which a worker sends
 * once all its inputs have ended; it carries the last answers to the sinks. After a failure
 * batches still travel to their ends, so that nobody waits for ever, but no stage is called.
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
    struct instance **step;   /* the instances it calls; of a shard while one is entered (run.h) */
    struct pool *source_pool; /* when the first step is a source                             */
    struct hbatch *filled;    /* then: what it fills just now; NULL: nothing                 */
    bool at_end;              /* then: the barrier before its end was passed, or there is none */
    struct pool *made_pool;   /* when the first step makes other records (expand.c)          */
    uint32_t ending;          /* then: the input that ends, or BATCH_NO_INPUT                */
    uint32_t n_in, n_out;     /* rings                                                       */
    struct ring **in, **out;  /* out: dealt in turn, or all of a fork                        */
    _Atomic bool *in_ended;   /* the input has ended; checkpoints look at it as well         */
    bool *in_barred;          /* the input waits after a barrier                             */
    uint32_t turn_in, turn_out, ended, barred; /* whose turn it is; how many ended, or wait   */
    double *next;              /* of a merge, for each turn: where its source's next batch begins */
    uint32_t turn, taken;      /* of a merge: whose turn it is, and how much of it was taken   */
    bool early;                /* of a merge: that turn began before its time (worker.c)       */
    struct hbatch **held;      /* of a merge, for each input: taken, but not yet in its turn   */
    struct pool **branch_pool; /* of a fork, one for each out                                 */
    uint16_t *branch;          /* of a route: which out each record takes                     */
    struct hbatch *end;        /* the last thing it sends: its answers, no records            */
    struct hbatch *barrier;    /* what it sends on at a checkpoint, whose number is b.seq     */
    uint32_t rejections;       /* with expand: of the batch, when its step began              */
    uint64_t last_barrier;     /* the last checkpoint whose barrier it has passed; 0: none    */
    uint64_t last_ns;          /* source: when it last sent a batch                           */
    double position;           /* source: where its next batch begins, as merges know         */
    bool flows;          /* source: it has filled its last batch, so that more was there      */
    uint64_t quiet_ns;   /* source: what its calls have waited for records                    */
    struct idle idle;    /* how long it waited, and who asks it (visits.h)                       */
    struct visit *visit; /* what it is asked; under visits.mu                             */
    bool late, visits_over; /* it did not answer the last one in time; none will come. The same */
    _Atomic uint64_t fork_in, fork_filtered; /* of a route: records                           */
    struct route seen;                       /* of a route                                    */
};

/* The body of the thread. */
void *worker_main(void *worker);

/* ---- expand.c: the first step makes other records ---- */

/* `in` has come: the first step gets the answer to its question, if that came with it. */
void expand_begin(struct worker *w, struct hbatch *in);
/* The next batch that the first step makes of `in`; *more: others follow. It is the worker's to run
 * and to deliver. */
struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more);
/* All are delivered: `in` is at its end. */
void expand_end(struct worker *w, struct hbatch *in);

#endif
