/* instance_state.h -- converts the state of one instance to two sections of a snapshot, and back.
 *
 * The stage writes section stage/ID/LANE. The host writes section host/ID/LANE: counts of records,
 * batches of a source, progressive validation, and when each answer is due next. The whole snapshot
 * has one section `run` with the time of writing, and counts of records and rejections. */
#ifndef LEAT_HOST_CHECKPOINT_INSTANCE_STATE_H
#define LEAT_HOST_CHECKPOINT_INSTANCE_STATE_H

#include <stdbool.h>

#include "host/store/snapshot.h"
#include "host/store/state_codec.h"

struct instance;
struct node;
struct run;

/* The last saved state of an instance. */
struct instance_state {
    struct state_writer stage, host;
    bool has_stage, whole; /* whole: the checksums are computed */
};

/* Copies the instance's state, on the instance's thread. Returns LEAT_OK, or the status with which
 * the run failed. */
int instance_state_take(struct instance_state *s, struct instance *i);
/* Completes the state with checksums and fills out[] with one or two sections that point into s.
 * For any thread. Returns the number of sections; 0 after a failure of the run. */
uint32_t instance_state_sections(struct instance_state *s, struct instance *i,
                                 struct snapshot_section out[2]);
/* Does the same for what a stage has learned (learned.h): its last saved state, or its present one
 * if none was saved. Call it when no worker runs. */
uint32_t instance_state_learned(struct instance_state *s, struct run *r, struct node *n,
                                struct snapshot_section out[2]);
/* Restores an instance before it starts. With `reset`, restores only the counts of records; the
 * stage and its model restart. Returns LEAT_OK, or the status with which the run failed. */
int instance_state_restore(struct instance *i, const struct snapshot *from, bool reset);
/* True if the snapshot contains the sections of this instance. */
bool instance_state_is_in(const struct instance *i, const struct snapshot *from);
/* Restore only section host/… or only section stage/…. */
int instance_state_restore_host(struct instance *i, const struct snapshot *from, bool reset);
int instance_state_restore_stage(struct instance *i, const struct snapshot *from);
/* Merges the stage's state in the snapshot into the instance's current state. */
int instance_state_merge_stage(struct instance *i, const struct snapshot *from, double weight);
/* Gives back the memory that a complete state does not need. */
void instance_state_trim(struct instance_state *s);
void instance_state_free(struct instance_state *s);

/* Writes section `run`; with `learned`, without the time and the dead letters' length. Returns
 * LEAT_OK or LEAT_ENOMEM. */
int instance_state_run_write(struct state_writer *w, struct run *r, bool learned);
/* Reads section `run`. Returns LEAT_OK, or the status with which the run failed. */
int instance_state_run_read(struct run *r, const struct snapshot *from);

/* Iterates over all instances of a run. Zero the cursor first. instance_state_next() returns NULL
 * after the last instance. */
struct instance_cursor {
    uint32_t node, lane;
};
struct instance *instance_state_next(const struct run *r, struct instance_cursor *at);
uint32_t instance_state_count(const struct run *r);

#endif
