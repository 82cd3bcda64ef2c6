/* partition_states.h -- state = "partition": each assigned partition goes on from its own state on
 * the state topic, and publishes it at every checkpoint before its offset is committed, or has the
 * committing sink do both in its transaction.
 *
 * An assignment is settled in three steps: the group's offsets and the newest states of its
 * partitions are looked up; the partitions are read from those states' offsets; and the host is
 * given the states, each for an input of its own. All calls are on the stage's thread.
 *
 * Of the two the state counts. It is never before the group's offset: it is published first, or
 * together with it. Where it is, or is not there at all, states were lost, or never kept; what then
 * is the user's to say (`missing`). Without transactions a state that is before is followed all the
 * same: what was read twice is in no other state. */
#ifndef LEAT_KAFKA_STATES_PARTITION_STATES_H
#define LEAT_KAFKA_STATES_PARTITION_STATES_H

#include "kafka/source/consumer.h"
#include "state_topic.h"

struct partition_states {
    struct state_topic topic;
    bool down;
};

int partition_states_open(struct leat_ctx *ctx, struct partition_states *h,
                          const struct consumer *c, int64_t max_message);
void partition_states_close(struct leat_ctx *ctx, struct partition_states *h);

/* What is given to be settled, if anything. LEAT_OK: there is nothing left to do; LEAT_AGAIN: not
 * yet, nothing may be read; or a failure told to the host. */
int partition_states_assign(struct leat_ctx *ctx, struct partition_states *h, struct consumer *c);

/* The states of the checkpoint that is durable, of all partitions that have moved on since their
 * last. LEAT_OK: they have arrived; or a failure told to the host. Where a sink commits they have
 * already.
 */
int partition_states_publish(struct leat_ctx *ctx, struct partition_states *h, struct consumer *c,
                             uint64_t checkpoint);
/* At the barrier: which the sink is to publish. LEAT_OK, or a failure told to the host. */
int partition_states_position(struct leat_ctx *ctx, const struct partition_states *h,
                              struct consumer *c);

#endif
