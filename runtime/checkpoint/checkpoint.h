/* checkpoint.h -- snapshots of a run while it goes on: barriers through the graph, states handed
 * in, one file.
 *
 * At an interval the checkpoints' own thread opens a checkpoint. Every source hands in its state
 * and sends a barrier (LEAT_BATCH_BARRIER) down before the first batch that begins at a common
 * share of its input or later (a common number of batches, where merges go in turn); every other
 * worker does so when the barrier has come on all its inputs, those where it came first standing
 * still until then. So all states belong to one cut of the stream, and since a merge takes all
 * batches before that share before any behind it, the order in which merged inputs are taken is the
 * same with snapshots and without. For a cut to come soon no source goes on far before another; and
 * a run of several sources that is asked to end ends at a cut. When all have handed in, the thread
 * writes the file (snapshot_dir.h) while the workers go on: a worker stands still only while its
 * stages' states are copied. The next checkpoint opens after that.
 *
 * A worker whose inputs have ended hands in for the last time before it shows last answers and
 * stops its stages; from these states the closing snapshot is made, with which a later run goes on
 * as if there had been no end.
 *
 * With a sink that commits (commit.h), its worker stands still behind the barrier until the file is
 * written and the checkpoint committed: what comes next does not belong to it. The others go on.
 *
 * Locks: `mu` over all but the instances' saved states, which belong to their worker until it has
 * handed in, and to the thread from then until the checkpoint is closed.
 */
#ifndef LEAT_CHECKPOINT_CHECKPOINT_H
#define LEAT_CHECKPOINT_CHECKPOINT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "commit.h"
#include "store/snapshot_dir.h"

struct diag;
struct run;
struct worker;
struct instance;

struct checkpoint_options {
    const char *dir;          /* NULL: no snapshots          */
    int64_t every_ns;         /* 0: only at the end          */
    uint64_t every_records;   /* 0: not by records           */
    const char *const *reset; /* ids of stages that start from nothing */
    size_t n_reset;
};

struct checkpoints {
    struct run *run;
    const struct checkpoint_options *options;
    struct snapshot_dir dir;
    struct commit commit; /* prepared, done, stall_ns: under mu */
    const char *fingerprint;
    int on;                      /* there is a directory, or a source that wants checkpoints   */
    _Atomic uint64_t checkpoint; /* the last one that is over: on disk, committed; 0: none */
    uint64_t last;    /* the last that was begun: no number comes twice, though writing fail */
    _Atomic int soon; /* a source wants the next one now                     */
    pthread_t thread;
    _Atomic int running;
    _Atomic uint64_t asked; /* when the run was asked to end (ns), 0: it was not */

    pthread_mutex_t mu;
    pthread_cond_t changed;
    uint64_t open;           /* the checkpoint under way, 0: none                          */
    uint64_t closing;        /* the checkpoint at whose cut sources end, 0: none           */
    double cut;              /* sources send its barrier once they are so far         */
    uint32_t missing;        /* workers that have not handed in                       */
    uint32_t waiting;        /* sources that let others come up                       */
    int over;                /* the run is: the thread ends                           */
    uint64_t since, records; /* when the last checkpoint was over, and how many there were */
    uint64_t stall_ns, write_ns, bytes, written; /* longest of either; of the last file; files */
};

/* Before the stages are opened; afterwards always close it. */
void checkpoint_init(struct checkpoints *e, struct run *r, const struct checkpoint_options *o);
/* Opens the directory and looks whether what runs can be saved. LEAT_OK (also without a directory),
 * or a failure told to the run. */
int checkpoint_open(struct checkpoints *e);
/* Put the newest snapshot's states into the opened, not yet started instances. LEAT_OK, also when
 * there is none; LEAT_EOS (stopped meanwhile), LEAT_EARG (told to the diag) or a failure told to
 * the run. */
int checkpoint_resume(struct checkpoints *e, struct diag *d);
/* Write a first snapshot, so that what cannot be saved is known now; then start the thread. */
int checkpoint_start(struct checkpoints *e);
/* The workers have ended. Writes the closing snapshot of a run that has not failed. */
void checkpoint_finish(struct checkpoints *e);
void checkpoint_close(struct checkpoints *e);

/* ---- from workers ---- */

static inline int checkpoint_on(const struct checkpoints *e) { return e->on; }
/* Source, before each batch: the checkpoint whose barrier it must send now before it asks again, or
 * 0: the batch may begin. Blocks while the source is far before others. */
uint64_t checkpoint_barrier(struct checkpoints *e, struct worker *w);
/* The worker has come to the end of one of its inputs. */
void checkpoint_end_taken(struct checkpoints *e, struct worker *w, uint32_t input);
/* Everything of the worker's stages as it is now, for this checkpoint. */
void checkpoint_hand_in(struct checkpoints *e, struct worker *w, uint64_t checkpoint);
/* The same, for the last time. */
void checkpoint_hand_in_last(struct checkpoints *e, struct worker *w);
/* After the worker has sent its barrier on: if it has the committing sink, it commits. */
void checkpoint_commit(struct checkpoints *e, struct worker *w);
/* The same for all checkpoints after the worker's last: until the other workers have ended. */
void checkpoint_commit_rest(struct checkpoints *e, struct worker *w);
/* Any thread. */
int checkpoint_under_way(struct checkpoints *e);
/* Source, between two batches: tell it of checkpoints that are over. */
void checkpoint_tell(struct checkpoints *e, struct instance *source);
/* Any thread. End the sources at a common cut; 0: there is no need for one, stop them anywhere. */
int checkpoint_end(struct checkpoints *e);
/* Any thread. */
void checkpoint_soon(struct checkpoints *e);

#endif
