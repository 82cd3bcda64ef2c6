/* rebalance.h -- decides which partitions a consumer reads, and answers its group.
 *
 * In a group, the consumer reads the partitions that the group assigns, until the group revokes
 * them. Without a group, it reads all partitions of its topics.
 *
 * Eager (range, roundrobin): the group revokes all partitions and assigns them anew. Cooperative
 * (cooperative-sticky): the group revokes only the partitions that move, and the consumer goes on
 * reading the others. After librdkafka has reported the change, it fetches nothing until the
 * consumer answers. So the consumer answers as soon as the offsets of the revoked partitions are
 * committed.
 *
 *     eager          revoked [0 1 2 3]          assigned [0 1]
 *     cooperative    revoked [2 3] leaving      assigned []       0 and 1 are never given back
 *
 * librdkafka reports assigned and revoked partitions inside a poll. The callback only notes them,
 * and the consumer answers later; meanwhile it stays in the group. The state tells which answer is
 * due:
 *
 *   IDLE         no answer
 *   GIVEN        must assign `given`, and reads nothing before
 *   REVOKED      must release `revoked` once its offsets are committed
 *   COMMITTING   as REVOKED, and has requested a checkpoint for the commit
 *   CLOSED       leaves the group: answers each report at once
 *
 *   event       comes from                                 transition
 *   GIVE        the group; a topic has more partitions     IDLE GIVEN          -> GIVEN
 *   ASSIGN      rebalance_assign: has answered             GIVEN               -> IDLE
 *   REVOKE      the group                                  IDLE GIVEN REVOKED COMMITTING -> REVOKED
 *   REQUEST     rebalance_waits                            REVOKED             -> COMMITTING
 *   UNCUT       rebalance_committed: the checkpoint was    COMMITTING          -> REVOKED
 *               cut before the last messages
 *   RELEASE     rebalance_release: has answered            REVOKED COMMITTING  -> IDLE
 *   CLOSE       rebalance_close                            all                 -> CLOSED
 *
 * A revoked partition is LEAVING (partitions.h) until its messages are durable and its offset is
 * committed, or until a deadline. If the group has already given it to another member, it is
 * released at once, uncommitted. The run then rolls back if a sink commits the results. */
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
    rd_kafka_topic_partition_list_t *given;   /* partitions to assign; or NULL */
    rd_kafka_topic_partition_list_t *revoked; /* partitions to release; or NULL */
    uint64_t deadline;                        /* deadline to release `revoked`, monotonic ns */
    /* Time of the next look at the cluster's topics, monotonic ns; 0 before the first. */
    uint64_t look_at;
};

/* True if the group has revoked partitions that are not released yet. */
static inline bool rebalance_is_releasing(const struct rebalance *r)
{
    return r->state == REBALANCE_REVOKED || r->state == REBALANCE_COMMITTING;
}
/* True if the consumer may read messages. A cooperative group lets it read while partitions
 * leave. */
static inline bool rebalance_may_read(const struct rebalance *r)
{
    return !r->given && (r->state == REBALANCE_IDLE || r->cooperative);
}

/* Handles librdkafka's report that the group assigns or revokes partitions. Registered by
 * consumer_open(). */
void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self);
/* For a consumer without a group: puts all partitions into `given`, if none is assigned yet.
 * Returns false if the cluster does not know one of the topics yet. */
bool rebalance_give_all(struct leat_ctx *ctx, struct consumer *c);
/* Looks at the cluster's topics from time to time. Without a group, assigns all partitions again if
 * a topic has got more partitions. In a group that has assigned nothing, reports deleted topics. */
void rebalance_tick(struct leat_ctx *ctx, struct consumer *c);

/* Assigns the partitions in `given`, at the offsets that offsets_find() finds. If the group is
 * eager, the caller must drop messages polled earlier: they belong to the previous assignment. */
void rebalance_assign(struct leat_ctx *ctx, struct consumer *c);
/* Resumes STOPPED partitions, except while an answer to the group is due. Call it before each
 * poll. */
void rebalance_resume(struct consumer *c);
/* Requests a checkpoint for revoked partitions. Releases them once they are committed or the
 * deadline has passed. Returns true while some revoked partitions are not committed yet. */
bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c);
/* Releases the revoked partitions after a commit, if the commit covers all messages that they
 * delivered. */
void rebalance_committed(struct consumer *c);
/* Releases all partitions of a client that the group has fenced out. Fails the consumer with
 * LEAT_EROLLBACK if a sink would commit results of them. */
void rebalance_lose(struct consumer *c);
/* Releases the revoked partitions before the consumer leaves the group. */
void rebalance_close(struct leat_ctx *ctx, struct consumer *c);

#endif
