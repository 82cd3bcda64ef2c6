/* state_topic.h -- the topic of the states (states.h), and how they are written to it.
 *
 * An idempotent producer that waits for all replicas. Where a sink commits the checkpoints it
 * writes the states in its transaction, and this only looks after the topic. All calls are on the
 * stage's thread. */
#ifndef LEAT_KAFKA_STATES_STATE_TOPIC_H
#define LEAT_KAFKA_STATES_STATE_TOPIC_H

#include "kafka/client/producer.h"
#include "states.h"

struct state_topic {
    struct producer producer;
    const char *topic;
    const char *like; /* the topic that is read: states have as many copies */
    size_t max_message;
    int32_t copies;     /* of that topic; 0: not known                                    */
    int32_t partitions; /* 0: not known yet                                              */
    bool made;          /* this run made the topic                                       */
    bool controlled;    /* there is a broker to ask about topics: librdkafka's mock has none */
    char *message;      /* of STATES_HEADER + max_message bytes                          */
};

/* Returns LEAT_OK, or a failure reported to the host. Afterwards always close it. `like` is a
 * topic, or a pattern, of messages. */
int state_topic_open(struct leat_ctx *ctx, struct state_topic *t, const char *brokers,
                     const char *topic, const char *like, const struct leat_strings *properties,
                     int64_t max_message);
void state_topic_close(struct leat_ctx *ctx, struct state_topic *t);

/* Makes the topic if there is none; refuses one that is not compacted. Returns LEAT_OK; LEAT_AGAIN
 * if no broker has answered; or a failure reported to the host. */
int state_topic_prepare(struct leat_ctx *ctx, struct state_topic *t);

/* Sends a state. Returns LEAT_OK, or a failure reported to the host. */
int state_topic_send(struct leat_ctx *ctx, struct state_topic *t, struct states_out *o);
/* Waits until all states have arrived. Returns LEAT_OK, or a failure reported to the host. */
int state_topic_wait(struct leat_ctx *ctx, struct state_topic *t);

/* Sends a state by any producer, through `buf` of STATES_HEADER + max_part bytes. Returns how many
 * messages were sent; if not all, p->why says why. */
uint64_t state_topic_send_by(struct leat_ctx *ctx, struct producer *p, const char *topic,
                             int32_t partitions, struct states_out *o, char *buf);

#endif
