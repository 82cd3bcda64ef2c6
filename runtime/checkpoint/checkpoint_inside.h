/* checkpoint_inside.h -- what checkpoint.c (when) and checkpoint_file.c (what is on disk) share;
 * for no other file. */
#ifndef LEAT_CHECKPOINT_CHECKPOINT_INSIDE_H
#define LEAT_CHECKPOINT_CHECKPOINT_INSIDE_H

#include "checkpoint.h"

/* All instances of a run, one after the other, from a zeroed cursor; NULL behind the last. */
struct cursor {
    uint32_t node, lane;
};
struct instance *next_instance(const struct run *r, struct cursor *c);

/* The snapshot of a checkpoint, or of shards the states, all being handed in; `transaction`: what
 * will commit it, or NULL. LEAT_OK, or a failure: its reason is in dir.error, or told to the run.
 * */
int checkpoint_write(struct checkpoints *e, uint64_t checkpoint, const char *transaction);

#endif
