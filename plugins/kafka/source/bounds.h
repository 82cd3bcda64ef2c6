/* bounds.h -- finds where reading a partition ends: the parameter `until`.
 *
 * A bound is an offset. A partition has ended when its position is there: after the message before
 * the bound, or at a later message, or at the end of its log. So neither a gap that compaction has
 * left at the bound nor a control record makes it wait. A bound is found once in a run, when the
 * partition is assigned for the first time. */
#ifndef LEAT_KAFKA_SOURCE_BOUNDS_H
#define LEAT_KAFKA_SOURCE_BOUNDS_H

#include "consumer.h"

/* Fails the consumer if `start` or `until` names a partition that does not exist. Warns if they
 * name some partitions and leave out others. Looks once in a run. Returns false if the consumer has
 * failed, or the run was stopped meanwhile. */
bool bounds_check(struct consumer *c, const rd_kafka_topic_partition_list_t *list);
/* Finds the bounds of partitions that have none yet. `list` has the offsets at which they begin.
 * Returns false if the consumer has failed, or the run was stopped meanwhile. */
bool bounds_find(struct consumer *c, const rd_kafka_topic_partition_list_t *list);
/* Stops fetching from partitions that have been read to their bounds. */
void bounds_pause(struct consumer *c);
/* Lets librdkafka fetch again from partitions that were assigned and are to be read further. */
void bounds_resume(struct consumer *c, const rd_kafka_topic_partition_list_t *list);

#endif
