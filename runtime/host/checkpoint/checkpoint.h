/* checkpoint.h -- consistent snapshots of a working run: barriers, saved states, one file.
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
 * before that share before any batch after it, so snapshots do not change the order of merged
 * inputs. No source runs far ahead of another, so that a cut comes soon. A run of several sources
 * that is asked to end ends at a cut.
 *
 * A worker stops only while the states of its stages are copied; the thread writes the file
 * (store/snapshot_dir.h) while the workers continue. The worker of a sink that commits (commit.h)
 * waits for the file too, because batches after the barrier do not belong to the checkpoint.
 * Without such a sink a checkpoint is over once its file is written.
 *
 * The end. A worker whose inputs have ended hands in for the last time, before its stages show last
 * answers and stop. The closing snapshot is made of these states: a run that resumes from it
 * continues as if there had been no end.
 *
 * Stages may make records at the end of the input (windows close), and a source may emit a record
 * that can still grow (a line without its end). A later run must not continue after these records,
 * because the input may have grown by then. So the source requests a checkpoint before them
 * (end_barrier), and the closing snapshot is marked (section `ended`). `leat model` shows the
 * closing snapshot; a run continues from the one before, which cuts outputs back. That needs a
 * common end, and outputs that can be cut. With several sources, or a sink that commits, the
 * records of the end stay, with a warning, unless --keep-open holds them back.
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
    const char *dir;                  /* NULL: no snapshots     */
    int64_t every_ns;                 /* 0: only at the end     */
    uint64_t every_records;           /* 0: no limit of records */
    struct free_change_resets resets; /* stages to restart      */
};

/* State of a worker, for checkpoints. */
struct checkpoint_worker {
    bool ended;   /* it has handed in for the last time                     */
    double next;  /* source: where its next batch begins                    */
    double begun; /* source: furthest start of a batch so far; -1: none yet */
};

struct checkpoints {
    struct run *run;
    const struct checkpoint_options *options;
    struct snapshot_dir dir;
    struct commit commit; /* prepared, done and stall_ns under mu */
    struct shards shards;
    const char *fingerprint;
    struct fingerprint_changes changes; /* since the snapshot that the run continues from */
    uint64_t resumed;                   /* checkpoint that the run continues from; 0: none */
    unsigned rollbacks;          /* earlier runs of this process that rolled back to a checkpoint */
    _Atomic uint64_t checkpoint; /* last one on disk and committed; 0: none */
    _Atomic uint64_t tried;      /* last one that is over, failed or not; excludes a closing one */
    uint64_t last;               /* highest number so far; numbers are not reused */
    uint64_t before_end;         /* last one before the input's end; 0: no separate one; under mu */
    bool after_end;   /* the closing snapshot is written: it includes the records of the end */
    bool told_slow;   /* warned of a snapshot that waits for long; under mu */
    bool told_of_end; /* warned that the records of the end stay; under mu */
    uint64_t final;   /* first checkpoint with the last states of all ended workers; under mu */
    uint64_t *told;   /* by node: last checkpoint reported by durable() */
    _Atomic bool requested; /* a source wants the next checkpoint now */
    pthread_t thread;
    _Atomic bool running;    /* the thread */
    _Atomic uint64_t end_ns; /* when the run was asked to end; 0: not yet */

    pthread_mutex_t mu;
    pthread_cond_t changed;
    struct checkpoint_worker *worker; /* parallel to run.worker */
    uint64_t open;                    /* current checkpoint; 0: none */
    uint64_t closing;                 /* the checkpoint at whose cut sources end; 0: none */
    double cut;                       /* sources send its barrier once they reach this */
    uint32_t missing;            /* workers that have not handed in                             */
    uint32_t waiting;            /* sources that wait for slower ones                           */
    bool finished;               /* the run has ended, so the thread ends                       */
    uint64_t since, records;     /* end of the last checkpoint; records until then              */
    uint64_t stall_ns, write_ns; /* longest time that a worker copied states; that writing took */
    uint64_t bytes, written;     /* of the last file; number of files                           */
};

/* ---- a run with checkpoints: each function calls its namesake in exec/run.h ---- */

/* Checks before a run that every stage can save its state, and that the directory of --state can be
 * written. Changes nothing. Problems go to d. */
void checkpoint_check(const struct graph *g, const struct checkpoint_options *o, struct diag *d);

/* Prepares a reload. Keeps, of the stages that restarted when the run began, only those without
 * which the newest snapshot would be refused. */
void checkpoint_reload_resets(const struct graph *g, struct checkpoint_options *o);

/* Call it after run_init, before stages are opened; then always close it. `o` is lent. `rollbacks`:
 * see struct checkpoints. */
void checkpoint_init(struct checkpoints *c, struct run *r, const struct checkpoint_options *o,
                     unsigned rollbacks);
/* Calls run_open, opens the directory, and restores the newest snapshot into the open stages.
 * Returns LEAT_OK, also without a snapshot; otherwise a status of run_open. */
int checkpoint_open(struct checkpoints *c, struct diag *d, int quiet);
/* Writes a first snapshot, so that states that cannot be saved are known now. Then calls run_start,
 * and starts the checkpoint thread. Returns LEAT_OK, or a failure of the run. */
int checkpoint_start(struct checkpoints *c);
/* Calls run_join, then writes the closing snapshot of a run that has not failed. */
void checkpoint_join(struct checkpoints *c);
/* Frees everything, and calls run_close. */
void checkpoint_close(struct checkpoints *c);
/* Asks the sources to end; several sources end at a common cut. Any thread. */
void checkpoint_stop(struct checkpoints *c);

struct checkpoint_counts {
    uint64_t written, bytes, checkpoint, age_ns; /* age_ns: since the last checkpoint was over */
};
/* Reads the present counts. Any thread, between checkpoint_start and checkpoint_join. */
void checkpoint_counts(struct checkpoints *c, struct checkpoint_counts *n);

/* Makes the next checkpoint due now. Any thread. */
void checkpoint_request(struct checkpoints *c);
bool checkpoint_is_open(struct checkpoints *c);

/* ---- between the files of this folder: barriers.c ---- */

/* Returns the number of workers that have not handed in for the last time. Call it with mu held. */
uint32_t checkpoint_at_work(const struct checkpoints *c);
/* True if the records of an interval have come since the last checkpoint. */
bool checkpoint_records_due(const struct checkpoints *c);
/* Wakes all threads that wait for a change under mu. */
void checkpoint_wake(struct checkpoints *c);
/* Tells a source of a checkpoint that is over. Called on the source's thread, or after its end. */
void checkpoint_tell(struct checkpoints *c, struct instance *source);

extern const struct checkpoint_hooks checkpoint_barriers;

/* Returns the place at which sources send the barrier of a checkpoint that opens now. Call it with
 * mu held. */
double checkpoint_cut(const struct checkpoints *c);

/* ---- resume.c; uses neither threads nor locks ---- */

/* True if --reset restarts the stage. */
bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n);
/* True if the stage takes over a state that the snapshot has under the stage's former id. */
bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from);
/* Checks before a run whether it may continue from the snapshot. Problems go to d, permitted
 * changes of stages to `free`. */
void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d);

/* Checks, without a snapshot, that --reset names stages of the pipeline. Returns LEAT_OK; or
 * LEAT_EARG, reported. */
int checkpoint_check_resets(const struct graph *g, const struct checkpoint_options *o,
                            struct diag *d);

/* Opens the directory and checks that all stages can be saved. Returns LEAT_OK, also without a
 * directory; or a failure of the run. */
int checkpoint_open_dir(struct checkpoints *c);
/* Restores the newest snapshot into the open instances, which have not started. Returns LEAT_OK,
 * also without a snapshot; LEAT_EOS if the run was stopped; LEAT_EARG, reported to d; or a failure
 * of the run. */
int checkpoint_resume(struct checkpoints *c, struct diag *d);

#endif
