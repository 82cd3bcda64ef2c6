/* offsets.h -- where reading a partition begins, and whether its offsets still mean the same
 * messages.
 *
 * Reading begins where this run left the partition (by the state of this process, or of the
 * partition), else where the group did, else where `start` says. The group's offset counts instead
 * where other members have read on since, and wherever a sink commits it (position.h), whatever a
 * snapshot says: messages that others have committed must not be read again, and none may be left
 * out. A request that no broker answers is repeated: no answer does not mean "there is no offset".
 *
 * A topic that is deleted and created again has other messages under the same offsets, and no
 * version of the protocol that librdkafka 2.0 speaks tells the two apart. So when reading continues
 * at an offset, the last message before it is read again and compared. While reading goes on, the
 * cluster is asked for the first message of a certain time: in one and the same log its offset
 * never falls. */
#ifndef LEAT_KAFKA_SOURCE_OFFSETS_H
#define LEAT_KAFKA_SOURCE_OFFSETS_H

#include "consumer.h"

/* Fills in the group's offsets of these partitions; negative where there is none, or no group.
 * Returns false if the consumer has failed, or the run was stopped meanwhile. */
bool offsets_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in the offsets where assigned partitions begin. Returns false as offsets_committed. */
bool offsets_find(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in where `start` says to begin, in partitions that have no offset yet. Returns false as
 * offsets_committed. */
bool offsets_by_start(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Finds the first offset of a log, and the one that its next message will have. (librdkafka's
 * query_watermark_offsets gives that for both when the broker has answered one of them only.) */
rd_kafka_resp_err_t offsets_of_log(struct consumer *c, const char *topic, int32_t number,
                                   int64_t *first, int64_t *next);
/* Writes a sentence for messages: from which to which offset a partition's log goes now. */
void offsets_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                          size_t cap);

/* Begins to read at t with the message before it, if that is known. */
void offsets_expect(struct consumer *c, rd_kafka_topic_partition_t *t);
/* Compares a message that came. Returns LEAT_OK, or a failure reported to the host if it is not the
 * expected one. */
int offsets_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m);
/* At a barrier: asks the cluster for the first messages of certain times. Returns LEAT_OK, or a
 * failure reported to the host. */
int offsets_sample(struct leat_ctx *ctx, struct consumer *c);
void offsets_close(struct leat_ctx *ctx, struct consumer *c);

#endif
