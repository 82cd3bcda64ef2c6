/* checkpoint.h -- consistent snapshots of a working run: barriers, saved states, one file.
 *
 * To hand in means: a worker saves the states of its stages for the open checkpoint.
 *
 *     checkpoint thread   source           other workers     worker of the sink that commits
 *     -----------------   ------           -------------     -------------------------------
 *     opens checkpoint n
 *     chooses the cut
 *                         hands in, at
 *                         the cut
 *                         sends barrier n -> aligns inputs (exec/worker/worker.c)
 *                         continues        hands in
 *                                          sends barrier n -> aligns inputs, hands in
 *     all have handed in                   continue          waits
 *     writes the file
 *     n is prepared    ------------------------------------> commits n
 *     n is over       <------------------------------------  continues
 *     opens checkpoint n + 1              learns that n
 *                         is durable
 *
 * The cut is a place in the input, as a share of it; where merges take batches in turn, it is a
 * number of batches. All sources send the barrier at the same cut, or at their next batch after it.
 * A merge takes all batches before the cut before any batch after it, so snapshots do not change
 * the order of merged inputs. Sources wait for each other, so that every source reaches the cut
 * soon. If a run with several sources is asked to end, it ends at a cut.
 *
 * A worker stops only while it copies the states of its stages. Then it continues while the
 * checkpoint thread writes the file (store/snapshot_dir.h). The worker of a sink that commits
 * (commit.h) also waits for the file, because batches after the barrier do not belong to the
 * checkpoint. Without such a sink a checkpoint is over once its file is written.
 *
 * The end. A worker whose inputs have ended hands in for the last time, before its stages show
 * last answers and stop. The closing snapshot is made of these states: a run that resumes from it
 * continues as if there had been no end.
 *
 * At the end of the input, stages may make records (windows close), and a source may emit a record
 * that could still grow (a line without its end). A later run must not continue after these
 * records, because the input may have grown by then. So the source requests a checkpoint before
 * them (end_barrier), and the closing snapshot is marked (section `ended`). `leat model` shows the
 * closing snapshot. A later run continues from the snapshot before it, and truncates the outputs
 * accordingly. That works only with a single source and with outputs that can be truncated. With
 * several sources, or a sink that commits, the records made at the end stay, with a warning, unless
 * --keep-open holds them back.
 *
 * Locks: `mu` guards everything except the instances' saved states. These belong to their worker
 * until it has handed in, and from then until the checkpoint is over to the checkpoint thread. */
#ifndef LEAT_HOST_CHECKPOINT_CHECKPOINT_H
#define LEAT_HOST_CHECKPOINT_CHECKPOINT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "commit.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "shards.h"
#include "host/store/snapshot_dir.h"

struct diag;
struct instance;
struct run;

struct checkpoint_options {
    const char *dir;                  /* NULL: no snapshots                           */
    int64_t every_ns;                 /* time between checkpoints; 0: only at the end */
    uint64_t every_records;           /* records between checkpoints; 0: any number   */
    struct free_change_resets resets; /* stages that restart without their state      */
    bool stop_on_crash;               /* records that ended a run are not searched    */
    /* For the state of a split (learned.h), which is written once, at the end; no `dir` then. */
    const char *split, *out; /* its id and its file ("-": standard output); NULL: none */
    bool base64;             /* it is written as a line of text                        */
};

/* True if the states of stages are saved. */
static inline bool checkpoint_saves(const struct checkpoint_options *o) { return o->dir || o->out; }

/* State of a worker for checkpoints. */
struct checkpoint_worker {
    bool ended;   /* the worker has handed in for the last time                    */
    double next;  /* source: place in the input where its next batch begins        */
    double begun; /* source: furthest start of a batch so far; -1 before the first */
};

struct checkpoints {
    struct run *run;
    const struct checkpoint_options *options;
    struct snapshot_dir dir;
    struct commit commit; /* `mu` guards commit.prepared, .done and .stall_ns */
    struct shards shards;
    const char *fingerprint;
    struct snapshot_section splits; /* splits of the snapshot that the run continues from, if any */
    struct fingerprint_changes changes; /* changes since the snapshot that the run continues from */
    uint64_t resumed;                   /* checkpoint that the run continues from; 0 if none */
    unsigned rollbacks;          /* earlier runs of this process that rolled back to a checkpoint */
    _Atomic uint64_t checkpoint; /* last checkpoint on disk and committed; 0 if none */
    /* last checkpoint that is over, even if it failed; never a closing one */
    _Atomic uint64_t tried;
    uint64_t last;       /* highest checkpoint number so far; numbers are not reused              */
    uint64_t before_end; /* guarded by mu: last checkpoint before the input's end; 0: none needed */
    bool after_end;   /* the closing snapshot is written and includes the records made at the end */
    bool told_slow;   /* guarded by mu: has warned of a slow snapshot                             */
    bool told_of_end; /* guarded by mu: has warned that the records made at the end stay          */
    uint64_t final;   /* guarded by mu: first checkpoint with the last states of ended workers    */
    uint64_t *told;   /* told[node->index]: last checkpoint passed to durable()                   */
    _Atomic bool requested; /* a source wants the next checkpoint now */
    pthread_t thread;
    _Atomic bool running;    /* the checkpoint thread is running                   */
    _Atomic uint64_t end_ns; /* time when the run was asked to end; 0 if not asked */

    pthread_mutex_t mu;
    pthread_cond_t changed;
    struct checkpoint_worker *worker; /* worker[k] belongs to run.worker[k]                 */
    uint64_t open;                    /* number of the open checkpoint; 0 if none           */
    uint64_t closing;                 /* checkpoint at whose cut the sources end; 0 if none */
    double cut;                       /* cut of the open checkpoint                         */
    uint32_t missing;                 /* workers that have not handed in yet                */
    uint32_t waiting;                 /* sources that wait for slower ones                  */
    bool finished;                    /* the run has ended; tells the thread to end         */
    uint64_t since, records;     /* time when the last checkpoint was over; records until then */
    uint64_t stall_ns, write_ns; /* longest time to copy a worker's states; longest to write   */
    uint64_t bytes, written;     /* bytes of the last file; number of files written            */
};

/* ---- a run with checkpoints: functions that wrap those of the same name in exec/run.h ---- */

/* Checks before a run that the state of every stage can be saved, and that the directory of --state
 * is writable. Changes nothing. Problems go to d. */
void checkpoint_check(const struct graph *g, const struct checkpoint_options *o, struct diag *d);

/* Prepares a reload: reduces o->resets to the stages that must restart, because the newest snapshot
 * would be refused otherwise. */
void checkpoint_reload_resets(const struct graph *g, struct checkpoint_options *o);

/* Initialises c. Call it after run_init and before stages are opened; then always call
 * checkpoint_close(). `o` must outlive c. `rollbacks`: see struct checkpoints. */
void checkpoint_init(struct checkpoints *c, struct run *r, const struct checkpoint_options *o,
                     unsigned rollbacks);
/* Opens the run (run_open) and the directory, and restores the newest snapshot into the open
 * stages. Returns LEAT_OK, also if there is no snapshot; otherwise a status of run_open. */
int checkpoint_open(struct checkpoints *c, struct diag *d, int quiet);
/* Writes a first snapshot, to find states that cannot be saved before any record is read. Then
 * starts the run (run_start) and the checkpoint thread. Returns LEAT_OK, or the status with which
 * the run failed. */
int checkpoint_start(struct checkpoints *c);
/* Waits for the end of the run (run_join). Then writes the closing snapshot, unless the run has
 * failed. */
void checkpoint_join(struct checkpoints *c);
/* Writes the state of an empty split: of a run that has not opened, because its input has not even
 * a header. Returns LEAT_OK, or the status with which the run failed. */
int checkpoint_write_empty(struct checkpoints *c);
/* Frees everything and closes the run (run_close). */
void checkpoint_close(struct checkpoints *c);
/* Asks the sources to end; several sources end at a common cut. For any thread. */
void checkpoint_stop(struct checkpoints *c);

struct checkpoint_counts {
    /* age_ns: time since the last checkpoint was over */
    uint64_t written, bytes, checkpoint, age_ns;
};
/* Reads the current counts. For any thread, between checkpoint_start and checkpoint_join. */
void checkpoint_counts(struct checkpoints *c, struct checkpoint_counts *n);

/* Makes the next checkpoint due now. For any thread. */
void checkpoint_request(struct checkpoints *c);
/* True if a checkpoint is open, or complete but not yet passed to durable() of `source`. Call it on
 * the source's thread. */
bool checkpoint_is_awaited(struct checkpoints *c, const struct instance *source);

/* ---- functions of barriers.c for the other files of this folder ---- */

/* Returns the number of workers that have not handed in for the last time. Call it with mu held. */
uint32_t checkpoint_at_work(const struct checkpoints *c);
/* True if options.every_records records have come since the last checkpoint. */
bool checkpoint_records_due(const struct checkpoints *c);
/* Wakes all threads that wait for a change under mu. */
void checkpoint_wake(struct checkpoints *c);
/* Calls the source's durable() if a further checkpoint is complete. Call it on the source's thread,
 * or after the source has ended. */
void checkpoint_tell(struct checkpoints *c, struct instance *source);

extern const struct checkpoint_hooks checkpoint_barriers;

/* Returns the cut for a checkpoint that opens now. Call it with mu held. */
double checkpoint_cut(const struct checkpoints *c);

/* ---- functions of resume.c, which use neither threads nor locks ---- */

/* True if --reset restarts the stage. */
bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n);
/* True if the stage takes over a state that the snapshot stores under the stage's former id
 * (`was`). */
bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from);
/* Checks before a run that it may continue from the snapshot. Problems go to d, permitted changes
 * of stages to `free`. */
void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d);

/* Checks, for a run without a snapshot, that --reset names only stages of the pipeline. Returns
 * LEAT_OK, or LEAT_EARG after reporting to d. */
int checkpoint_check_resets(const struct graph *g, const struct checkpoint_options *o,
                            struct diag *d);

/* Opens the directory and checks that the states of all stages can be saved. Returns LEAT_OK, also
 * without a directory; otherwise the status with which the run failed. */
int checkpoint_open_dir(struct checkpoints *c);
/* Restores the newest snapshot into the open instances, which have not started. Returns LEAT_OK,
 * also if there is no snapshot; LEAT_EOS if the run was stopped; LEAT_EARG after reporting to d;
 * otherwise the status with which the run failed. */
int checkpoint_resume(struct checkpoints *c, struct diag *d);

#endif
