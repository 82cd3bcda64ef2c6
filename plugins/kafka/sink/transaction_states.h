/* transaction_states.h -- the states that a source positions (../../sources/kafka/position.h), as messages
 * of the checkpoint's transaction: they are there if and only if its results and offsets are. */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_STATES_H
#define LEAT_KAFKA_SINK_TRANSACTION_STATES_H

#include "kafka/client/producer.h"

struct transaction_states {
    rd_kafka_topic_t *topic; /* of the states, with settings of its own; NULL: none came yet */
    uint64_t sent;           /* messages */
};

/* Sends what the positions name, through `buf` of at least max_message + STATES_HEADER bytes.
 * LEAT_OK: all is sent, or p->why says why it cannot be; or a failure told to the run. */
int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *given, uint32_t n,
                            char *buf, size_t max_message);
/* Before the producer. */
void transaction_states_close(struct transaction_states *s);

#endif
