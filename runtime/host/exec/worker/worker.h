/* worker.h -- one thread of a run: a segment, or one lane of it.
 *
 * A worker takes a batch (worker.c) or has its source fill one, calls the stages of its segment on
 * it (steps.h) and hands it on, to the next segment or down the branches of a fork (worker.c). At
 * the end of a stream comes a message without records (LEAT_BATCH_END), which a worker sends once
 * all its inputs have ended. It carries the last answers to the sinks. After a failure batches
 * still travel to their ends, so that no worker waits for ever, but no stage is called.
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
    struct instance **step;   /* instances that it calls; of a shard while one is entered (run.h) */
    struct pool *source_pool; /* when the first step is a source                                  */
    struct hbatch *filled;    /* the batch that the source fills now; NULL: none                  */
    bool at_end;              /* source: the barrier before its end was passed, or is not needed  */
    struct pool *made_pool;   /* when the first step makes other records (expand.c)               */
    uint32_t ending;          /* with made_pool: the input that ends, or BATCH_NO_INPUT           */
    uint32_t n_in, n_out;     /* rings                                                            */
    struct ring **in, **out;  /* out: dealt in turn, or all of a fork                             */
    _Atomic bool *in_ended;   /* checkpoints read it too                                          */
    bool *in_barred;          /* the input waits after a barrier                                  */
    uint32_t turn_in, turn_out, ended, barred; /* next in and out; inputs ended, inputs waiting */
    double *next;              /* of a merge, for each turn: where its source's next batch begins */
    uint32_t turn, taken;      /* of a merge: current turn, and the inputs taken of it            */
    bool early;                /* of a merge: the turn began before its time (worker.c)           */
    struct hbatch **held;      /* of a merge, for each input: a batch taken before its turn       */
    struct pool **branch_pool; /* of a fork, one for each out                                     */
    uint16_t *branch;          /* of a route: which out each record takes                         */
    struct hbatch *end;        /* its last message: answers, no records                           */
    struct hbatch *barrier;    /* its message at a checkpoint, whose number is b.seq              */
    uint32_t rejections;       /* with expand: number in the batch when its step began            */
    uint64_t last_barrier;     /* last checkpoint whose barrier it has passed; 0: none            */
    uint64_t last_ns;          /* source: when it last sent a batch                               */
    double position;           /* source: where its next batch begins, in the measure of merges   */
    bool flows;                /* source: it has filled its last batch, so more was available     */
    uint64_t quiet_ns;         /* source: time that its calls have waited for records             */
    struct idle idle;          /* how long it waited, and whether a visit waits (visits.h)        */
    struct visit *visit;       /* the visit that it has to answer; guarded by visits.mu           */
    bool late, visits_over;    /* it missed the last visit; none will come; guarded by visits.mu  */
    _Atomic uint64_t fork_in, fork_filtered; /* of a route: records */
    struct route seen;                       /* of a route          */
};

/* Body of the thread. */
void *worker_main(void *worker);

/* ---- expand.c: the first step makes other records ---- */

/* Begins with `in`: the first step gets the answer to its question, if one came with `in`. */
void expand_begin(struct worker *w, struct hbatch *in);
/* Returns the next batch that the first step makes of `in`; sets *more if others follow. The worker
 * runs it through the other steps and delivers it. */
struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more);
/* Ends `in`, after all batches made of it are delivered. */
void expand_end(struct worker *w, struct hbatch *in);

#endif
