/* worker.h -- one thread of a run: a segment, or one lane of it. */
#ifndef LEAT_EXEC_WORKER_H
#define LEAT_EXEC_WORKER_H

#include <pthread.h>

#include "run.h"

struct worker {
    struct run *run;
    const struct segment *segment;
    uint32_t lane;
    pthread_t thread;
    uint32_t n_steps;
    struct instance **step;
    struct pool *source_pool; /* when the first step is a source                        */
    uint32_t n_in, n_out;
    struct ring **in, **out;       /* out: dealt in turn, or all of a fork       */
    uint8_t *in_ended, *in_barred; /* … has ended; stands still behind a barrier */
    double *in_share;              /* of the last batch taken from each input (hbatch.share) */
    uint32_t turn_in, turn_out, ended, barred;
    struct pool **branch_pool; /* of a fork, one for each out */
    uint16_t *branch;          /* of a route: which out each record takes */
    struct hbatch *end;        /* the last thing it sends: its answers, no records */
    struct hbatch *barrier;    /* what it sends on at a snapshot; b.seq is the checkpoint */
    uint64_t last_ns;
    uint32_t shard; /* the input whose instances are in `step`; SHARD_NONE: the stages' own */

    /* snapshots; under checkpoints.mu */
    uint64_t handed_in; /* the last checkpoint it handed in            */
    int handed_in_last; /* and it will not hand in any more       */
    double place;       /* source: where its next batch begins    */
    double begun;       /* and where the last one did; -1: none   */
    uint64_t busy_ns;
    _Atomic uint64_t fork_in, fork_filtered;
};

/* The body of the thread. */
void *worker_main(void *worker);

#endif
