/* instance.h -- an instance of a stage, one for each lane: its calls, memory, figures, inputs.
 *
 * Only the worker that calls the stage writes the members, unless a comment says otherwise. Other
 * threads read only atomic members, and members that a lock guards (see the table in run.h). Every
 * call of a stage has this form:
 *
 *     instance_enter(i, "flush", now);              locks and records the call
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

#include "host/exec/answers/ask_time.h"
#include "host/flow/batch.h"
#include "host/flow/cut.h"
#include "host/graph/graph.h"
#include "host/plugin/call_trap.h"

struct run;
struct ask;
struct progressive;
struct progressive_table;
struct time_counts;
struct instance_state;
struct block;
struct kept_answers;
struct last_rows;
struct observer;
struct inspection;
struct instance_clock;
struct crash_mark;

enum { OBSERVERS = 5 };
enum instance_phase { INSTANCE_CLOSED, INSTANCE_OPEN, INSTANCE_STARTED };

/* Numbers of records, and time in calls. The worker writes them; any thread reads them. */
struct instance_counts {
    _Atomic uint64_t in, out, filtered, rejected;
    _Atomic uint64_t ns; /* time in calls of the stage */
};

/* Memory that the stage has got from the host. Only the worker uses it, but any thread may read
 * `most_used`. */
struct instance_memory {
    struct block *blocks;
    uint64_t bytes, small_bytes; /* bytes of all blocks; bytes of blocks below LARGE            */
    uint64_t used;               /* bytes in use at the last instance_memory_used()             */
    _Atomic uint64_t most_used;  /* most bytes in use so far                                    */
    uint64_t merged; /* bytes of a merged state, which the plan does not count; 0: none         */
    bool borrows;    /* during a query, restore or merge, which may exceed the plan             */
};

/* Further members of a learner's instance, used by its worker. */
struct instance_learning {
    struct progressive *progressive; /* NULL if the stage is not a learner */
    struct time_counts *times;       /* records by event time; NULL if not counted */
    struct ask **asks;               /* queries of stages to this learner  */
    uint32_t n_asks;
    struct kept_answers *kept; /* cached answers for viewers; NULL: no query yet               */
    uint32_t slice;            /* examples in a slice (visits.h); 0: unknown                   */
    uint64_t time_end;         /* latest event time + 1 ns; 0: none                            */
    uint64_t time_begin;       /* earliest event time in this process + 1 ns; 0: none          */
    struct ask_time asked;     /* event time by which answers are due                          */
};

enum { INSTANCE_REASON = 400 }; /* bytes for the reason why a stage waits */
enum { LAG_NAME = 280 };        /* bytes for an input's name; a topic's name has at most 249 */

/* A source's last report of its lag (leat_host.lag). */
struct lag {
    _Atomic int64_t total; /* below 0: unknown; any thread may read it                */
    uint32_t n;            /* only the worker may use n and worst, until it has ended */
    struct {
        char input[LAG_NAME];
        int64_t records;
    } worst[LEAT_LAGS];
};

enum { GROUP_NAME = 256, GROUP_HOST = 64, GROUP_WHY = 300 };

/* A source's last report of its group (leat_host.group). Only the worker may use it, until it has
 * ended. */
struct group_answer {
    char name[GROUP_NAME], state[24], why[GROUP_WHY];
    int64_t answered, records;
    uint32_t inputs, n_members, n_shares;
    struct {
        char name[GROUP_NAME], host[GROUP_HOST];
        uint32_t inputs;
        bool own;
        int64_t records, grown, still_ns;
    } member[LEAT_MEMBERS];
    struct {
        char input[LAG_NAME];
        int64_t records;
        uint32_t member; /* UINT32_MAX: none, or one that is not kept */
    } share[LEAT_LAGS];
};

/* Further members of a source's instance, used by its worker. run.control.mu guards `input` and
 * n_inputs. */
struct instance_reading {
    struct cutting cutting; /* state of leat_host.cut           */
    uint64_t batches;       /* number of batches sent so far    */
    const char **input;     /* input[number]: name of the input */
    uint32_t n_inputs;
    _Atomic uint64_t waited_ns;       /* time that produce has waited for records */
    _Atomic(struct lag *) lag;        /* NULL: the source has not reported a lag */
    struct group_answer *group;       /* NULL: the source has not reported a group */
    struct event_marks marks;         /* of the next batch */
    const struct leat_batch *filling; /* the batch of the last produce */
    /* Only for the main thread, in calls_look(). seen_ns: call_ns of produce when calls_look() was
     * last called. told_late: the warning about a late produce was logged. */
    uint64_t seen_ns;
    bool told_late;
};

/* Further members of a sink's instance, used by its worker. */
struct instance_writing {
    struct last_rows *last_rows; /* NULL: the last records are not kept           */
    int output;                  /* descriptor to sync before a snapshot; 0: none */
};

struct instance {
    struct leat_ctx ctx; /* first member: passed to the plugin */
    void *self;
    struct node *node;
    struct run *run;
    struct instance *own; /* in a shard: the stage's instance outside the shards, which keeps the
                           * figures of all; else itself */
    enum instance_phase phase;
    pthread_mutex_t *turn;   /* mutex held during each call, for a sink that takes dead letters,
                            * because several threads call it; else NULL */
    uint64_t changes;        /* number of calls that may have changed the state */
    uint64_t saved_changes;  /* in a shard: `changes` when the state was last saved */
    uint64_t saved_examples; /* in a shard: examples of the learner then */
    bool wrote;              /* inspect.c has warned of its output to standard output     */
    const struct observer *observer[OBSERVERS]; /* set in the own instance (observe.h) */
    uint32_t n_observers;
    struct inspection *inspection; /* inspect.c: data for the current call */
    uint64_t next_tick;
    /* With expand: 1 + number of incoming records before the last LEAT_BATCH_END; 0: none yet. */
    uint64_t ended_after;
    _Atomic(const char *) call;        /* name of the current call, such as "process"; NULL: none */
    _Atomic uint64_t call_ns;          /* time when the call began                                */
    _Atomic(struct hbatch *) works_on; /* batch of the last such call, for crash_notes.h          */
    struct crash_mark *mark;           /* crash_marks.h; NULL: there is none                      */
    _Atomic bool waits;                /* for something outside (leat_host.waits)                 */
    char waits_for[INSTANCE_REASON];   /* the reason; control.mu guards it                        */
    struct instance_counts count;
    struct instance_memory memory;
    struct instance_learning learning;
    struct instance_reading reading;
    struct instance_writing writing;
    struct instance_clock *clock; /* input_clock.h; NULL: none */
    /* Rejections of kept records in the present call, in their order (rejects_late). */
    struct late_letter *late, **late_end;
    struct {
        const struct leat_figure *figure; /* element of leat_stage.figures */
        double value;
    } metric[LEAT_MAX_FIGURES]; /* figures, in the order in which their values were first set */
    uint32_t n_metrics;
    struct instance_state *saved; /* last saved state, owned by checkpoint/; NULL: not saved */
};

extern const struct leat_host host_services; /* defined in host.c */
/* Lets a stage keep what a restored or merged state takes beyond its plan. In host.c. */
void host_note_merged(struct instance *i);

/* Adds to a counter that only this thread writes. Other threads may see the new value late. */
static inline void instance_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* ---- calling a stage ---- */

/* Begins a call of the stage: takes `turn`, and records the call for other threads (calls.h) and
 * for the handler of a crash (call_trap.h). */
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
/* Fails the run after a call that returned a failure. If the stage has called host->fail, that
 * reason stays. If the stage is not a source, halts the run, too. After the failure of a source,
 * records in the pipeline are still processed. */
void instance_failed(const struct instance *i, const char *call, int status);
/* Returns the status if it is 0 or a failure, or if this call may return it (plugin/call_status.h).
 * Otherwise fails the run and returns LEAT_EDATA. */
int instance_check(const struct instance *i, const char *call, int status);
/* Ends a call, and checks its status with instance_check. */
static inline int instance_return(struct instance *i, const char *call, int status)
{
    instance_leave(i);
    return status <= 0 ? status : instance_check(i, call, status);
}

/* Calls the stage's open. If that fails, frees the stage's memory and fails the run. Returns
 * LEAT_OK or the failure. */
int instance_open(struct instance *i);
/* Makes the figures of a learner (progressive.h); NULL if memory is lacking. */
struct progressive *instance_figures(const struct node *learner, struct progressive_table *table);
/* Calls the stage's start and returns its status. Does not fail the run. */
int instance_start(struct instance *i);
/* Calls the stage's close if the stage is open, and frees its memory. */
void instance_close(struct instance *i);
/* Calls a learner's query and returns its status. */
int instance_query(struct instance *i, const struct leat_query *q, struct leat_result *out);
/* Calls the source's wake, if it has one, which makes a waiting produce return. Any thread may call
 * it, from run_start to the end of the source's worker. */
void instance_wake(struct instance *source);
/* Fills the columns that the host converts for the stage (leat_negotiation.column). Rejects records
 * whose values cannot be converted. */
void instance_convert(struct instance *i, struct hbatch *h);
/* Prepares a batch for the stage's process: converts columns, sets b.fields and b.n_columns. */
void instance_prepare(struct instance *i, struct hbatch *h);

/* ---- memory: blocks from the host, zeroed and aligned to 64 bytes ----
 *
 * The host frees the blocks that the stage has not freed. Call these functions on the thread that
 * is in a call of the instance. */

/* Returns a block; NULL if there is no memory. The pages of a large block take no memory until they
 * are used. */
void *instance_memory_take(struct instance *i, size_t bytes);
/* Frees a block. Returns its size in bytes. */
size_t instance_memory_give(struct instance *i, void *p);
/* Returns the bytes of all blocks that are in use: of large blocks, only the pages that were
 * touched. Updates i->memory.used and i->memory.most_used. */
uint64_t instance_memory_used(struct instance *i);
/* Sets most_used to the bytes in use now. Called after a restore or merge, which needs memory for a
 * second state. The plan counts that memory as memory of snapshots (plan_memory.c). */
void instance_memory_settle(struct instance *i);

/* ---- progress, lag and inputs of a source ---- */

/* Sets *done and *total by the source's `progress`; both are 0 if it has none. Any thread may call
 * it. */
void instance_progress(const struct instance *source, uint64_t *done, uint64_t *total);
/* Returns the share of its input that a source has delivered, 0 to 1; below 0 if the length of the
 * input is unknown. */
double instance_share(const struct instance *source);
/* Stores what the stage waits for (leat_host.waits). */
void instance_waits(struct instance *i, const char *reason);
/* Stores the source's report of its lag. */
void instance_lag(struct instance *source, int64_t total, const struct leat_lag *worst, uint32_t n);
/* Stores the source's report of its group. */
void instance_group(struct instance *source, const struct leat_group *group);

/* instance_input_name returns the name of an input; NULL if the source has not named the input. The
 * name is valid until the source gives the input another name, which may happen while batches of
 * the input are in the pipeline. Any thread may call it. instance_name_input sets the name, on the
 * source's thread. */
const char *instance_input_name(const struct instance *source, uint32_t input);
int instance_name_input(struct instance *source, uint32_t input, const char *name);
/* Returns the name of the origin's input. If a stage made the record from no other record, returns
 * the id of that stage. */
const char *instance_origin(const struct instance *source, const struct batch_origin *o);
/* Writes where the first record of a batch came from. Has the type call_trap_describes, for
 * messages about crashes. */
void instance_describe(const void *batch, char *out, size_t cap);

#endif
