/* claimed.h -- the states that a source claims (../../sources/kafka/claim.h), as messages of the
 * epoch's transaction: they are there if and only if its results and offsets are. */
#ifndef LEAT_KAFKA_CLAIMED_H
#define LEAT_KAFKA_CLAIMED_H

#include "producer.h"

struct claimed {
    rd_kafka_topic_t *topic; /* of the states, with settings of its own; NULL: none came yet */
    uint64_t sent;           /* messages */
};

/* Sends what the claims name, through `buf` of at least max_message + STATES_HEADER bytes. LEAT_OK:
 * all is sent, or p->why says why it cannot be; or a failure told to the run. */
int claimed_send(struct leat_ctx *ctx, struct claimed *s, struct producer *p, uint64_t epoch,
                 const struct leat_claim *given, uint32_t n, char *buf, size_t max_message);
/* Before the producer. */
void claimed_close(struct claimed *s);

#endif
