/* consumer.h -- a Kafka consumer that keeps its offsets itself: its connection, its messages and
 * the commits of its offsets.
 *
 *   source_params.h     its parameters
 *   partitions.h        the partitions: the state of each, and how far it was read and committed
 *   rebalance.h         which partitions it reads: given by the group, taken away by it
 *   offsets.h           where reading a partition begins, and what its offsets mean
 *   partition_states.h  states of stages by partition
 *
 * Nothing is committed by itself: consumer_commit does it for what partitions_cut has cut, when the
 * host reports that it is durable. Where a sink commits (ctx->position_committed),
 * consumer_position names what was cut, and consumer_commit only notes that it is committed.
 *
 * All calls but consumer_wake are on the stage's thread; librdkafka's callbacks run inside them.
 */
#ifndef LEAT_KAFKA_SOURCE_CONSUMER_H
#define LEAT_KAFKA_SOURCE_CONSUMER_H

#include <stdatomic.h>

#include "kafka/client/client.h"
#include "kafka/states/position.h"
#include "partitions.h"
#include "rebalance.h"
#include "source_params.h"

struct consumer {
    struct leat_ctx *ctx; /* of the current call */
    const struct consumer_cfg *cfg;
    rd_kafka_t *rk;
    rd_kafka_queue_t *messages, *commits;
    const char *brokers; /* their address, of an embedded one, too */
    int start;           /* enum consumer_start */
    int64_t start_ms;    /* START_TIMESTAMP: since 1970; of "-6h" when the consumer was opened */
    struct partitions partitions;
    struct rebalance rebalance;
    struct position position; /* that a sink is to commit */
    struct position_bytes position_bytes;
    uint64_t writer;      /* of its commits (position.h); kept in the snapshot          */
    uint32_t committing;  /* requests under way                                            */
    uint32_t woken;       /* the partition whose broker is woken next                      */
    _Atomic bool hurried; /* the next poll does not wait; set by any thread (consumer_wake) */
    rd_kafka_t *asker;    /* offsets.h: a connection for questions only                    */
    uint64_t ask_at;      /* not before, monotonic ns                                      */
    struct outage outage;
    bool wait_reported;   /* that topics are waited for           */
    bool commit_reported; /* that offsets could not be committed  */
    int failure;          /* a status, with its reason; or 0      */
    char why[512];
};

#define CONSUMER_LOG(C, LEVEL, ...) (C)->ctx->host->log((C)->ctx, LEVEL, __VA_ARGS__)

/* Returns LEAT_OK, or a failure reported to the host. Afterwards always close it. */
int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg);
/* Leaves the group; takes at most some seconds. Call rebalance_close and offsets_close before. */
void consumer_close(struct leat_ctx *ctx, struct consumer *c);

/* Makes a waiting consumer_poll return soon, or else the next one. Any thread, between open and
 * close. */
void consumer_wake(struct consumer *c);
/* Returns up to n messages within ms milliseconds, the caller's to destroy; negative if the
 * consumer has failed. */
ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms);
/* In place of a poll while the topics are unknown. Returns 0, or a negative `failure`. */
ssize_t consumer_await_topics(struct leat_ctx *ctx, struct consumer *c);

/* True if `topics` has this topic by its name, and not by a regular expression. */
bool consumer_lists(const struct consumer *c, const char *topic);
/* Ends the run at the next poll. Returns `status`, or the status of an earlier failure. */
int consumer_fail(struct consumer *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Commits all cuts. `final`: waits for the answer. */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final);
/* Takes answers to commits; waits for them for at most `seconds`. */
void consumer_take_commits(struct leat_ctx *ctx, struct consumer *c, int seconds);
/* Fills in c->position with the cuts that are not committed yet. Returns LEAT_OK, or a failure
 * reported to the host. */
int consumer_position(struct leat_ctx *ctx, struct consumer *c);

#endif
