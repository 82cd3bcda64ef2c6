/* instance.h -- a stage at work: one for each lane of a node. */
#ifndef LEAT_HOST_EXEC_INSTANCE_INSTANCE_H
#define LEAT_HOST_EXEC_INSTANCE_INSTANCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/plugin/call_trap.h"
#include "host/flow/cut.h"
#include "host/graph/graph.h"

struct run;
struct ask;
struct progressive;
struct instance_state;
struct lag;
struct block;
struct kept_answers;
struct last_rows;

struct instance {
    struct leat_ctx ctx; /* first: what the plugin gets */
    void *self;
    struct node *node;
    struct run *run;
    struct instance *own; /* the stage's own, which counts for all: itself, but for a shard's    */
    bool opened, started;
    pthread_mutex_t *turn; /* held in each call, where several threads call it: a sink that takes
                            * dead letters; NULL: they take turns already */
    bool changed;          /* a shard's: since it was last saved */
    bool wrote;            /* to standard output, which was told */
    struct progressive *progressive; /* learners                           */
    struct ask **asks;               /* learners: the questions put to it  */
    uint32_t n_asks;
    struct kept_answers *kept; /* learners: for those who watch; NULL: nobody has   */
    uint32_t slice;      /* learners: examples that take a while (slices.h); 0: not known       */
    uint64_t time_end;   /* learners: 1 ns past the latest event time; 0: none                  */
    uint64_t time_begin; /* … of the earliest that this process has seen                          */
    uint64_t time_before; /* the same before the last batch, or of the first record of all      */

    /* Records. Written by the stage's thread; the progress bar reads them as they are. */
    _Atomic uint64_t in, out, filtered, rejected;
    _Atomic(const char *) call;  /* the call that it is in, "process"; NULL: in none       */
    _Atomic uint64_t call_ns;    /* when that began; also written by the stage's thread    */
    _Atomic uint64_t ns;         /* spent in the stage's calls            */
    struct block *blocks;        /* what the host gave (blocks.h)         */
    uint64_t bytes, small_bytes; /* of all, of the small ones             */
    uint64_t used;               /* what these took, as seen last         */
    _Atomic uint64_t most_used;  /* the most that these took, as seen     */
    struct cutting cutting;      /* sources: records of their bytes       */
    bool borrows; /* it is in a call that gives back what it takes: a query, a restore or a
                                 * merge */
    uint64_t next_tick;
    struct {
        const struct leat_figure *figure; /* of the stage */
        double value;
    } metric[LEAT_MAX_FIGURES]; /* those that it has given, in the order of their first values */
    uint32_t n_metrics;
    uint64_t seen_ns;     /* sources: call_ns of the produce that late.h saw last  */
    bool told_late;       /* … and said that it does not return                    */
    uint64_t batches;     /* sources: sent so far                                  */
    uint64_t ended_after; /* with expand: records that came before its last end, and 1; 0: no
                                   * end yet                                                  */
    struct instance_state *saved; /* checkpoint/'s: its last state; NULL: it is not saved  */
    struct last_rows *last_rows;  /* sinks: the last records; NULL: none are kept          */
    int output;                   /* sinks: the file to sync before a snapshot; 0: none    */
    const char **input;           /* sources: names of the inputs                          */
    uint32_t n_inputs;
    _Atomic(struct lag *) lag; /* sources that say it (lag.h); NULL: this one has not */
};

/* The counters have one writer: a plain addition that readers in other threads may see late. */
static inline void instance_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Around a call of the stage, so that one thread at a time is in it, that others can say what a run
 * waits for (under_way.h), and in which call the process ended (call_trap.h). */
static inline void instance_enter(struct instance *i, const char *call, uint64_t now)
{
    if (i->turn) pthread_mutex_lock(i->turn);
    atomic_store_explicit(&i->call_ns, now, memory_order_relaxed);
    atomic_store_explicit(&i->call, call, memory_order_release);
    call_trap_enter(i->node->label, call);
}

static inline void instance_leave(struct instance *i)
{
    call_trap_leave();
    atomic_store_explicit(&i->call, NULL, memory_order_relaxed);
    if (i->turn) pthread_mutex_unlock(i->turn);
}

#endif
