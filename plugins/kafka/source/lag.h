/* lag.h -- how many messages the partitions of this process have that are not delivered yet: the
 * ends of their logs, which librdkafka learns with messages, less the next offset to read. */
#ifndef LEAT_KAFKA_SOURCE_LAG_H
#define LEAT_KAFKA_SOURCE_LAG_H

#include "consumer.h"

/* Tells the host: all partitions together, and the worst of them. Where a partition's end or offset
 * is not known yet, neither is the total. Asks no broker. */
void lag_tell(struct leat_ctx *ctx, const struct consumer *c);

#endif
