/* instance_state.h -- the state of one instance as two sections of a snapshot, and back.
 *
 * The stage writes section stage/ID/LANE. The host writes section host/ID/LANE: counts of records,
 * batches of a source, progressive validation, and when each answer is due next. Section `run` of a
 * snapshot has the time of writing, and counts of records and rejections.
 */
#ifndef LEAT_HOST_CHECKPOINT_INSTANCE_STATE_H
#define LEAT_HOST_CHECKPOINT_INSTANCE_STATE_H

#include <stdbool.h>

#include "host/store/snapshot.h"
#include "host/store/state_codec.h"

struct instance;
struct run;

/* The last state of an instance. */
struct instance_state {
    struct state_writer stage, host;
    bool has_stage, whole; /* whole: with checksums */
};

/* Copies the state, on the instance's thread. Returns LEAT_OK, or a failure of the run. */
int instance_state_take(struct instance_state *s, struct instance *i);
/* Makes the checksums, and one or two sections that are lent. Any thread. Returns the number of
 * sections; 0 after a failure of the run. */
uint32_t instance_state_sections(struct instance_state *s, struct instance *i,
                                 struct snapshot_section out[2]);
/* Restores an instance before the start. With `reset` restores only the counts of records; the
 * stage and its model restart. Returns LEAT_OK, or a failure of the run. */
int instance_state_restore(struct instance *i, const struct snapshot *from, bool reset);
/* True if a snapshot has the sections of this instance. */
bool instance_state_is_in(const struct instance *i, const struct snapshot *from);
/* Restore one of the two sections. */
int instance_state_restore_host(struct instance *i, const struct snapshot *from, bool reset);
int instance_state_restore_stage(struct instance *i, const struct snapshot *from);
/* Merges the stage's state in a snapshot into the instance's state. */
int instance_state_merge_stage(struct instance *i, const struct snapshot *from, double weight);
void instance_state_free(struct instance_state *s);

/* Writes section `run`. Returns LEAT_OK, or LEAT_ENOMEM. */
int instance_state_run_write(struct state_writer *w, struct run *r);
/* Reads section `run`. Returns LEAT_OK, or a failure of the run. */
int instance_state_run_read(struct run *r, const struct snapshot *from);

/* Steps through all instances of a run, from a zeroed cursor. Returns NULL after the last. */
struct instance_cursor {
    uint32_t node, lane;
};
struct instance *instance_state_next(const struct run *r, struct instance_cursor *at);
uint32_t instance_state_count(const struct run *r);

#endif
