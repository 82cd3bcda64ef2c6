/* partition_states.h -- state = "partition": each assigned partition continues from its own state
 * on the state topic. It publishes that state at every checkpoint before its offset is committed;
 * or the committing sink does both in its transaction.
 *
 * An assignment takes three steps: the group's offsets and the newest states of its partitions are
 * looked up; reading begins at those states' offsets; and the host gets the states, each for an
 * input of its own. All calls are on the stage's thread.
 *
 * The state counts, not the group's offset. A state is never older than that offset: it is
 * published first, or together with it. Where it is older, or missing, states were lost, or never
 * kept: `missing` says what to do then. Without transactions an older state is used nevertheless:
 * messages that are read twice then are in no other state. */
#ifndef LEAT_KAFKA_SOURCE_PARTITION_STATES_H
#define LEAT_KAFKA_SOURCE_PARTITION_STATES_H

#include "consumer.h"
#include "kafka/states/state_topic.h"

struct partition_states {
    struct state_topic topic;
    bool down; /* it was reported that no broker answers */
};

int partition_states_open(struct leat_ctx *ctx, struct partition_states *s,
                          const struct consumer *c, int64_t max_message);
void partition_states_close(struct leat_ctx *ctx, struct partition_states *s);

/* Assigns the partitions that the group has given, if any, and begins their shards. Returns LEAT_OK
 * if messages may be read; LEAT_AGAIN if not yet; or a failure reported to the host. */
int partition_states_assign(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c);

/* Publishes the states of a durable checkpoint, for partitions whose states on the topic are older.
 * A sink that commits has committed before. Returns LEAT_OK when they have arrived, or a failure
 * reported to the host. */
int partition_states_publish(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c,
                             uint64_t checkpoint);
/* At the barrier: adds the states that the sink is to publish to c->position. Returns LEAT_OK, or a
 * failure reported to the host. */
int partition_states_position(struct leat_ctx *ctx, const struct partition_states *s,
                              struct consumer *c);

#endif
