/* consumer.h -- a Kafka consumer: its connection, its messages, and the commits of its offsets.
 *
 *   source_params.h     its parameters
 *   partitions.h        the partitions: the state of each, and how far it was read and committed
 *   rebalance.h         the partitions that it reads: the group gives them, and takes them away
 *   offsets.h           where reading a partition begins, and whether its offsets still hold
 *   partition_states.h  states of stages by partition
 *
 * librdkafka commits nothing by itself. partitions_cut cuts offsets at a barrier. When the host
 * reports that checkpoint as durable, consumer_commit commits the cuts. If a sink commits instead
 * (ctx->position_committed), consumer_position names the cuts, and consumer_commit only notes that
 * they are committed.
 *
 * All calls but consumer_wake are on the stage's thread; librdkafka's callbacks run inside them. */
#ifndef LEAT_KAFKA_SOURCE_CONSUMER_H
#define LEAT_KAFKA_SOURCE_CONSUMER_H

#include <stdatomic.h>

#include "kafka/client/client.h"
#include "kafka/states/position.h"
#include "partitions.h"
#include "rebalance.h"
#include "source_params.h"

struct consumer {
    struct leat_ctx *ctx; /* context of the present call */
    const struct consumer_cfg *cfg;
    rd_kafka_t *rk;
    rd_kafka_queue_t *messages, *commits;
    const char *brokers; /* address of the brokers, also of an embedded one */
    int start;           /* enum consumer_start */
    int64_t start_ms;    /* START_TIMESTAMP: ms since 1970; for "-6h", seen from consumer_open */
    struct partitions partitions;
    struct rebalance rebalance;
    struct position position; /* position for the sink to commit */
    struct position_bytes position_bytes;
    uint64_t writer;      /* ID in the marks of its commits (position.h); the snapshot stores it */
    uint32_t committing;  /* requests under way */
    uint32_t woken;       /* index of the partition whose broker it wakes next */
    _Atomic bool hurried; /* the next poll does not wait; set by any thread (consumer_wake) */
    rd_kafka_t *asker;    /* offsets.h: connection for questions only */
    uint64_t ask_at;      /* earliest time of the next question, monotonic ns */
    struct outage outage;
    bool wait_reported;   /* reported that it waits for topics */
    bool commit_reported; /* reported that offsets could not be committed */
    int failure;          /* status of a failure, with its reason in `why`; or 0 */
    char why[512];
};

#define CONSUMER_LOG(C, LEVEL, ...) (C)->ctx->host->log((C)->ctx, LEVEL, __VA_ARGS__)

/* Returns LEAT_OK, or a failure reported to the host. Always close it afterwards. */
int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg);
/* Leaves the group, within some seconds. Call rebalance_close and offsets_close first. */
void consumer_close(struct leat_ctx *ctx, struct consumer *c);

/* Makes a waiting consumer_poll, or the next one, return soon. Any thread may call it between open
 * and close. */
void consumer_wake(struct consumer *c);
/* Returns up to n messages within `ms` milliseconds; the caller destroys them. Returns a negative
 * number if the consumer has failed. */
ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms);
/* Waits, in place of a poll, while the topics are unknown. Returns 0, or a negative `failure`. */
ssize_t consumer_await_topics(struct leat_ctx *ctx, struct consumer *c);

/* True if `topics` has this topic by name, not only by a regular expression. */
bool consumer_lists(const struct consumer *c, const char *topic);
/* Ends the run at the next poll. Returns `status`, or the status of an earlier failure. */
int consumer_fail(struct consumer *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Commits all cuts. With `final` it waits for the answer. */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final);
/* Takes the answers to commits. Waits for them, at most `seconds`. */
void consumer_take_commits(struct leat_ctx *ctx, struct consumer *c, int seconds);
/* Fills c->position with the cuts that are not yet committed. Returns LEAT_OK, or a failure
 * reported to the host. */
int consumer_position(struct leat_ctx *ctx, struct consumer *c);

#endif
