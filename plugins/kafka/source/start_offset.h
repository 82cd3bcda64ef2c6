/* start_offset.h -- where reading a partition begins: where the run left it (the state of this process, or
 * of the partition), else where the group has, else where `start` says.
 *
 * Where a sink commits the group's offsets come first: what others have committed meanwhile must
 * not be read again, nor anything be left out, whatever a snapshot says.
 *
 * An answer that a broker does not give is asked for again, and never taken for "there is none". */
#ifndef LEAT_KAFKA_SOURCE_START_OFFSET_H
#define LEAT_KAFKA_SOURCE_START_OFFSET_H

#include "consumer.h"

/* What is wrong with a list of "topic/partition=offset": NULL, or words about the entry `which`. */
const char *start_offset_list_wrong(const struct leat_strings *offsets, uint32_t *which);

/* The group's offsets of these partitions; below 0: it has none, or there is no group. false: the
 * consumer has failed, or the run was stopped meanwhile. */
bool start_offset_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* Fills in the offsets of partitions that are assigned. false: nothing can be read, for the
 * consumer has failed, or the run was stopped meanwhile. */
bool start_offset_find(struct consumer *c, rd_kafka_topic_partition_list_t *list);

/* The first offset of a log, and the one that its next message will have. (librdkafka's
 * query_watermark_offsets gives that for both when the broker has answered one of them only.) */
rd_kafka_resp_err_t start_offset_log_ends(struct consumer *c, const char *topic, int32_t number,
                                          int64_t *first, int64_t *next);

/* Words for messages: from where to where a partition's log goes now. */
void start_offset_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                               size_t cap);

#endif
