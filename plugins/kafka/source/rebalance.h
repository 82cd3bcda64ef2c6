/* rebalance.h -- the partitions that a consumer reads.
 *
 * With a group: those that the group assigns, until it takes them away. Without: all of the topics.
 *
 * Eager (range, roundrobin): the group takes all partitions away and assigns all anew. Cooperative
 * (cooperative-sticky): the group names only the partitions that move, and the consumer reads on
 * from the others. librdkafka fetches nothing between its report and the answer, so the answer
 * comes as soon as the leaving partitions are committed.
 *
 *     eager          revoked [0 1 2 3]          assigned [0 1]
 *     cooperative    revoked [2 3] leaving      assigned []       0 and 1 are never given back
 *
 * librdkafka reports both inside a poll, where the consumer only notes them. It then waits for the
 * answer; the consumer stays in the group. The state says which answer it owes:
 *
 *   IDLE         none
 *   GIVEN        must assign `given`, and reads nothing before
 *   REVOKED      must release `revoked`, as soon as it is committed
 *   COMMITTING   REVOKED, and has requested a checkpoint for it
 *   CLOSED       leaves the group: answers reports at once
 *
 *   event       by whom                                    transition
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
 * committed, or a deadline has passed. Partitions that others have already are released at once,
 * uncommitted. If a sink commits, the run rolls back then. */
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
    rd_kafka_topic_partition_list_t *given;   /* to assign; or NULL */
    rd_kafka_topic_partition_list_t *revoked; /* to release; or NULL */
    uint64_t deadline;                        /* REVOKED, COMMITTING: deadline, monotonic ns */
    /* Next time to ask for the cluster's topics, monotonic ns; 0 before the first. */
    uint64_t look_at;
};

/* True if partitions must be released once they are committed. */
static inline bool rebalance_is_releasing(const struct rebalance *r)
{
    return r->state == REBALANCE_REVOKED || r->state == REBALANCE_COMMITTING;
}
/* True if messages may be read. A cooperative group reads on while partitions leave. */
static inline bool rebalance_may_read(const struct rebalance *r)
{
    return !r->given && (r->state == REBALANCE_IDLE || r->cooperative);
}

/* Takes librdkafka's report that the group assigns partitions, or takes them away
 * (consumer_open). */
void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self);
/* Gives the consumer all partitions, once, without a group. Returns false if the cluster does not
 * know one of the topics yet. */
bool rebalance_give_all(struct leat_ctx *ctx, struct consumer *c);
/* Handles the stage's tick. Without a group it gives all partitions again if a topic has more. In a
 * group without an assignment it looks for deleted topics that it has read. */
void rebalance_tick(struct leat_ctx *ctx, struct consumer *c);

/* Assigns `given`, at the offsets of offsets_find. Unless the group is cooperative, messages that
 * were polled before belong to the previous assignment. */
void rebalance_assign(struct leat_ctx *ctx, struct consumer *c);
/* Resumes STOPPED partitions; does nothing while the group waits for an answer. Call it before each
 * poll. */
void rebalance_resume(struct consumer *c);
/* Requests the checkpoint of revoked partitions, or releases them if they are committed or late.
 * Returns true if some are not committed yet. */
bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c);
/* Releases the partitions, after a commit, if it covers all that they delivered. */
void rebalance_committed(struct consumer *c);
/* Prepares the consumer for leaving the group. */
void rebalance_close(struct leat_ctx *ctx, struct consumer *c);

#endif
