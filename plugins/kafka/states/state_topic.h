/* state_topic.h -- creates and checks the topic of the states (states.h), and writes states to it.
 *
 * The producer is idempotent and waits for all replicas. If a sink commits the checkpoints, the
 * sink writes the states in its transaction, and this module only creates and checks the topic. All
 * calls are on the stage's thread. */
#ifndef LEAT_KAFKA_STATES_STATE_TOPIC_H
#define LEAT_KAFKA_STATES_STATE_TOPIC_H

#include "kafka/client/producer.h"
#include "states.h"

struct state_topic {
    struct producer producer;
    const char *topic;
    const char *like; /* topic of the messages; the state topic gets as many replicas */
    size_t max_message;
    int32_t copies;     /* replicas of topic `like`; 0 if unknown */
    int32_t partitions; /* partitions of the state topic; 0 if unknown */
    bool made;          /* this run created the topic */
    /* The cluster has a controller, which describes topics. librdkafka's mock has none. */
    bool controlled;
    char *message; /* buffer of STATES_HEADER + max_message bytes */
};

/* Opens a producer of states. Returns LEAT_OK, or a failure reported to the host. Always call
 * state_topic_close(). `like` is a topic of messages, or a regular expression. */
int state_topic_open(struct leat_ctx *ctx, struct state_topic *t, const char *brokers,
                     const char *topic, const char *like, const struct leat_strings *properties,
                     int64_t max_message);
void state_topic_close(struct leat_ctx *ctx, struct state_topic *t);

/* Creates the topic if it is missing; refuses a topic that is not compacted. Returns LEAT_OK;
 * LEAT_AGAIN if no broker has answered; or a failure reported to the host. */
int state_topic_prepare(struct leat_ctx *ctx, struct state_topic *t);

/* Sends a state in one or more messages. Returns LEAT_OK, or a failure reported to the host. */
int state_topic_send(struct leat_ctx *ctx, struct state_topic *t, struct states_out *o);
/* Waits until the cluster has confirmed all states. Returns LEAT_OK, or a failure reported to the
 * host. */
int state_topic_wait(struct leat_ctx *ctx, struct state_topic *t);

/* Sends a state with the producer p. `buf` has STATES_HEADER + max_part bytes. Returns the number
 * of messages sent. If not all could be sent, p->why has the reason. */
uint64_t state_topic_send_by(struct leat_ctx *ctx, struct producer *p, const char *topic,
                             int32_t partitions, struct states_out *o, char *buf);

#endif
