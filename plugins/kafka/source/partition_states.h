/* partition_states.h -- state = "partition": each assigned partition continues from its own state.
 *
 * The states are on the state topic. At every checkpoint the consumer publishes the state of each
 * partition and then commits its offset. If a sink commits, it does both in its transaction.
 *
 * An assignment has three steps. It looks up the group's offsets and the newest states of the
 * partitions. It begins reading at the offsets of the states. It gives the host each partition's
 * state. All calls are on the stage's thread.
 *
 * The state's offset decides, not the group's. The state is never older than the group's offset,
 * because it is published first, or together with the offset. If it is older or missing, states
 * were lost or never stored, and the parameter `missing` decides. Without transactions an older
 * state is used nevertheless. The messages after it are read again, and no other state contains
 * them. */
#ifndef LEAT_KAFKA_SOURCE_PARTITION_STATES_H
#define LEAT_KAFKA_SOURCE_PARTITION_STATES_H

#include "consumer.h"
#include "kafka/states/state_topic.h"

struct partition_states {
    struct state_topic topic;
    bool down;        /* the log has said that no broker answers */
    uint32_t counted; /* partitions that the host counts memory for */
};

int partition_states_open(struct leat_ctx *ctx, struct partition_states *s,
                          const struct consumer *c, int64_t max_message);
void partition_states_close(struct leat_ctx *ctx, struct partition_states *s);

/* Assigns the partitions that the group has given, if any, and gives the host their states. Returns
 * LEAT_OK if messages may be read; LEAT_AGAIN if not yet; or a failure reported to the host. */
int partition_states_assign(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c);

/* Publishes the states of a durable checkpoint, except for partitions whose state has not changed.
 * If a sink has published the states in its transaction, only marks them as published. Returns
 * LEAT_OK when the states have arrived, or a failure reported to the host. */
int partition_states_publish(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c,
                             uint64_t checkpoint);
/* Adds to c->position, at the barrier, the states that the sink must publish. Returns LEAT_OK, or a
 * failure reported to the host. */
int partition_states_position(struct leat_ctx *ctx, const struct partition_states *s,
                              struct consumer *c);

#endif
