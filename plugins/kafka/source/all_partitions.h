/* all_partitions.h -- without a group nobody assigns partitions: a consumer reads all of them. */
#ifndef LEAT_KAFKA_SOURCE_ALL_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_ALL_PARTITIONS_H

#include "consumer.h"

/* Gives the consumer all partitions (rebalance_give). false: a topic has none yet. */
bool all_partitions_give(struct consumer *c);
/* Now and then: gives them again when a topic has more than it had. */
void all_partitions_look_again(struct leat_ctx *ctx, struct consumer *c);
/* When to ask the cluster for its topics again, ns; UINT64_MAX: never. */
uint64_t all_partitions_next_look(const struct consumer *c);

#endif
