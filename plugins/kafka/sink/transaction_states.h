/* transaction_states.h -- the states that a source's position names, as messages of the
 * checkpoint's transaction: they are on their topic if and only if its results and offsets are
 * committed. */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_STATES_H
#define LEAT_KAFKA_SINK_TRANSACTION_STATES_H

#include "kafka/client/producer.h"

struct transaction_states {
    rd_kafka_topic_t *topic; /* of the states, with settings of its own; NULL: none came yet */
    uint64_t sent;           /* messages */
};

/* Sends the states that `positions` name, through `buf` of at least max_message + STATES_HEADER
 * bytes. LEAT_OK: all are sent, or p->why says why not; or a failure reported to the host. */
int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *positions, uint32_t n,
                            char *buf, size_t max_message);
/* To be called before the producer is closed. */
void transaction_states_close(struct transaction_states *s);

#endif
