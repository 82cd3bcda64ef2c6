/* offsets.h -- finds where reading a partition begins, and detects a topic that was made again.
 *
 * Reading begins at the offset in the state: the partition's state or the snapshot. If the state
 * has no offset, reading begins at the group's offset. If there is none either, the parameter
 * `start` decides. The group's offset replaces the snapshot's if other members have read on since,
 * or if a sink commits the offsets (position.h): committed messages must not be read again.
 * Unanswered requests are repeated, because a missing answer does not mean that there is no offset.
 *
 * A topic that was deleted and created again has other messages at the same offsets. The protocol
 * of librdkafka 2.0 cannot tell the two topics apart. So before reading continues at an offset, the
 * message before it is read again and compared. During the run, the consumer asks the cluster for
 * the offset of the first message since a certain time. In one log this offset never falls. */
#ifndef LEAT_KAFKA_SOURCE_OFFSETS_H
#define LEAT_KAFKA_SOURCE_OFFSETS_H

#include "consumer.h"

/* Fills in the group's offsets of the partitions; negative if there is no offset or no group.
 * Returns false if the consumer has failed, or the run was stopped meanwhile. */
bool offsets_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in the offsets at which to begin reading the partitions. Returns false if the consumer has
 * failed, or the run was stopped meanwhile. */
bool offsets_find(struct consumer *c, rd_kafka_topic_partition_list_t *list);
/* Fills in the offsets that the parameter `start` defines, for partitions without an offset.
 * Returns false if the consumer has failed, or the run was stopped meanwhile. */
bool offsets_by_start(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Function of librdkafka that looks up the offsets of a list. */
typedef rd_kafka_resp_err_t (*offsets_request)(rd_kafka_t *, rd_kafka_topic_partition_list_t *,
                                               int ms);
/* Replaces the offsets of `list`, which are the arguments of the request, by the answers. Repeats
 * the request, of `what`, while no broker answers. Returns false if the consumer has failed, or the
 * run was stopped meanwhile. */
bool offsets_ask(struct consumer *c, rd_kafka_topic_partition_list_t *list, offsets_request how,
                 const char *what);
/* Replaces the times of `list`, ms since 1970, by the offsets of the first messages since then;
 * RD_KAFKA_OFFSET_END if there are none. Fails the consumer if the cluster knows no times, with
 * what to set instead. */
bool offsets_of_times(struct consumer *c, rd_kafka_topic_partition_list_t *list,
                      const char *instead);
/* Finds the offset of the first message of a log, and the offset that its next message will get.
 * Replaces librdkafka's query_watermark_offsets, which returns the second offset for both if the
 * broker has answered only one of its two requests. */
rd_kafka_resp_err_t offsets_of_log(struct consumer *c, const char *topic, int32_t number,
                                   int64_t *first, int64_t *next);
/* Writes a part of a sentence: the first and last offset of a log. */
void offsets_write_log(int64_t first, int64_t next, char *text, size_t cap);
/* Asks for the log of a partition, and writes what offsets_write_log() does. */
void offsets_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                          size_t cap);

/* Makes reading begin with the last message before t->offset, if that message is known.
 * offsets_check() then compares it. */
void offsets_expect(struct consumer *c, rd_kafka_topic_partition_t *t);
/* Compares the first message that is read with p->expected. If they differ, the topic is a new one:
 * returns a failure reported to the host; otherwise LEAT_OK. */
int offsets_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m);
/* Checks at a barrier that each topic is still the same one, by its answers for sample_time
 * (partitions.h). Returns LEAT_OK, or a failure reported to the host. */
int offsets_sample(struct leat_ctx *ctx, struct consumer *c);
void offsets_close(struct leat_ctx *ctx, struct consumer *c);

#endif
