/* checkpoint_inside.h -- what checkpoint.c (the thread, and the life of it all),
 * checkpoint_barriers.c (what workers do) and checkpoint_file.c (what is on disk) share; for no
 * other file. */
#ifndef LEAT_HOST_CHECKPOINT_CHECKPOINT_INSIDE_H
#define LEAT_HOST_CHECKPOINT_CHECKPOINT_INSIDE_H

#include "checkpoint.h"
#include "host/exec/hooks.h"

/* ---- checkpoint.c ---- */

/* Workers that have not handed in for the last time. mu held. */
uint32_t checkpoint_at_work(const struct checkpoints *c);
/* Have as many records come since the last checkpoint as an interval has? */
bool checkpoint_records_due(const struct checkpoints *c);
/* The run is asked to end: wakes sources that wait for others. */
void checkpoint_stopping(struct run *r);
/* Tell a source, on its thread or once that has ended, of a checkpoint that is over. */
void checkpoint_tell(struct checkpoints *c, struct instance *source);

/* ---- checkpoint_barriers.c ---- */

extern const struct checkpoint_hooks checkpoint_barriers;

/* Where sources send the barrier of a checkpoint that opens now. mu held. */
double checkpoint_cut(const struct checkpoints *c);

/* ---- checkpoint_file.c; no thread and no lock of its own ---- */

/* All instances of a run, one after the other, from a zeroed cursor; NULL after the last. */
struct instance_cursor {
    uint32_t node, lane;
};
struct instance *checkpoint_next_instance(const struct run *r, struct instance_cursor *at);
uint32_t checkpoint_count_instances(const struct run *r);

/* Is the stage to restart (--reset)? */
bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n);
/* Does the stage take over the state that the snapshot has under its former id? */
bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from);
/* Does it restart in the run that continues: is it to, or has it changed? */
bool checkpoint_restarts(const struct checkpoints *c, const struct node *n);
/* Is it the same pipeline as the one of these states? LEAT_OK, LEAT_EARG (reported to d: what it is
 * of is `what`), or a failure of the run. */
int checkpoint_compare(struct checkpoints *c, const struct snapshot *from, const char *what,
                       struct diag *d);

/* Before a run: may it continue from the snapshot? Problems go to d; what has changed of stages
 * that may, to `free`. */
void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d);

/* The same where there is no snapshot yet: names of --reset that no stage has. LEAT_OK, or
 * LEAT_EARG, reported. */
int checkpoint_check_resets(const struct graph *g, const struct checkpoint_options *o,
                            struct diag *d);

/* Opens the directory and checks that all stages can be saved. LEAT_OK (also without a
 * directory), or a failure of the run. */
int checkpoint_open_dir(struct checkpoints *c);
/* Puts the newest snapshot's states into the opened, not yet started instances. LEAT_OK, also when
 * there is none; LEAT_EOS (stopped meanwhile), LEAT_EARG (reported to d) or a failure of the
 * run. */
int checkpoint_resume(struct checkpoints *c, struct diag *d);
/* Writes the snapshot of a checkpoint, all states being handed in; without a directory only packs
 * the states of shards. `transaction`: what will commit it, or NULL. LEAT_OK, or a failure: its
 * reason is in dir.error, or the run has failed. */
int checkpoint_write(struct checkpoints *c, uint64_t checkpoint, const char *transaction);

#endif
