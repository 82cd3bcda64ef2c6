/* offsets.h -- finds where reading a partition begins, and detects a topic that was made again.
 *
 * Reading begins where this run left the partition: at the offset of its state, or of the process's
 * state. Without one it begins at the group's offset, and without that at `start`. The group's
 * offset wins over a snapshot if other members have read on since, or if a sink commits it
 * (position.h): messages that others have committed must be neither read again nor skipped. A
 * request that no broker answers is repeated: silence does not mean that there is no offset.
 *
 * A topic that was deleted and made again has other messages under the same offsets. No version of
 * the protocol in librdkafka 2.0 tells the two apart. So when reading continues at an offset, the
 * last message before it is read again and compared. While reading goes on, the consumer asks the
 * cluster for the first message of a certain time: in one log its offset never falls. */
#ifndef LEAT_KAFKA_SOURCE_OFFSETS_H
#define LEAT_KAFKA_SOURCE_OFFSETS_H

#include "consumer.h"

/* Fills in the group's offsets of these partitions; negative if there is none, or no group. Returns
 * false if the consumer has failed, or the run was stopped meanwhile. */
bool offsets_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in the offsets where assigned partitions begin. Returns false like offsets_committed. */
bool offsets_find(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in the offsets of `start`, in partitions that have none yet. Returns false like
 * offsets_committed. */
bool offsets_by_start(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Finds the first offset of a log, and the offset of its next message. (librdkafka's
 * query_watermark_offsets returns the latter for both if the broker has answered only one
 * question.) */
rd_kafka_resp_err_t offsets_of_log(struct consumer *c, const char *topic, int32_t number,
                                   int64_t *first, int64_t *next);
/* Writes a sentence for messages: the first and last offset in a partition's log now. */
void offsets_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                          size_t cap);

/* Makes reading at t begin with the message before it, if that is known. */
void offsets_expect(struct consumer *c, rd_kafka_topic_partition_t *t);
/* Compares a message with the expected one. Returns LEAT_OK, or a failure reported to the host if
 * they differ. */
int offsets_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m);
/* Asks the cluster, at a barrier, for the first messages of certain times. Returns LEAT_OK, or a
 * failure reported to the host. */
int offsets_sample(struct leat_ctx *ctx, struct consumer *c);
void offsets_close(struct leat_ctx *ctx, struct consumer *c);

#endif
