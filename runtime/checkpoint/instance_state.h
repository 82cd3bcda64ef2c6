/* instance_state.h -- the state of one instance as two sections of a snapshot, and back.
 *
 * stage/ID/LANE is what the stage wrote; host/ID/LANE what the host keeps of the instance: counts
 * of records, batches of a source, progressive validation, when which answer is due next. And the
 * section `run`: when the snapshot was made, records and rejections so far.
 */
#ifndef LEAT_CHECKPOINT_INSTANCE_STATE_H
#define LEAT_CHECKPOINT_INSTANCE_STATE_H

#include "store/snapshot.h"
#include "store/state_codec.h"

struct instance;
struct run;

/* The last state of an instance. */
struct instance_state {
    struct state_writer stage, host;
    int has_stage, whole; /* whole: with checksums */
};

/* On the instance's thread: only copies. LEAT_OK, or a failure told to the run. */
int instance_state_take(struct instance_state *s, struct instance *i);
/* On any thread: checksums, and one or two sections, lent. 0: a failure told to the run. */
uint32_t instance_state_sections(struct instance_state *s, struct instance *i,
                                 struct snapshot_section out[2]);
/* Before the start. `anew`: only the host's part. LEAT_OK, or a failure told to the run. */
int instance_state_restore(struct instance *i, const struct snapshot *from, int anew);
/* One part of it alone: what the host keeps; what the stage keeps. */
int instance_state_restore_host(struct instance *i, const struct snapshot *from);
int instance_state_restore_stage(struct instance *i, const struct snapshot *from);
/* Add the stage's state of a snapshot to what the instance holds. */
int instance_state_merge_stage(struct instance *i, const struct snapshot *from, double weight);
void instance_state_free(struct instance_state *s);

/* The section `run`, written whole. LEAT_OK, or LEAT_ENOMEM. */
int instance_state_run_write(struct state_writer *w, struct run *r);
/* LEAT_OK, or a failure told to the run. */
int instance_state_run_read(struct run *r, const struct snapshot *from);

#endif
