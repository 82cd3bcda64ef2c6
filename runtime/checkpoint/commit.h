/* commit.h -- exactly once: the sink that commits each checkpoint as one transaction, and what
 * holds.
 *
 * A checkpoint is prepared first: its snapshot is on disk, with the name of the transaction in a
 * section `transaction`. Then the sink commits what it was given, the sources' positions and the
 * number of the checkpoint. So such a snapshot holds if and only if its checkpoint is not after the
 * last one that was committed; after a crash between the two the run goes on from the one before,
 * and nothing of what was put out in between has been seen by anyone. Snapshots without the section
 * hold by themselves: what a run begins with, and what a clean end leaves.
 *
 * Where a source keeps the states of its inputs itself (shards.h) there is no snapshot: the states
 * are part of what it positions, and so of the transaction.
 */
#ifndef LEAT_CHECKPOINT_COMMIT_H
#define LEAT_CHECKPOINT_COMMIT_H

#include <stdint.h>

#include "store/snapshot_dir.h"

struct diag;
struct graph;
struct run;
struct instance;

struct commit {
    struct instance *sink;           /* NULL: nothing is committed                     */
    const char *name;                /* of its transaction                             */
    struct leat_position *position;  /* by node: a source's, as of its last barrier          */
    struct leat_position *to_commit; /* those of all sources, for the sink                 */
    uint64_t prepared;               /* the checkpoint that waits to be committed, 0: none  */
    uint64_t done;                   /* the last that was committed; 0: none is known  */
    uint64_t stall_ns;               /* longest time the sink stood still              */
};

/* Is what the graph wants possible with this directory (NULL: none)? Problems go to d. */
void commit_check(const struct graph *g, const char *dir, struct diag *d);
/* Before the stages are opened: find the sink, and let the stages know. */
void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns);
/* On the stage's thread, right after its barrier. LEAT_OK, or a failure told to the run. */
int commit_position(const struct commit *commit, struct instance *i);
/* Asks the sink what was committed last; from then on nobody else commits under its name. LEAT_OK;
 * LEAT_EOS: stopped; or a failure told to the run. */
int commit_ask(struct commit *commit, struct run *r);
/* The same, and the newest snapshot that holds, as snapshot_dir_newest; those after it are removed.
 * LEAT_EOS: stopped. Failures are told to the run. */
int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s);
/* LEAT_OK, or a failure told to the run. */
int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint);

#endif
