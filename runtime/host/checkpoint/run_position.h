/* run_position.h -- how far a run was at a checkpoint, as bytes that a transactional sink keeps
 * beside its rows (leat_transaction.positions): with them the run continues exactly where the
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
#ifndef LEAT_HOST_CHECKPOINT_RUN_POSITION_H
#define LEAT_HOST_CHECKPOINT_RUN_POSITION_H

#include <leat/plugin.h>

#include "host/store/snapshot.h"

struct checkpoints;
struct diag;
struct run;

#define RUN_POSITION_FORMAT "leat.run/1"

enum { RUN_POSITION_STATE = 64 << 10 };

struct run_position {
    char *bytes;
    size_t n, cap;
};

/* Makes the bytes; the states of all stages are handed in. LEAT_OK, or a failure of the run. */
int run_position_make(struct run_position *p, struct run *r, const char *fingerprint,
                      uint64_t checkpoint);
void run_position_free(struct run_position *p);

/* The sink has committed checkpoints after that of the snapshot `from` (NULL: there is none). Puts
 * the states of the sink's position, and for the rest those of `from`, into the opened stages.
 * LEAT_OK; LEAT_EOS: stopped; LEAT_EARG, reported to d; or a failure of the run, which then cannot
 * continue exactly. */
int run_position_resume(struct checkpoints *c, const struct snapshot *from, struct diag *d);

#endif
