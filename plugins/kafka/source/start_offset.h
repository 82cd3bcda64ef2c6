/* start_offset.h -- where reading a partition begins: where this run left it (from the state of
 * this process, or of the partition), else where the group did, else where `start` says.
 *
 * The group's offset counts instead where other members have read on since, and wherever a sink
 * commits it (position.h), whatever a snapshot says: what others have committed meanwhile must not
 * be read again, and nothing may be left out.
 *
 * A request that no broker answers is repeated: no answer does not mean "there is no offset". */
#ifndef LEAT_KAFKA_SOURCE_START_OFFSET_H
#define LEAT_KAFKA_SOURCE_START_OFFSET_H

#include "consumer.h"

/* What is wrong with the entry `which` of a list of "topic/partition=offset", a predicate; NULL:
 * nothing is. */
const char *start_offset_list_wrong(const struct leat_strings *offsets, uint32_t *which);

/* Fills in the group's offsets of these partitions; negative: it has none, or there is no group.
 * false: the consumer has failed, or the run was stopped meanwhile. */
bool start_offset_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Fills in the offsets where partitions that are assigned begin. false: nothing can be read: the
 * consumer has failed, or the run was stopped meanwhile. */
bool start_offset_find(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Fills in where `start` says to begin, in partitions that have no offset yet. false: the consumer
 * has failed, or the run was stopped meanwhile. */
bool start_offset_others(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* The first offset of a log, and the one that its next message will have. (librdkafka's
 * query_watermark_offsets gives that for both when the broker has answered one of them only.) */
rd_kafka_resp_err_t start_offset_log_ends(struct consumer *c, const char *topic, int32_t number,
                                          int64_t *first, int64_t *next);

/* For messages, a sentence: from which to which offset a partition's log goes now. */
void start_offset_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                               size_t cap);

#endif
