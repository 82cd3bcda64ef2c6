/* commit.h -- exactly-once output: a sink commits each checkpoint as one transaction.
 *
 * A checkpoint is first prepared: its snapshot is on disk, with the transaction's name in a section
 * `transaction`. Then the sink commits, in one transaction, its output, the sources' positions and
 * the checkpoint's number. The snapshot is valid if its number is at most the last committed one.
 * After a crash between the two steps, the run continues from the previous snapshot, and the later
 * output never became visible. A snapshot without a section `transaction` is always valid: the
 * first of a run, and that of a clean end. Its section `committed` has the last checkpoint
 * committed before it, and the transaction's name.
 *
 *     snapshot of        last commit of the sink   the run
 *     ----------------   -----------------------   ---------------------------------------------
 *     checkpoint a       a                         continues from the snapshot
 *     a, or none         b > a                     continues from the position that the sink
 *                                                  keeps (resume.c), if this gives the same
 *                                                  rows; otherwise is refused
 *     a, committed       b < a                     is refused: the output was set back
 *     a, committed       none                      is refused if the sink keeps positions;
 *                                                  otherwise continues, because a cluster may
 *                                                  forget the number
 *
 * If a source stores the states of its inputs itself (shards.h), there is no snapshot. The states
 * are then part of the source's position, and so of the transaction. */
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
 * A transactional sink may keep the position with its rows (leat_transaction.positions). With it, a
 * run continues exactly where the sink's rows end, even if snapshots are older or lost.
 *
 * The bytes are a snapshot of the checkpoint in memory (store/snapshot.h, with checksums). Its
 * sections:
 *
 *     pipeline     fingerprint of the pipeline
 *     run          counts of records and rejections, length of the dead letters
 *     host/ID/LANE, stage/ID/LANE
 *                  for each source, and for each other stage, except learners and stages with a
 *                  state larger than RUN_POSITION_STATE bytes
 *
 * So the position lacks models and other large states: windows, exact counts, keys seen.
 *
 * Missing states (position_resume in resume.c). If a stage's state is neither in the position nor
 * in a snapshot of the same checkpoint, the stage continues with an older state or starts over. For
 * a learner, or a transform with LEAT_LEARNS, this loses only learned state. Any other transform
 * before the sink would then send different records to the sink, so the run is refused. The run is
 * also refused if a stage before the sink queries a learner. */

#define RUN_POSITION_FORMAT "leat.run/1"

enum { RUN_POSITION_STATE = 64 << 10 };

struct run_position {
    char *bytes;
    size_t n, cap;
};

struct commit {
    struct instance *sink;          /* NULL if no sink commits                                */
    const char *name;               /* name of the sink's transaction                         */
    struct leat_position *position; /* position[node->index]: a source's, at its last barrier */
    /* positions of the sources, and the run's if the sink keeps it */
    struct leat_position *to_commit;
    struct run_position run; /* position of the run at the last checkpoint */
    uint64_t prepared;       /* checkpoint that waits for its commit; 0 if none */
    uint64_t done;           /* last committed checkpoint; 0 if none is known */
    uint64_t stall_ns;       /* longest time that the sink waited for a snapshot */
};

/* Checks that the graph's transaction is possible with the directory `dir` (NULL: no directory).
 * Problems go to d. */
void commit_check(const struct graph *g, const char *dir, struct diag *d);
/* Finds the sink that commits, and fills the contexts of all stages. Call it before the stages are
 * opened. */
void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns, bool continued);
void commit_close(struct commit *commit);
/* True if the sink can commit positions in the format of this source. */
bool commit_takes_position_of(const struct commit *commit, const struct node *source);
/* Gets a source's position, on the source's thread, right after its barrier. Returns LEAT_OK, or
 * the status with which the run failed. */
int commit_position(const struct commit *commit, struct instance *i);
/* Gets the last committed checkpoint from the sink. From then on, no other run can commit under the
 * sink's name. Returns LEAT_OK; LEAT_EOS if the run was stopped; otherwise the status with which
 * the run failed. */
int commit_ask(struct commit *commit, struct run *r);
/* Calls commit_ask(), reads the newest valid snapshot like snapshot_dir_newest(), and removes later
 * snapshots. Returns LEAT_EOS if the run was stopped. The run fails if a commit or a check
 * fails. */
int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s);
/* True if the sink has committed a later checkpoint than that of snapshot s (NULL: no snapshot). */
bool commit_is_ahead(const struct commit *commit, const struct snapshot *s);
/* Gets the positions that the sink keeps of its last checkpoint. The sink owns them. Returns
 * LEAT_OK; LEAT_EOS if the run was stopped; otherwise the status with which the run failed. */
int commit_kept(struct commit *commit, struct run *r, const struct leat_position **list,
                uint32_t *n);
/* Returns the section `committed` for a snapshot without a section `transaction`. */
struct snapshot_section commit_section(const struct commit *commit, struct arena *a);
/* Makes the sink commit the checkpoint. Call it without mu, on the sink's thread or after that
 * thread has ended. Returns LEAT_OK, or the status with which the run failed. */
int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint);

#endif
