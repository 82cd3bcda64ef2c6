/* rebalance.h -- which partitions a consumer reads: those that the group assigns to it, until the
 * group takes them away; without a group, all partitions of the topics.
 *
 * Eager (range, roundrobin): the group takes all partitions away and assigns all anew. Cooperative
 * (cooperative-sticky): it names only those that move, and the others are read on. librdkafka
 * fetches nothing between its report and the answer to it, so the answer comes as soon as the
 * partitions that leave are committed.
 *
 *     eager          revoked [0 1 2 3]          assigned [0 1]
 *     cooperative    revoked [2 3] leaving      assigned []       0 and 1 are never given back
 *
 * librdkafka reports both inside a poll, where they are only noted. It then waits, and the consumer
 * stays in the group, until it is answered. What the consumer owes is a state:
 *
 *   IDLE         no answer
 *   GIVEN        `given` is to be assigned; until then nothing is read
 *   REVOKED      `revoked` is to be released, as soon as it is committed
 *   COMMITTING   as REVOKED; a checkpoint was requested for that
 *   CLOSED       the consumer leaves the group: reports are answered at once
 *
 *   event       by whom                                    transition
 *   GIVE        the group; a topic has more partitions     IDLE GIVEN          -> GIVEN
 *   ASSIGN      rebalance_assign: it is answered           GIVEN               -> IDLE
 *   REVOKE      the group                                  IDLE GIVEN REVOKED COMMITTING -> REVOKED
 *   REQUEST     rebalance_waits                            REVOKED             -> COMMITTING
 *   UNCUT       rebalance_committed: the checkpoint was    COMMITTING          -> REVOKED
 *               cut before the last messages
 *   RELEASE     rebalance_release: it is answered          REVOKED COMMITTING  -> IDLE
 *   CLOSE       rebalance_close                            all                 -> CLOSED
 *
 * A partition that is taken away is LEAVING (partitions.h) until its messages are durable and its
 * offset is committed, or a deadline has passed. Partitions that others have already are released
 * at once, uncommitted: where a sink commits, the run rolls back then.
 */
#ifndef LEAT_KAFKA_SOURCE_REBALANCE_H
#define LEAT_KAFKA_SOURCE_REBALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct consumer;

enum rebalance_state {
    REBALANCE_IDLE,
    REBALANCE_GIVEN,
    REBALANCE_REVOKED,
    REBALANCE_COMMITTING,
    REBALANCE_CLOSED,
    REBALANCE_STATES
};

struct rebalance {
    enum rebalance_state state;
    bool cooperative;
    rd_kafka_topic_partition_list_t *given;   /* to be assigned; or NULL                       */
    rd_kafka_topic_partition_list_t *revoked; /* to be released; or NULL                       */
    uint64_t deadline;                        /* REVOKED, COMMITTING: monotonic ns             */
    uint64_t look_at; /* when to ask for the cluster's topics, monotonic ns; 0: not yet begun */
};

/* True if partitions are to be released once they are committed. */
static inline bool rebalance_is_releasing(const struct rebalance *r)
{
    return r->state == REBALANCE_REVOKED || r->state == REBALANCE_COMMITTING;
}
/* True if messages may be read. A cooperative group reads on while partitions leave. */
static inline bool rebalance_may_read(const struct rebalance *r)
{
    return !r->given && (r->state == REBALANCE_IDLE || r->cooperative);
}

/* For consumer_open: the group assigns partitions, or takes them away. */
void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self);
/* Without a group: gives the consumer all partitions, once. Returns false if the cluster does not
 * know one of the topics yet. */
bool rebalance_give_all(struct leat_ctx *ctx, struct consumer *c);
/* The stage's tick. Without a group: gives all partitions again if a topic has more. With one: if
 * nothing is assigned, looks whether a topic that was read is deleted. */
void rebalance_tick(struct leat_ctx *ctx, struct consumer *c);

/* GIVEN: reads the partitions from where offsets_find says. Unless the group is cooperative,
 * messages that were polled before belong to the previous assignment. */
void rebalance_assign(struct leat_ctx *ctx, struct consumer *c);
/* Reads on after STOPPED partitions; while the group waits for an answer, nothing. Call it before
 * each poll. */
void rebalance_resume(struct consumer *c);
/* REVOKED: requests the checkpoint, or releases the partitions if they are committed or late.
 * Returns true if they are still to be committed. */
bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c);
/* After a commit: releases the partitions if all that they delivered was cut. */
void rebalance_committed(struct consumer *c);
/* Before the consumer leaves the group. */
void rebalance_close(struct leat_ctx *ctx, struct consumer *c);

#endif
