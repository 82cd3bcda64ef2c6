/* matched_topics.h -- topics that only a regular expression names: one that is deleted is reported
 * and the others are read on; the run ends when none is left that matches.
 */
#ifndef LEAT_KAFKA_SOURCE_MATCHED_TOPICS_H
#define LEAT_KAFKA_SOURCE_MATCHED_TOPICS_H

#include "consumer.h"

/* What librdkafka reports of a partition that is gone begins with its topic: is this one that is
 * read and that `topics` does not list by its name? */
bool matched_topics_has(const struct consumer *c, const char *reason);

/* The group assigns these partitions: asks the cluster for topics that were read before and are not
 * among them. Blocks for up to a second then. */
void matched_topics_assigned(struct consumer *c, const rd_kafka_topic_partition_list_t *list);
/* The stage's tick: nothing may be assigned because no topic is left that matches. */
void matched_topics_look(struct leat_ctx *ctx, struct consumer *c);

#endif
