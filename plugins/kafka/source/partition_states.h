/* partition_states.h -- state = "partition": each assigned partition continues from its own state.
 *
 * The states are on the state topic. At every checkpoint the consumer publishes a partition's state
 * before it commits the offset; or the committing sink does both in its transaction.
 *
 * An assignment has three steps. It looks up the group's offsets and the newest states of its
 * partitions. It begins reading at the states' offsets. It gives the host the states, each for its
 * own input. All calls are on the stage's thread.
 *
 * The state's offset counts, not the group's. A state is never older than the group's offset,
 * because it is published first, or together with it. If it is older, or missing, states were lost,
 * or never stored: `missing` decides then. Without transactions an older state is used
 * nevertheless: the messages that are read again are in no other state. */
#ifndef LEAT_KAFKA_SOURCE_PARTITION_STATES_H
#define LEAT_KAFKA_SOURCE_PARTITION_STATES_H

#include "consumer.h"
#include "kafka/states/state_topic.h"

struct partition_states {
    struct state_topic topic;
    bool down; /* reported that no broker answers */
};

int partition_states_open(struct leat_ctx *ctx, struct partition_states *s,
                          const struct consumer *c, int64_t max_message);
void partition_states_close(struct leat_ctx *ctx, struct partition_states *s);

/* Assigns the partitions that the group has given, if any, and begins their shards. Returns LEAT_OK
 * if messages may be read; LEAT_AGAIN if not yet; or a failure reported to the host. */
int partition_states_assign(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c);

/* Publishes the states of a durable checkpoint for partitions whose states on the topic are older.
 * A committing sink has committed before. Returns LEAT_OK when they have arrived, or a failure
 * reported to the host. */
int partition_states_publish(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c,
                             uint64_t checkpoint);
/* Adds the states that the sink must publish to c->position, at the barrier. Returns LEAT_OK, or a
 * failure reported to the host. */
int partition_states_position(struct leat_ctx *ctx, const struct partition_states *s,
                              struct consumer *c);

#endif
