/* claim.h -- what source.kafka claims for an epoch, for sink.kafka to commit in its transaction.
 *
 * The offsets, and the membership in the group they were read under, taken at the same moment: if
 * the group has given the partitions to someone else since, the cluster refuses both together.
 * Bytes, which never leave the process: length of the membership (u32) and itself as librdkafka
 * writes it; then for each partition its number (i32), offset (i64) and topic, ended by NUL.
 */
#ifndef SOURCES_KAFKA_CLAIM_H
#define SOURCES_KAFKA_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include <librdkafka/rdkafka.h>

struct claim {
    char *bytes;
    size_t n, cap;
};

/* In place of what it held; false: no memory. */
bool claim_write(struct claim *c, rd_kafka_t *consumer,
                 const rd_kafka_topic_partition_list_t *offsets);
void claim_free(struct claim *c);

/* Both for the caller to destroy; false: these bytes are no claim. */
bool claim_read(const char *bytes, size_t n, rd_kafka_consumer_group_metadata_t **member,
                rd_kafka_topic_partition_list_t **offsets);

#endif
