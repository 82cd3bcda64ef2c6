/* commit.h -- exactly once: the sink that commits each checkpoint as one transaction, and which
 * snapshots are valid.
 *
 * A checkpoint is prepared first: its snapshot is on disk, with the name of the transaction in a
 * section `transaction`. Then the sink commits its output, the sources' positions and the number of
 * the checkpoint together. Such a snapshot is valid if its checkpoint is at most the last one that
 * was committed. After a crash between the two steps the run continues from the previous snapshot,
 * and nobody has seen the output in between. Snapshots without the section are valid by themselves:
 * the first of a run, and the one of a clean end. Their section `committed` has the last checkpoint
 * that was committed before them, and the transaction's name.
 *
 *   the snapshot has       the sink has committed   the run
 *   -----------------      ----------------------   -------------------------------------------
 *   checkpoint a           a                        continues from the snapshot
 *   a, or no snapshot      b > a                    continues from the sink's position where rows
 *                                                   are concerned (resume.c), or is refused
 *   a, committed           b < a                    is refused: the output was set back
 *   a, committed           none                     is refused, if the sink keeps positions; else
 *                                                   it continues: a cluster may forget the number
 *
 * Where a source stores the states of its inputs itself (shards.h) there is no snapshot: the states
 * are part of its position, and so of the transaction.
 */
#ifndef LEAT_HOST_CHECKPOINT_COMMIT_H
#define LEAT_HOST_CHECKPOINT_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "host/store/snapshot_dir.h"

struct arena;
struct diag;
struct graph;
struct run;
struct instance;
struct node;

/* ---- the position of a run: how far it was at a checkpoint, as bytes that a transactional sink
 * keeps beside its rows (leat_transaction.positions): with them the run continues exactly where the
 * sink's rows end, though snapshots are older or lost.
 *
 * The bytes are a snapshot in memory (store/snapshot.h, with its checksums) of the checkpoint, with
 * the sections
 *
 *   pipeline      which pipeline it is
 *   run           counts of records and rejections, length of the dead letters
 *   host/ID/LANE, stage/ID/LANE   of each source, and of each other stage but learners whose state
 *                                 has at most RUN_POSITION_STATE bytes
 *
 * So what is missing are models, and what grows as large: windows, exact counts, keys seen.
 *
 * What a run may do without (run_position_resume). A stage whose state is neither in the position
 * nor in a snapshot of the same checkpoint continues with an older one, or starts over. For a
 * learner, and a transform that LEAT_LEARNS, that costs only what it had learned. Any other
 * transform before the sink would give it other records, so the run is refused; and so would a
 * stage that asks a learner when its answers are due.
 */

#define RUN_POSITION_FORMAT "leat.run/1"

enum { RUN_POSITION_STATE = 64 << 10 };

struct run_position {
    char *bytes;
    size_t n, cap;
};

struct commit {
    struct instance *sink;           /* NULL: nothing is committed                     */
    const char *name;                /* of its transaction                             */
    struct leat_position *position;  /* by node: a source's, as of its last barrier          */
    struct leat_position *to_commit; /* the run's, if the sink keeps it, and those of sources */
    struct run_position run;         /* as of the last checkpoint                          */
    uint64_t prepared;               /* the checkpoint that waits to be committed, 0: none  */
    uint64_t done;                   /* the last that was committed; 0: none is known  */
    uint64_t stall_ns;               /* longest time that the sink waited              */
};

/* Checks that the graph's transaction is possible with this directory (NULL: none). Problems go to
 * d. */
void commit_check(const struct graph *g, const char *dir, struct diag *d);
/* Finds the sink and writes the contexts of all stages, before these are opened. */
void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns, bool continued);
void commit_close(struct commit *commit);
/* True if the sink commits positions of this source's own making. */
bool commit_takes_position_of(const struct commit *commit, const struct node *source);
/* Asks a source for its position, on the stage's thread, right after its barrier. Returns LEAT_OK;
 * or a failure of the run. */
int commit_position(const struct commit *commit, struct instance *i);
/* Ask the sink which checkpoint was committed last; from then on no other run can commit under its
 * name. LEAT_OK; LEAT_EOS: stopped; or a failure of the run. */
int commit_ask(struct commit *commit, struct run *r);
/* Asks as commit_ask does, and reads the newest valid snapshot as snapshot_dir_newest does. Later
 * snapshots are removed. Returns LEAT_EOS if the run was stopped; failures are the run's. */
int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s);
/* True if the sink has committed more than the snapshot (NULL: there is none) knows of. */
bool commit_is_ahead(const struct commit *commit, const struct snapshot *s);
/* The positions that the sink keeps of its last checkpoint, lent. LEAT_OK; LEAT_EOS: stopped; or a
 * failure of the run. */
int commit_kept(struct commit *commit, struct run *r, const struct leat_position **list,
                uint32_t *n);
/* Section `committed` of a snapshot that is valid by itself. */
struct snapshot_section commit_section(const struct commit *commit, struct arena *a);
/* Has the sink commit, on its thread or after the end of that. Returns LEAT_OK; or a failure of the
 * run. */
int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint);

#endif
