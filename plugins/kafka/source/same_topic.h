/* same_topic.h -- whether the offsets of a partition still mean the messages that they meant: a
 * topic that is deleted and created again has other messages under the same offsets, and no
 * version of the protocol that librdkafka 2.0 speaks tells the two apart.
 *
 * When reading continues at an offset, the last message before it is read again and compared.
 * While reading goes on, the cluster is asked which message is the first of a certain time: in one
 * and the same log that offset never falls. */
#ifndef LEAT_KAFKA_SOURCE_SAME_TOPIC_H
#define LEAT_KAFKA_SOURCE_SAME_TOPIC_H

#include "consumer.h"

/* A partition is about to be read from t: begins with the message before it, if one is known. */
void same_topic_expect(struct consumer *c, rd_kafka_topic_partition_t *t);
/* A message that came. LEAT_OK, or a failure reported to the host: it is not the expected one. */
int same_topic_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m);
void same_topic_close(struct consumer *c);
/* At a barrier: asks the cluster. LEAT_OK, or a failure reported to the host. */
int same_topic_sample(struct leat_ctx *ctx, struct consumer *c);

#endif
