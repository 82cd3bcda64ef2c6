/* commit.h -- exactly-once output: a sink commits each checkpoint as one transaction.
 *
 * A checkpoint is prepared first: its snapshot is on disk, with the name of the transaction in a
 * section `transaction`. Then the sink commits its output, the sources' positions and the number of
 * the checkpoint together. Such a snapshot is valid if its checkpoint is at most the last one that
 * was committed. After a crash between the two steps the run continues from the previous snapshot,
 * and nobody has seen the later output. Snapshots without the section are always valid: the first
 * of a run, and that of a clean end. Their section `committed` holds the last checkpoint committed
 * before them, and the transaction's name.
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
 * If a source stores the states of its inputs itself (shards.h), there is no snapshot. The states
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

/* ---- the position of a run: its progress at a checkpoint, as bytes ----
 *
 * A transactional sink keeps the position with its rows (leat_transaction.positions). With it a run
 * continues exactly where the sink's rows end, even if snapshots are older or lost.
 *
 * The bytes are a snapshot of the checkpoint in memory (store/snapshot.h, with checksums). Its
 * sections:
 *
 *   pipeline      fingerprint of the pipeline
 *   run           counts of records and rejections, length of the dead letters
 *   host/ID/LANE, stage/ID/LANE   of each source, and of each other stage, unless it is a learner
 *                                 or its state has more than RUN_POSITION_STATE bytes
 *
 * So models are missing, and other large states: windows, exact counts, keys seen.
 *
 * Missing states (run_position_resume). A stage whose state is neither in the position nor in a
 * snapshot of the same checkpoint continues with an older one, or starts over. A learner, or a
 * transform that LEAT_LEARNS, only loses what it had learned. Any other transform before the sink
 * would send it other records, so the run is refused. So it is if a stage before the sink asks a
 * learner for answers.
 */

#define RUN_POSITION_FORMAT "leat.run/1"

enum { RUN_POSITION_STATE = 64 << 10 };

struct run_position {
    char *bytes;
    size_t n, cap;
};

struct commit {
    struct instance *sink;           /* NULL: no sink commits                             */
    const char *name;                /* name of its transaction                           */
    struct leat_position *position;  /* by node: position of a source at its last barrier */
    struct leat_position *to_commit; /* the run's, if the sink keeps it, and the sources' */
    struct run_position run;         /* at the last checkpoint                            */
    uint64_t prepared;               /* checkpoint that waits for its commit; 0: none     */
    uint64_t done;                   /* last committed checkpoint; 0: none known          */
    uint64_t stall_ns;               /* longest time that the sink waited                 */
};

/* Checks that the graph's transaction is possible with this directory (NULL: none). Problems go to
 * d. */
void commit_check(const struct graph *g, const char *dir, struct diag *d);
/* Finds the sink, and fills the contexts of all stages, before these are opened. */
void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns, bool continued);
void commit_close(struct commit *commit);
/* True if the sink commits positions in this source's own format. */
bool commit_takes_position_of(const struct commit *commit, const struct node *source);
/* Asks a source for its position, on its thread, right after its barrier. Returns LEAT_OK; or a
 * failure of the run. */
int commit_position(const struct commit *commit, struct instance *i);
/* Asks the sink for the last committed checkpoint; from then on no other run can commit under the
 * sink's name. Returns LEAT_OK; LEAT_EOS if stopped; or a failure of the run. */
int commit_ask(struct commit *commit, struct run *r);
/* Calls commit_ask, reads the newest valid snapshot like snapshot_dir_newest, and removes later
 * snapshots. Returns LEAT_EOS if the run was stopped. Failures are the run's. */
int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s);
/* True if the sink has committed more than the snapshot knows of (NULL: no snapshot). */
bool commit_is_ahead(const struct commit *commit, const struct snapshot *s);
/* Lends the positions that the sink keeps of its last checkpoint. Returns LEAT_OK; LEAT_EOS if
 * stopped; or a failure of the run. */
int commit_kept(struct commit *commit, struct run *r, const struct leat_position **list,
                uint32_t *n);
/* Returns the section `committed` of a snapshot that is always valid. */
struct snapshot_section commit_section(const struct commit *commit, struct arena *a);
/* Makes the sink commit, on its thread or after that has ended. Returns LEAT_OK; or a failure of
 * the run. */
int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint);

#endif
