/* rebalance.h -- which partitions a consumer reads: those that the group assigns to it, until the
 * group takes them away.
 *
 * Eager (range, roundrobin): the group takes all partitions away and assigns all anew. Cooperative
 * (cooperative-sticky): it names only those that move, and the others are read on: what is held of
 * them stays, and their next message is the one after the last that was received. librdkafka
 * fetches nothing between its report and the answer to it, so the answer comes as soon as what
 * leaves is committed.
 *
 *     eager          revoked [0 1 2 3]          assigned [0 1]
 *     cooperative    revoked [2 3] leaving      assigned []       0 and 1 are never given back
 *
 * librdkafka reports both inside a poll, where they are only noted; it then waits, and the consumer
 * stays in the group, until partitions are assigned (rebalance_assign) or released.
 *
 * Partitions that are taken away are kept until what was delivered of them is durable and
 * committed, or a deadline has passed; until then nothing is read of them (rebalance_waits,
 * partition.leaving). Partitions
 * that were lost already are released at once, uncommitted: where a sink commits, the run rolls
 * back then.
 */
#ifndef LEAT_KAFKA_SOURCE_REBALANCE_H
#define LEAT_KAFKA_SOURCE_REBALANCE_H

#include "consumer.h"

/* For client_open: the group assigns partitions, or takes them away. */
void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self);
/* These partitions are to be read, and no others, unless the group is cooperative; the list is
 * copied. */
void rebalance_give(struct consumer *c, const rd_kafka_topic_partition_list_t *list);

/* Reads the partitions that were given from where start_offset.h says. Unless the group is
 * cooperative, messages that were polled before are of the assignment before. */
void rebalance_assign(struct leat_ctx *ctx, struct consumer *c);
/* Reads all assigned partitions on from where they are; librdkafka had stopped reading one. While
 * the group waits for an answer, that is done after it (rebalance_read_later). */
void rebalance_read_on(struct consumer *c);
/* Before each poll. */
void rebalance_read_later(struct consumer *c);
/* Has all that was delivered of those that leave been cut by a barrier? */
bool rebalance_is_cut(const struct consumer *c);
/* Partitions are to be released, once they are committed: nothing of them may be read now. */
bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c);
/* Stops to read the partitions that are taken away. */
void rebalance_release(struct consumer *c);
/* Before the consumer leaves the group. */
void rebalance_close(struct consumer *c);

#endif
