/* instance.h -- a stage at work, one for each lane of a node: its calls, its figures, its inputs.
 *
 * Each part of an instance has one writer. The worker that calls the stage writes all but `lag`'s
 * readers' copies; others read only what is atomic, or what a lock in run.h guards.
 *
 *     instance_enter(i, "flush", now);              around every call of a stage
 *     status = i->node->stage->...(&i->ctx, i->self);
 *     status = instance_return(i, "flush", status);
 */
#ifndef LEAT_HOST_EXEC_INSTANCE_INSTANCE_H
#define LEAT_HOST_EXEC_INSTANCE_INSTANCE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/flow/batch.h"
#include "host/flow/cut.h"
#include "host/graph/graph.h"
#include "host/plugin/call_trap.h"

struct run;
struct ask;
struct progressive;
struct instance_state;
struct block;
struct kept_answers;
struct last_rows;
struct observer;
struct inspection;

enum { OBSERVERS = 4 };
enum instance_phase { INSTANCE_CLOSED, INSTANCE_OPEN, INSTANCE_STARTED };

/* Records, and time in calls. Written by the worker, read by any thread. */
struct instance_counts {
    _Atomic uint64_t in, out, filtered, rejected;
    _Atomic uint64_t ns; /* in the stage's calls */
};

/* Memory that the host has given . The worker's; `most_used` is read by any thread. */
struct instance_memory {
    struct block *blocks;
    uint64_t bytes, small_bytes; /* of all blocks, of the small ones                     */
    uint64_t used;               /* by the last look                                     */
    _Atomic uint64_t most_used;  /* by all looks                                         */
    bool borrows;                /* in a query, restore or merge, which gives back memory */
};

/* The further state of a learner. The worker's. */
struct instance_learning {
    struct progressive *progressive; /* NULL: the stage is no learner        */
    struct ask **asks;               /* questions of sinks                   */
    uint32_t n_asks;
    struct kept_answers *kept; /* answers for viewers; NULL: nobody has asked        */
    uint32_t slice;            /* examples that take a while (steps.c); 0: not known */
    uint64_t time_end;         /* 1 ns past the latest event time; 0: none           */
    uint64_t time_begin;       /* 1 ns past the earliest one of this process         */
    uint64_t time_before;      /* time_end before the last batch, or of the first record of all */
};

enum { LAG_NAME = 280 }; /* a topic has 249 bytes */

/* The lag of a source behind its inputs, by its last report (leat_host.lag). */
struct lag {
    _Atomic int64_t total; /* below 0: not known. Read by any thread */
    uint32_t n;            /* the rest is the worker's until it has ended */
    struct {
        char input[LAG_NAME];
        int64_t records;
    } worst[LEAT_LAGS];
};

/* The further state of a source. The worker's, but run.control.mu guards the names of inputs. */
struct instance_reading {
    struct cutting cutting; /* bytes into records                 */
    uint64_t batches;       /* sent so far                        */
    const char **input;     /* names of inputs, by their numbers  */
    uint32_t n_inputs;
    _Atomic(struct lag *) lag; /* NULL: it has not reported any */
    uint64_t seen_ns;          /* the main thread's: call_ns of the produce at the last look */
    bool told_late;            /* the main thread's: a warning said that it does not return  */
};

/* The further state of a sink. The worker's. */
struct instance_writing {
    struct last_rows *last_rows; /* the last records; NULL: none are kept   */
    int output;                  /* the file to sync before a snapshot; 0: none */
};

struct instance {
    struct leat_ctx ctx; /* first: the plugin gets it */
    void *self;
    struct node *node;
    struct run *run;
    struct instance *own; /* the stage's own, which counts for all: itself, but for a shard's */
    enum instance_phase phase;
    pthread_mutex_t *turn; /* held in each call of a sink that takes dead letters, which several
                            * threads call; NULL: one thread calls the stage */
    bool changed;          /* a shard's: since its last save                 */
    bool wrote;            /* to standard output, and a warning said so      */
    const struct observer *observer[OBSERVERS]; /* of the stage's own (observe.h)  */
    uint32_t n_observers;
    struct inspection *inspection; /* inspect.c's: around the call under way       */
    uint64_t next_tick;
    uint64_t ended_after;       /* with expand: 1 + records before its last end; 0: no end yet */
    _Atomic(const char *) call; /* the call under way, "process"; NULL: none           */
    _Atomic uint64_t call_ns;   /* when that began                                     */
    struct instance_counts count;
    struct instance_memory memory;
    struct instance_learning learning;
    struct instance_reading reading;
    struct instance_writing writing;
    struct {
        const struct leat_figure *figure; /* of the stage */
        double value;
    } metric[LEAT_MAX_FIGURES]; /* in the order of their first values */
    uint32_t n_metrics;
    struct instance_state *saved; /* checkpoint/'s: its last state; NULL: it is not saved */
};

extern const struct leat_host host_services; /* host.c */

/* A counter has one writer: a plain addition that readers in other threads may see late. */
static inline void instance_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* ---- calls ---- */

/* Begins a call of the stage: one thread at a time is in it, others can name it (calls.h), and so
 * can the handler of a crash (call_trap.h). */
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

/* Fails the run; the stage's label goes before the reason. Returns status. */
int instance_fail(const struct instance *i, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int instance_vfail(const struct instance *i, int status, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Fails the run after a call that failed, unless the stage has given a reason. A source's records
 * under way are still finished; after any other stage the run is halted. */
void instance_failed(const struct instance *i, const char *call, int status);
/* Returns the status, if the call may return it (plugin/call_status.h); LEAT_EDATA, and the run
 * fails, if the call has no such positive value: its meaning would be lost. */
int instance_check(const struct instance *i, const char *call, int status);
/* Ends a call, and returns its status as instance_check does. */
static inline int instance_return(struct instance *i, const char *call, int status)
{
    instance_leave(i);
    return status <= 0 ? status : instance_check(i, call, status);
}

/* Calls the stage's open. LEAT_OK, or a failure of the run, and its memory is given back. */
int instance_open(struct instance *i);
/* Calls the stage's start. Returns a status; the run has not failed. */
int instance_start(struct instance *i);
/* Calls the stage's close, if it is open, and gives its memory back. */
void instance_close(struct instance *i);
/* Asks a learner. Returns the status of its query. */
int instance_query(struct instance *i, const struct leat_query *q, struct leat_result *out);
/* Makes a source that waits for records return from produce soon, if it can. Any thread, from
 * run_start to the end of its worker. */
void instance_wake(struct instance *source);
/* Fills the columns that are converted for the stage (leat_negotiation.column), and rejects records
 * whose values cannot be converted. */
void instance_convert(struct instance *i, struct hbatch *h);
/* Makes a batch ready for the stage's process: converts, and shows the fields of its output. */
void instance_prepare(struct instance *i, struct hbatch *h);

/* ---- memory: blocks from the host, zeroed and aligned to 64 bytes. What the stage does not free
 * is freed for it. On the thread of the instance's call. ---- */

/* Returns memory; NULL if there is none. The system gives the pages of a large block at their first
 * use, so an unused part takes no memory. */
void *instance_memory_take(struct instance *i, size_t bytes);
/* Gives a block back. Returns its bytes. */
size_t instance_memory_give(struct instance *i, void *p);
/* Bytes that the system has given for all of them, which are i->memory.used from then on
 * are i->memory.most_used. */
uint64_t instance_memory_used(struct instance *i);
/* Counts the most anew, after a restore or a merge, which had a second state. The plan of the run
 * has the memory of snapshots (plan_memory.c). */
void instance_memory_settle(struct instance *i);

/* ---- sources ---- */

/* Reads how far a source has read, in bytes; total is 0 if it does not know. Any thread. */
void instance_progress(const struct instance *source, uint64_t *done, uint64_t *total);
/* The share of its input that a source has delivered, 0 .. 1; below 0: its length is not known. */
double instance_share(const struct instance *source);
/* Notes the source's report of its lag. */
void instance_lag(struct instance *source, int64_t total, const struct leat_lag *worst, uint32_t n);

/* Returns the name of an input, for people; NULL if the source has not read it. New inputs may come
 * while batches of others are under way, so a name is lent until its input gets another. Read on
 * any thread, set on the source's. */
const char *instance_input_name(const struct instance *source, uint32_t input);
int instance_name_input(struct instance *source, uint32_t input, const char *name);
/* The input's name; of a record that a stage made of no other, the stage's id. */
const char *instance_origin(const struct instance *source, const struct batch_origin *o);
/* Writes where a batch begins, for people; as call_trap_describes. */
void instance_describe(const void *batch, char *out, size_t cap);

#endif
