/* checkpoint.h -- consistent snapshots of a run while it works: barriers through the graph, states
 * handed in, one file.
 *
 *     checkpoint thread        source           other workers      worker of the sink that commits
 *     -----------------        ------           -------------      -------------------------------
 *     opens checkpoint n
 *     chooses the cut
 *                              hands in, at
 *                              the cut
 *                              sends barrier n -> aligns inputs (exec/worker/worker.c)
 *                              continues          hands in
 *                                                 sends barrier n -> aligns inputs, hands in
 *     all have handed in                          continue           waits
 *     writes the file
 *     n is prepared            ------------------------------------> commits n
 *     n is over                <------------------------------------ continues
 *     opens checkpoint n + 1   learns that n
 *                              is durable
 *
 * The cut. A source sends the barrier before the first batch that begins at a common share of its
 * input (a common number of batches, where merges take turns), or later. A merge takes all batches
 * before that share before any after it, so the order in which merged inputs are taken is the same
 * with snapshots and without. For a cut to come soon, no source runs far ahead of another; and a
 * run of several sources that is asked to end ends at a cut.
 *
 * A worker stops only while the states of its stages are copied; the thread writes the file
 * (store/snapshot_dir.h) while the workers continue. With a sink that commits (commit.h) the sink's
 * worker waits for the file as well, since what comes after the barrier does not belong to the
 * checkpoint; nobody else waits. Without such a sink a checkpoint is over once its file is written.
 *
 * The end. A worker whose inputs have ended hands in for the last time, before its stages show last
 * answers and stop. The closing snapshot is made of these states: a run that resumes from it
 * continues as if there had been no end.
 *
 * Where stages make records of the end of the input (windows close), or a source gives what may
 * still grow (a line without its end), that must not belong to what a later run continues from:
 * the input may have more then. So the source asks for a checkpoint before it (end_barrier), and
 * the closing snapshot is marked (section `ended`): `leat model` shows it, and a run continues from
 * the one before, which cuts outputs back. That needs a common end, and outputs that can be cut
 * back: with several sources, or a sink that commits, what the end has made stays, with a warning,
 * unless the run keeps it (--keep-open).
 *
 * Locks: `mu` guards all but the instances' saved states. These belong to their worker until it has
 * handed in, and to the checkpoint thread from then until the checkpoint is over.
 */
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
    const char *dir;                  /* NULL: no snapshots       */
    int64_t every_ns;                 /* 0: only at the end       */
    uint64_t every_records;           /* 0: not by records        */
    struct free_change_resets resets; /* stages to restart */
};

/* A worker, as checkpoints see it. */
struct checkpoint_worker {
    bool ended;   /* it has handed in for the last time                    */
    double next;  /* source: where its next batch begins                   */
    double begun; /* source: the furthest that a batch began at; -1: none did yet */
};

struct checkpoints {
    struct run *run;
    const struct checkpoint_options *options;
    struct snapshot_dir dir;
    struct commit commit; /* prepared, done, stall_ns: under mu */
    struct shards shards;
    const char *fingerprint;
    struct fingerprint_changes changes; /* since the snapshot from which the run continues */
    uint64_t resumed;            /* the checkpoint that the run continues from; 0: none          */
    unsigned rollbacks;          /* earlier runs of this process that rolled back to a checkpoint */
    _Atomic uint64_t checkpoint; /* the last one that is over: on disk, committed; 0: none        */
    _Atomic uint64_t tried;      /* the last one that is over, well or not, but a closing one     */
    uint64_t last;               /* the last number given out: none comes twice                   */
    uint64_t before_end; /* the last one before the end of the input; 0: none is apart; under mu */
    bool after_end;      /* the closing snapshot is written: it has what the end has made */
    bool told_slow;      /* that a snapshot has waited for long; under mu                     */
    bool told_of_end;    /* that what the end has made stays; under mu                      */
    uint64_t final; /* the first checkpoint with the last states of all that have ended; under mu */
    uint64_t *told; /* by node: the last checkpoint that durable() has reported       */
    _Atomic bool requested; /* a source wants the next one now                               */
    pthread_t thread;
    _Atomic bool running;    /* the thread */
    _Atomic uint64_t end_ns; /* when the run was asked to end, 0: it was not */

    pthread_mutex_t mu;
    pthread_cond_t changed;
    struct checkpoint_worker *worker; /* as run.worker                                     */
    uint64_t open;                    /* the checkpoint under way, 0: none                 */
    uint64_t closing;            /* the checkpoint at whose cut sources end, 0: none           */
    double cut;                  /* sources send its barrier once they are so far              */
    uint32_t missing;            /* workers that have not handed in                            */
    uint32_t waiting;            /* sources that wait for others to come up                    */
    bool finished;               /* the run is: the thread ends                                */
    uint64_t since, records;     /* when the last checkpoint was over, and records until then  */
    uint64_t stall_ns, write_ns; /* longest time a worker copied states, and a file took   */
    uint64_t bytes, written;     /* of the last file; files                                */
};

/* ---- a run with checkpoints: these call what they are named after in exec/run.h ---- */

/* Checks, before a run and without a change, that every stage can save its state and that the
 * directory of --state can be written. Problems go to d. */
void checkpoint_check(const struct graph *g, const struct checkpoint_options *o, struct diag *d);

/* For a reload: of the stages that were to restart, and did when the run began, only those restart
 * again without which the newest snapshot would be refused. */
void checkpoint_reload_resets(const struct graph *g, struct checkpoint_options *o);

/* Call it after run_init, before stages are opened; then always close it. `o` is lent. `rollbacks`:
 * see above. */
void checkpoint_init(struct checkpoints *c, struct run *r, const struct checkpoint_options *o,
                     unsigned rollbacks);
/* Calls run_open, opens the directory, and puts the newest snapshot's states into the open stages.
 * Returns LEAT_OK, also if there is no snapshot; otherwise as run_open. */
int checkpoint_open(struct checkpoints *c, struct diag *d, int quiet);
/* Writes a first snapshot, so that what cannot be saved is known now; then run_start, and the
 * checkpoint thread. LEAT_OK, or a failure of the run. */
int checkpoint_start(struct checkpoints *c);
/* run_join; then writes the closing snapshot of a run that has not failed. */
void checkpoint_join(struct checkpoints *c);
/* Frees all, and calls run_close. */
void checkpoint_close(struct checkpoints *c);
/* Ask the sources to end, several of them at a common cut. Any thread. */
void checkpoint_stop(struct checkpoints *c);

struct checkpoint_counts {
    uint64_t written, bytes, checkpoint, age_ns; /* of the last snapshot, if one is written */
};
/* Reads the counts of this moment. Any thread, between checkpoint_start and checkpoint_join. */
void checkpoint_counts(struct checkpoints *c, struct checkpoint_counts *n);

/* The next checkpoint is due now. Any thread. */
void checkpoint_request(struct checkpoints *c);
bool checkpoint_is_open(struct checkpoints *c);

/* ---- between the files of this folder: barriers.c ---- */

/* Workers that have not handed in for the last time. mu held. */
uint32_t checkpoint_at_work(const struct checkpoints *c);
/* True if as many records have come since the last checkpoint as an interval has. */
bool checkpoint_records_due(const struct checkpoints *c);
/* Wakes all that wait for a change under mu. */
void checkpoint_wake(struct checkpoints *c);
/* Tell a source, on its thread or once that has ended, of a checkpoint that is over. */
void checkpoint_tell(struct checkpoints *c, struct instance *source);

extern const struct checkpoint_hooks checkpoint_barriers;

/* Returns the place at which sources send the barrier of a checkpoint that opens now. mu held. */
double checkpoint_cut(const struct checkpoints *c);

/* ---- resume.c; no thread and no lock of its own ---- */

/* True if the stage is to restart (--reset). */
bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n);
/* True if the stage takes over the state that the snapshot has under its former id. */
bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from);
/* Checks before a run that it may continue from the snapshot. Problems go to d; permitted changes
 * of stages go to `free`. */
void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d);

/* Checks, without a snapshot, that --reset names stages of the pipeline. Returns LEAT_OK;
 * LEAT_EARG, reported. */
int checkpoint_check_resets(const struct graph *g, const struct checkpoint_options *o,
                            struct diag *d);

/* Opens the directory and checks that all stages can be saved. LEAT_OK (also without a
 * directory), or a failure of the run. */
int checkpoint_open_dir(struct checkpoints *c);
/* Puts the newest snapshot's states into the open instances, which have not started. Returns
 * LEAT_OK, also if there is none; LEAT_EOS if the run was stopped; LEAT_EARG, reported to d; or a
 * failure of the run. */
int checkpoint_resume(struct checkpoints *c, struct diag *d);

#endif
