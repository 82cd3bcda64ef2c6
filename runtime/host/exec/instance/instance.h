/* instance.h -- a stage at work, one for each lane of a node: its calls, its figures, its inputs.
 *
 * Each part of an instance has one writer, the worker that calls the stage; exceptions say so.
 * Other threads read only atomic members, and members that a lock in run.h guards.
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

/* Records, and time in calls. The worker writes them; any thread reads them. */
struct instance_counts {
    _Atomic uint64_t in, out, filtered, rejected;
    _Atomic uint64_t ns; /* in the stage's calls */
};

/* Memory that the host has given. Belongs to the worker; any thread reads `most_used`. */
struct instance_memory {
    struct block *blocks;
    uint64_t bytes, small_bytes; /* bytes of all blocks; of the small ones */
    uint64_t used;               /* at the last look */
    _Atomic uint64_t most_used;  /* largest at any look */
    bool borrows;                /* in a query, restore or merge, which gives memory back */
};

/* Further state of a learner. Belongs to the worker. */
struct instance_learning {
    struct progressive *progressive; /* NULL: the stage is not a learner */
    struct ask **asks;               /* questions of sinks               */
    uint32_t n_asks;
    struct kept_answers *kept; /* answers for viewers; NULL: nobody has asked                 */
    uint32_t slice;            /* examples of a slice (steps.c); 0: unknown                   */
    uint64_t time_end;         /* 1 ns after the latest event time; 0: none                   */
    uint64_t time_begin;       /* 1 ns after the earliest event time of this process          */
    uint64_t time_before;      /* time_end before the last batch, or of the very first record */
};

enum { LAG_NAME = 280 }; /* a topic has 249 bytes */

/* The last report of a source's lag behind its inputs (leat_host.lag). */
struct lag {
    _Atomic int64_t total; /* below 0: unknown. Any thread reads it */
    uint32_t n;            /* n and worst belong to the worker until it has ended */
    struct {
        char input[LAG_NAME];
        int64_t records;
    } worst[LEAT_LAGS];
};

/* Further state of a source. Belongs to the worker; but run.control.mu guards the names of
 * inputs. */
struct instance_reading {
    struct cutting cutting; /* cuts bytes into records    */
    uint64_t batches;       /* sent so far                */
    const char **input;     /* names of inputs, by number */
    uint32_t n_inputs;
    _Atomic(struct lag *) lag; /* NULL: the source has reported none */
    uint64_t seen_ns;          /* the main thread's: call_ns of produce at the last look */
    bool told_late;            /* the main thread's: it has warned of a late produce */
};

/* Further state of a sink. Belongs to the worker. */
struct instance_writing {
    struct last_rows *last_rows; /* last records; NULL: not kept */
    int output;                  /* the file to sync before a snapshot; 0: none */
};

struct instance {
    struct leat_ctx ctx; /* first: the plugin gets it */
    void *self;
    struct node *node;
    struct run *run;
    struct instance *own; /* the stage's own, which counts for all: itself, except in a shard */
    enum instance_phase phase;
    pthread_mutex_t *turn; /* held in each call of a sink that takes dead letters, which several
                            * threads call; NULL: one thread calls the stage */
    bool changed;          /* of a shard: since its last save */
    bool wrote;            /* to standard output, with a warning */
    const struct observer *observer[OBSERVERS]; /* for the stage's own instance (observe.h) */
    uint32_t n_observers;
    struct inspection *inspection; /* inspect.c: of the current call */
    uint64_t next_tick;
    uint64_t ended_after;       /* with expand: 1 + records before its last end; 0: no end yet */
    _Atomic(const char *) call; /* current call, such as "process"; NULL: none */
    _Atomic uint64_t call_ns;   /* when the call began */
    struct instance_counts count;
    struct instance_memory memory;
    struct instance_learning learning;
    struct instance_reading reading;
    struct instance_writing writing;
    struct {
        const struct leat_figure *figure; /* declared by the stage */
        double value;
    } metric[LEAT_MAX_FIGURES]; /* in the order of their first values */
    uint32_t n_metrics;
    struct instance_state *saved; /* its last state, owned by checkpoint/; NULL: it is not saved */
};

extern const struct leat_host host_services; /* host.c */

/* Adds to a counter with one writer: a plain addition, which other threads may see late. */
static inline void instance_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* ---- calls ---- */

/* Begins a call of the stage. Only one thread at a time is in it, other threads can name it
 * (calls.h), and so can the handler of a crash (call_trap.h). */
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

/* Fails the run, with the stage's label before the reason. Returns status. */
int instance_fail(const struct instance *i, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int instance_vfail(const struct instance *i, int status, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Fails the run after a failed call, unless the stage has given a reason. After a source's failure
 * its records under way are still finished; after any other stage's the run is halted. */
void instance_failed(const struct instance *i, const char *call, int status);
/* Returns the status if the call may return it (plugin/call_status.h). Otherwise a positive status
 * would be ignored, so it fails the run and returns LEAT_EDATA. */
int instance_check(const struct instance *i, const char *call, int status);
/* Ends a call. Returns its status like instance_check. */
static inline int instance_return(struct instance *i, const char *call, int status)
{
    instance_leave(i);
    return status <= 0 ? status : instance_check(i, call, status);
}

/* Calls the stage's open. Returns LEAT_OK; or a failure of the run, after giving memory back. */
int instance_open(struct instance *i);
/* Calls the stage's start. Returns its status, without failing the run. */
int instance_start(struct instance *i);
/* Calls the stage's close if the stage is open, and gives its memory back. */
void instance_close(struct instance *i);
/* Asks a learner. Returns the status of its query. */
int instance_query(struct instance *i, const struct leat_query *q, struct leat_result *out);
/* Makes a source that waits for records return from produce soon, if it supports that. Any thread,
 * from run_start to the end of the source's worker. */
void instance_wake(struct instance *source);
/* Fills the columns that are converted for the stage (leat_negotiation.column), and rejects records
 * whose values cannot be converted. */
void instance_convert(struct instance *i, struct hbatch *h);
/* Prepares a batch for the stage's process: converts columns, and sets the fields of its output. */
void instance_prepare(struct instance *i, struct hbatch *h);

/* ---- memory: blocks from the host, zeroed and aligned to 64 bytes ----
 *
 * The host frees the blocks that the stage does not free. Called on the thread of the instance's
 * call. */

/* Returns a block; NULL if there is no memory. The system gives the pages of a large block at their
 * first use, so an unused part takes no memory. */
void *instance_memory_take(struct instance *i, size_t bytes);
/* Gives a block back. Returns its size in bytes. */
size_t instance_memory_give(struct instance *i, void *p);
/* Returns the bytes that the system has given for all blocks. Updates i->memory.used and
 * i->memory.most_used. */
uint64_t instance_memory_used(struct instance *i);
/* Starts the count of most_used again, after a restore or a merge, which had a second state. The
 * run's plan counts that memory with snapshots (plan_memory.c). */
void instance_memory_settle(struct instance *i);

/* ---- sources ---- */

/* Sets *done to the bytes that a source has read, *total to those that it will read; 0: unknown.
 * Any thread. */
void instance_progress(const struct instance *source, uint64_t *done, uint64_t *total);
/* Returns the share of its input that a source has delivered, 0 .. 1; below 0 if its length is
 * unknown. */
double instance_share(const struct instance *source);
/* Stores the source's report of its lag. */
void instance_lag(struct instance *source, int64_t total, const struct leat_lag *worst, uint32_t n);

/* Returns the readable name of an input; NULL if the source has not read it. New inputs may come
 * while batches of others are under way, so a name is valid until its input gets another one. Any
 * thread reads names; the source's thread sets them. */
const char *instance_input_name(const struct instance *source, uint32_t input);
int instance_name_input(struct instance *source, uint32_t input, const char *name);
/* Returns the input's name; the stage's id for a record that a stage made from no other record. */
const char *instance_origin(const struct instance *source, const struct batch_origin *o);
/* Writes in words where a batch begins; in the form of call_trap_describes. */
void instance_describe(const void *batch, char *out, size_t cap);

#endif
