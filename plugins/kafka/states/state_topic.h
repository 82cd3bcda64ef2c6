/* state_topic.h -- writing states to their topic (states.h), and the topic itself.
 *
 * An idempotent producer that waits for all replicas; where a sink commits the checkpoints it
 * writes the states (position.h), and this only looks after the topic. All calls are on the stage's
 * thread; librdkafka's callbacks run inside them. */
#ifndef LEAT_KAFKA_STATES_STATE_TOPIC_H
#define LEAT_KAFKA_STATES_STATE_TOPIC_H

#include <leat/plugin.h>

#include "kafka/client/client.h"
#include "states.h"

struct state_topic {
    rd_kafka_t *rk;
    const char *topic;
    size_t max_message;
    int32_t partitions; /* 0: not known yet */
    bool made;          /* by us */
    bool controlled;    /* there is a broker to ask about topics: librdkafka's mock has none */
    char *message;      /* of max_message bytes and a header */
    uint64_t sent, confirmed;
    char why[400]; /* the first message that will never arrive */
};

/* NULL, or what is wrong with these, found without a network; written to text. */
const char *state_topic_wrong(const char *brokers, const struct leat_strings *properties,
                              int64_t max_message, char *text, size_t cap);

/* LEAT_OK, or a failure told to the host. Afterwards always close it. */
int state_topic_open(struct leat_ctx *ctx, struct state_topic *t, const char *brokers,
                     const char *topic, const struct leat_strings *properties, int64_t max_message);
void state_topic_close(struct leat_ctx *ctx, struct state_topic *t);

/* Make the topic if there is none; refuse one that is not compacted. LEAT_OK; LEAT_AGAIN: no broker
 * has answered, ask again; or a failure told to the host. */
int state_topic_prepare(struct leat_ctx *ctx, struct state_topic *t);

/* Send a state; state_topic_wait waits until all that was sent has arrived. LEAT_OK, or a failure
 * told to the host. */
int state_topic_send(struct leat_ctx *ctx, struct state_topic *t, struct states_out *o);
int state_topic_wait(struct leat_ctx *ctx, struct state_topic *t);

#endif
